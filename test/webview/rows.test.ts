import { describe, expect, it } from 'vitest';
import type { ToolCard } from '../../src/shared/fold/types.js';
import { diffOf } from '../../webview/transcript/hunks.js';
import { conversationText } from '../../webview/conversation-text.js';
import { promptParts } from '../../src/agent/queue.js';
import type { Message, Part } from '../../src/shared/entry.js';
import { rowsOf } from '../../src/shared/fold/path.js';
import { goesOn, itemsOf, withGrowing } from '../../webview/transcript/items.js';
import { promptOf, textOf } from '../../src/shared/prompt-parts.js';
import { promptToEdit } from '../../webview/transcript/prompt-text.js';
import { quietGroups } from '../../webview/transcript/quiet.js';
import { ownSentence } from '../../webview/transcript/outcome.js';
import { sentenceOf } from '../../webview/transcript/sentence.js';
import { ALL, PAGE, RowWindow, usualFirst } from '../../webview/transcript/window.svelte.js';
import { duration } from '../../webview/ui/clock.svelte.js';
import {
  INTERRUPTED_RESULT,
  LOST_RESULT,
  NO_RULE_RESULT,
  NOT_RUN_RESULT,
  READ_ONLY_RESULT,
} from '../../src/shared/fold/stand-in.js';
import { meterOf, wasSent } from '../../webview/header/meter.js';
import { realModel, Scene } from './bench/scenes.js';

const card = (name: string, input: unknown, more: Partial<ToolCard> = {}): ToolCard => ({
  call: { type: 'tool_call', call_id: 'c', name, input },
  state: 'ok',
  ...more,
});

const said = (tool: ToolCard): string => {
  const { verb, object, outcome } = sentenceOf(tool);
  return `${verb} ${object}${outcome === undefined ? '' : ` · ${outcome}`}`;
};

describe('a denied call', () => {
  it('is told to the person, not as it is told to the model', () => {
    const denied = (more: Partial<ToolCard>) =>
      ownSentence(card('run', { command: 'x' }, { state: 'denied', result: 'The person denied…', ...more }));
    expect(denied({ decision: 'deny' })).toBe('You denied this');
    expect(denied({ decision: 'deny', feedback: 'use npm' })).toBe('You denied this: use npm');
    expect(denied({ decision: 'replied' })).toBe('Not run: you replied instead');
    expect(denied({})).toBeUndefined();
  });

  it('and so is one that the mode forbade, or that was interrupted', () => {
    const told = (state: ToolCard['state'], result: string) =>
      ownSentence(card('run', { command: 'x' }, { state, result }));
    expect(told('error', READ_ONLY_RESULT)).toMatch(/^Not run: this session is read only\./);
    expect(told('error', NO_RULE_RESULT)).toMatch(/^Not run: no rule allows it/);
    expect(told('interrupted', NOT_RUN_RESULT)).toBe('Interrupted before it ran.');
    expect(told('unknown', `${INTERRUPTED_RESULT} a.ts has changed since before the call.`)).toBe(
      'Interrupted while it ran; it may have partly run. a.ts has changed since before the call.',
    );
    expect(told('error', 'No such file.')).toBeUndefined();
    const lost = card('read', { path: 'README.md' }, { state: 'unknown', isLost: true, result: LOST_RESULT });
    expect(ownSentence(lost)).toBe('The end of the file is lost; whether it ran is not known.');
    expect(said(lost)).toBe('Read README.md · whether it ran is not known');
  });

  it('shows what really ran when the person changed it', () => {
    const changed = card('run', { command: 'rm -rf /' }, { edited_input: { command: 'ls' } });
    expect(said(changed)).toBe('Ran ls');
  });
});

describe('a tool call as a sentence', () => {
  it.each([
    [card('read', { path: 'src/app.ts', start_line: 1, end_line: 40 }), 'Read src/app.ts 1–40'],
    [card('read', { path: 'a.ts', end_line: 3 }), 'Read a.ts 1–3'],
    [card('list', {}), 'Listed the folder'],
    [card('list', { path: 'src' }, { state: 'running' }), 'Listing src'],
    [card('search', { pattern: 'foo', path: 'src' }), 'Searched “foo” in src'],
    [
      card('edit', {
        path: 'a.ts',
        edits: [
          { old_text: 'a\nb', new_text: 'c' },
          { old_text: 'x', new_text: '' },
        ],
      }),
      'Edited a.ts · +1 −3',
    ],
    [
      card('edit', {
        path: 'a.ts',
        edits: [{ old_text: 'Lint.\nRun the tests.', new_text: 'Run the tests.\n' }],
      }),
      'Edited a.ts · +0 −1',
    ],
    // What the file became, whatever the pieces look like one by one.
    [
      card(
        'edit',
        { path: 'a.ts', edits: [{ old_text: 'a\n\nb', new_text: '' }] },
        { result: 'Changed a.ts (+0 −2).\nLine 1 now:\nc' },
      ),
      'Edited a.ts · +0 −2',
    ],
    [card('write', { path: 'a.md', content: 'one\ntwo\n' }), 'Wrote a.md · 2 lines'],
    [
      card(
        'run',
        { command: 'npm test' },
        { state: 'error', result: '1 failing\n\n[Exit code 1 after 4 s.]' },
      ),
      'Run npm test · exit 1 · 4 s',
    ],
    [
      card(
        'run',
        { command: 'x' },
        {
          state: 'error',
          result: '[The command was ended after 2 min: its time limit was 2 min. Give timeout_ms]',
        },
      ),
      'Run x · timed out · 2 min',
    ],
    [
      card(
        'run',
        { command: 'x' },
        { state: 'error', result: '[The command was stopped after 3 s, before its end.]' },
      ),
      'Run x · stopped · 3 s',
    ],
    [
      card('edit', { path: 'a.ts', edits: [] }, { state: 'denied', decision: 'deny', feedback: 'no' }),
      'Edit a.ts · you denied this: no',
    ],
    [card('write', { path: 'a' }, { state: 'unknown' }), 'Write a · interrupted; it may have partly run'],
    [
      card('read', { path: '../x' }, { state: 'error', result: '../x is outside.\nMore' }),
      'Read ../x · ../x is outside.',
    ],
    [card('deploy', {}, { state: 'ok' }), 'Called deploy'],
    [card('toString', null), 'Called toString'],
  ])('%#', (tool, sentence) => {
    expect(said(tool)).toBe(sentence);
  });
});

describe('the list of rows', () => {
  it('keeps the place of what grew when its entry comes', () => {
    const scene = new Scene();
    scene.user('Hi');
    const growing = { attempt_id: 'a1', turn_id: 't', step: 1, text: 'x', reasoning: '', calls: [] };
    const before = withGrowing([], 'a1', () => growing).at(-1)?.key;
    const answer = scene.answer('x', 'a1');
    const entry = scene.placed.find((placed) => placed.entry.id === answer)?.entry;
    if (entry?.type !== 'message') throw new Error('no message');
    expect(itemsOf([{ kind: 'assistant', entry, cards: [] }]).at(-1)?.key).toBe(before);
  });

  it('has unique keys whatever a damaged log repeats', () => {
    const scene = new Scene();
    scene.answer('one', 'same');
    scene.answer('two', 'same');
    const rows = scene.placed.flatMap(({ entry }) =>
      entry.type === 'message' ? [{ kind: 'assistant' as const, entry, cards: [] }] : [],
    );
    const growing = { attempt_id: 'same', turn_id: 't', step: 1, text: '', reasoning: '', calls: [] };
    const keys = withGrowing(itemsOf(rows), 'same', () => growing).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  it('mounts all of a short conversation and the end of a long one', () => {
    expect(usualFirst(ALL)).toBe(0);
    expect(usualFirst(5000)).toBe(5000 - PAGE);
    expect(PAGE).toBeGreaterThanOrEqual(30);
  });
});

describe('a prompt and what went along with it', () => {
  const asked: string[] = [];
  const whole = (hash: string) => {
    asked.push(hash);
    return Promise.resolve(`[The person named this file: Pasted text]\nall of ${hash.slice(-1)}`);
  };
  const message = (): Message => {
    const scene = new Scene();
    const parts: Part[] = [
      { type: 'text', text: 'Look at @a.ts' },
      ...promptParts('', [
        { kind: 'file', label: 'a.ts', path: 'a.ts' },
        { kind: 'file', label: 'Pasted text', text: 'one\ntwo' },
        { kind: 'folder', label: 'lib', path: 'src/lib' },
      ]).slice(1),
      {
        type: 'text',
        text: '',
        preview: '[The person named this file: Pasted text]\nall',
        blob: 'f'.repeat(64),
      },
    ];
    scene.add({ type: 'message', role: 'user', origin: 'person', parts });
    const entry = scene.placed[0]?.entry;
    if (entry?.type !== 'message') throw new Error('no message');
    return entry;
  };

  it('shows what was typed apart from what the agent was given with it', () => {
    const prompt = promptOf(message());
    expect(prompt.typed.map(textOf)).toEqual(['Look at @a.ts']);
    expect(prompt.attachments.map(({ kind, label, path }) => ({ kind, label, path }))).toEqual([
      { kind: 'file', label: 'a.ts', path: undefined },
      { kind: 'file', label: 'Pasted text', path: undefined },
      { kind: 'folder', label: 'lib', path: 'src/lib' },
      { kind: 'file', label: 'Pasted text', path: undefined },
    ]);
  });

  it('H5: gives it back whole to be edited, also what the log keeps in blobs', async () => {
    expect(await promptToEdit(message(), whole)).toEqual({
      text: 'Look at @a.ts',
      mentions: [
        { kind: 'file', label: 'a.ts' },
        { kind: 'file', label: 'Pasted text', text: 'one\ntwo' },
        { kind: 'folder', label: 'lib', path: 'src/lib' },
        { kind: 'file', label: 'Pasted text', text: 'all of f' },
      ],
    });
    expect(asked).toEqual(['f'.repeat(64)]);
  });
});

describe('calls that only looked', () => {
  const looking = (count: number, then: (scene: Scene) => void) => {
    const scene = new Scene();
    scene.user('Look');
    for (let n = 0; n < count; n += 1) {
      scene.calls('', [{ call_id: `c${n}`, name: n === 0 ? 'list' : 'read', input: {} }]);
      scene.result(`c${n}`, 'read', 'text');
    }
    then(scene);
    return itemsOf(rowsOf(scene.placed, scene.fold.outline, scene.fold.state(), 'idle'));
  };

  it('fold into one line when there are several and something follows', () => {
    const items = looking(5, (scene) => scene.answer('Done'));
    const groups = quietGroups(items);
    expect([...groups.keys()]).toEqual(items.slice(1, 6).map(({ key }) => key));
    expect(groups.get(items[1]?.key ?? '')).toEqual({
      key: items[1]?.key,
      words: 'Listed 1 folder, read 4 files',
    });
  });

  it('stay as they are when they are few, at the end, or one of them failed', () => {
    expect(quietGroups(looking(4, (scene) => scene.answer('Done'))).size).toBe(0);
    expect(quietGroups(looking(9, () => undefined)).size).toBe(0);
    const failing = looking(2, (scene) => {
      scene.calls('', [{ call_id: 'bad', name: 'read', input: {} }]);
      scene.result('bad', 'read', 'no such file', true);
      for (const n of [1, 2]) {
        scene.calls('', [{ call_id: `d${n}`, name: 'read', input: {} }]);
        scene.result(`d${n}`, 'read', 'text');
      }
      scene.answer('Done');
    });
    expect(quietGroups(failing).size).toBe(0);
  });

  it('stand close together', () => {
    const items = looking(2, (scene) => scene.answer('Done'));
    expect(items.map((item, index) => goesOn(items[index - 1], item))).toEqual([false, false, true, false]);
  });
});

describe('the conversation as text', () => {
  it('holds prompts, answers and what was done, whole', async () => {
    const scene = new Scene();
    scene.user('Why?');
    scene.calls('I look.', [{ call_id: 'c', name: 'read', input: { path: 'a.ts' } }]);
    scene.result('c', 'read', 'text');
    scene.add({
      type: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text: '', preview: 'Be', blob: 'f'.repeat(64) }],
    });
    scene.add({
      type: 'incomplete_output',
      attempt_id: 'a',
      text: 'And',
      incomplete: true,
      reason: 'stopped',
    });
    const rows = rowsOf(scene.placed, scene.fold.outline, scene.fold.state(), 'idle');
    expect(await conversationText(rows, () => Promise.resolve('Because.'))).toBe(
      '## Prompt\n\nWhy?\n\nI look.\n\n- Read a.ts\n\nBecause.\n\nAnd\n\n*(incomplete)*',
    );
  });
});

describe('the mounted rows of a long conversation', () => {
  it('stay while somebody reads above the end, whatever comes at either end', () => {
    let rows = Array.from({ length: 300 }, (_, index) => ({ key: `row ${index}` }));
    const shown = new RowWindow(() => rows);
    const firstKey = () => rows[shown.first]?.key;
    expect(firstKey()).toBe('row 260');
    shown.hold();
    rows = [...rows, { key: 'new' }];
    expect(firstKey()).toBe('row 260');
    shown.up();
    expect(firstKey()).toBe('row 220');
    rows = [{ key: 'older' }, ...rows];
    expect(firstKey()).toBe('row 220');
    shown.release();
    expect(firstKey()).toBe('row 261');
    for (let step = 0; step < 9; step += 1) shown.up();
    expect(firstKey()).toBe('older');
  });
});

describe('small words', () => {
  it('tells durations', () => {
    const plain = (ms: number) => duration(ms).replaceAll('\u00A0', ' ');
    expect([0, 400, 4000, 60_000, 125_000, 3_780_000, -5].map(plain)).toEqual([
      '0 s',
      '1 s',
      '4 s',
      '1 min',
      '2 min 5 s',
      '1 h 3 min',
      '0 s',
    ]);
  });

  it('tells how full the window is, or how much was sent when that is not known', () => {
    const scene = new Scene();
    const shown = () => rowsOf(scene.placed, scene.fold.outline, scene.fold.state(), 'idle');
    expect(meterOf(scene.fold.state(), realModel).short).toBe('');
    scene.user('Hi');
    // A server that reports no usage: it is estimated, once something was answered.
    expect(wasSent(shown())).toBe(false);
    scene.answer('x');
    expect(wasSent(shown())).toBe(true);
    const estimated = 10_000;
    expect(meterOf(scene.fold.state(), realModel, estimated)).toMatchObject({
      short: '~8 %',
      details: expect.stringContaining('10,000 tokens, estimated') as string,
    });
    expect(meterOf(scene.fold.state(), { ...realModel, contextWindow: undefined }, estimated).short).toBe(
      '~10k tok',
    );
    scene.add({
      type: 'usage',
      input_tokens: 12_000,
      output_tokens: 500,
      total_tokens: 12_500,
      purpose: 'step',
    });
    expect(meterOf(scene.fold.state(), realModel).short).toBe('10 %');
    expect(meterOf(scene.fold.state(), { ...realModel, contextWindow: undefined }).short).toBe('13k tok');
  });

  it('shows the lines that differ with their numbers', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
    const diff = diffOf(before, before.replace('line 10', 'LINE 10'));
    expect(diff).toMatchObject({ added: 1, removed: 1 });
    expect(diff?.lines.map(({ kind, number }) => `${kind} ${number ?? ''}`.trim())).toEqual([
      'gap',
      'same 9',
      'removed 10',
      'added 10',
      'same 11',
      'same 12',
      'same 13',
    ]);
    const begin = diffOf(before, before.replace('line 3', 'LINE 3'))?.lines.slice(0, 3);
    expect(begin?.map(({ kind, number }) => [kind, number])).toEqual([
      ['gap', undefined],
      ['same', 2],
      ['removed', 3],
    ]);
    expect(diffOf(before, before.replace('line 2', 'LINE 2'))?.lines[0]).toMatchObject({
      kind: 'same',
      number: 1,
    });
    expect(diffOf('', 'a\n')?.lines).toEqual([{ kind: 'added', text: 'a', number: 1 }]);
    expect(diffOf('a', 'a')?.lines).toEqual([]);
    expect(diffOf('a\nb', 'a\nb\n')?.lines).toEqual([]);
    expect(diffOf('Lint.\nRun the tests.', 'Run the tests.\n')).toMatchObject({ added: 0, removed: 1 });
  });
});
