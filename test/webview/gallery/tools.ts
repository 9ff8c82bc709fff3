// The tools that look, ask and go on: their lines in the conversation, and their cards.
import { readStyled } from '../../../src/shared/styled-text.js';
import { idle, Scene } from '../bench/scenes.js';
import type { State } from './states.js';

/** Calls that are done, one that went on and still does, and one that is over. */
export function toolLines(): State {
  const scene = new Scene();
  scene.turn('Find out what the taxes are, and serve the page.', 'turn-1');
  const done: [name: string, input: Record<string, unknown>, result: string][] = [
    ['glob', { pattern: 'src/**/*.ts' }, 'src/price.ts\nsrc/receipt.ts'],
    ['symbols', { path: 'src/receipt.ts' }, 'function total · line 18'],
    ['references', { path: 'src/price.ts', symbol: 'cents' }, 'src/receipt.ts:13: cents(price)'],
    ['diagnostics', { path: 'src/price.ts' }, 'No problems are known in src/price.ts.'],
    ['fetch', { url: 'https://example.com/taxes' }, '# Taxes\n\n7 %'],
    ['ask', { question: 'Round up or down?', options: ['Up', 'Down'] }, 'Down'],
  ];
  done.forEach(([name, input, result], index) => {
    const call_id = `t${String(index)}`;
    scene.calls('', [{ call_id, name, input }], 'turn-1');
    scene.result(call_id, name, result);
  });
  const goesOn = '[The person lets this go on in the background: it is still running, as "b1".]';
  for (const call_id of ['b1', 'b2']) {
    scene.calls('', [{ call_id, name: 'run', input: { command: `npm run serve -- ${call_id}` } }], 'turn-1');
    scene.result(call_id, 'run', `listening\n\n${goesOn}`);
  }
  scene.calls('', [{ call_id: 'b3', name: 'background', input: { id: 'b1' } }], 'turn-1');
  scene.result('b3', 'background', 'GET /\n\n[It is still running.]');
  scene.answer('The page is served.');
  const progress = [{ call_id: 'b1', started_at: Date.now() - 42_000, tail: 'listening\nGET /\n' }];
  return { name: 'tool-lines', scene, snapshot: { progress }, height: 700 };
}

/** A question, and a page that is asked about each time. */
export function asking(): State {
  const scene = new Scene();
  scene.turn('Add the taxes.', 'turn-1');
  const question = 'Round each price, or the sum? The old receipts did both.';
  scene.calls(
    'Two things first.',
    [
      { call_id: 'a1', name: 'ask', input: { question, options: ['Each price', 'The sum', 'As before'] } },
      { call_id: 'f1', name: 'fetch', input: { url: 'http://localhost:8080/taxes?country=de' } },
    ],
    'turn-1',
  );
  const request = (call_id: string, tool: string, summary: string, risk: 'read' | 'net') =>
    scene.add({
      ...{ type: 'approval_request', call_id, tool, summary, input_hash: 'x', risk, targets: [] },
      turn_id: 'turn-1',
      always_asked: true,
    });
  request('a1', 'ask', question, 'read');
  request('f1', 'fetch', 'Fetch on this computer: http://localhost:8080/taxes?country=de', 'net');
  scene.status = { ...idle, run: 'waiting' };
  return { name: 'asking', scene, height: 800 };
}

/** What a test runner prints, and all that a program can say by colours. */
export function coloured(): State {
  const scene = new Scene();
  scene.turn('Run the tests.', 'turn-1');
  scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }], 'turn-1');
  const sgr = (codes: string, words: string) => `\x1b[${codes}m${words}\x1b[0m`;
  const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
  const fronts = names.map((name, index) => sgr(String(30 + index), name)).join(' ');
  const bright = names.map((name, index) => sgr(String(90 + index), name)).join(' ');
  const backs = names.map((name, index) => sgr(`30;${String(40 + index)}`, name)).join(' ');
  const printed = [
    ` ${sgr('32', '✓')} price.spec.ts ${sgr('2', '12 ms')}`,
    ` ${sgr('1;31', 'FAIL')} receipt.spec.ts ${sgr('4', 'rounds')} ${sgr('7', ' diff ')}`,
    ...[fronts, bright, backs],
    `${sgr('4;47', 'underlined')} ${sgr('1', 'bold')} ${sgr('3', 'italic')} ${sgr('9', 'struck')} ${sgr('38;2;255;120;0', 'of any colour')}`,
  ].join('\n');
  const { text, styles } = readStyled(printed);
  scene.result('r1', 'run', `${text}\n\n[Exit code 1 after 4 s.]`, true, styles);
  scene.endTurn('turn-1');
  return { name: 'coloured', scene, press: 'tool-toggle' };
}
