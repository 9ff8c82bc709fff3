// What the model knows of the code through the editor, what it asks the person, what it fetches, and commands that go on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { openFile } from './bench/quick-input.js';
import { filesOf } from './fixtures.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const call = (name: string, args: Record<string, unknown>) => ({ name, args });

test('the language service tells symbols, uses and problems; an edit tells the problems it brought; a question outlives a reload; a page is asked about each time', async () => {
  const asked: string[] = [];
  const site = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'text/html').end('<h1>Taxes</h1><script>x</script><p>7 &percnt;</p>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
  try {
    await withScriptedModel({ files: filesOf('till') }, async ({ editor, server, person: first }) => {
      let person = first;
      const results = (request: number, last: number) =>
        told(server, request)
          .filter(({ role }) => role === 'tool')
          .slice(-last)
          .map(({ text }) => text);
      await person.setMode('Accept edits', 'accept_edits');
      const broken = [{ old_text: 'Math.floor(Number(price) * 100)', new_text: 'price' }];
      server.enqueue(
        reply.calls([
          call('symbols', { path: 'src/receipt.ts' }),
          call('references', { path: 'src/price.ts', symbol: 'cents' }),
          call('diagnostics', { path: 'src/receipt.ts' }),
          call('glob', { pattern: 'src/*.ts' }),
        ]),
        reply.calls([
          call('edit', { path: 'src/price.ts', edits: broken }),
          call('diagnostics', { path: 'src/price.ts' }),
        ]),
        reply.text('I broke it.'),
      );
      // The language service looks for problems in what stands in a tab, and starts with it.
      await openFile(editor.page, 'price.ts');
      await person.send('Look around');
      await person.says('I broke it.', 60_000);
      await person.run('idle');
      const [symbols, references, diagnostics, glob] = results(2, 4);
      expect(symbols).toMatch(/interface Item · line 3\n {2}.*name · line 4[^]*function total · line 17/);
      expect(references).toMatch(/src\/price\.ts:2: [^]*src\/receipt\.ts:1: [^]*src\/receipt\.ts:13: /);
      expect(diagnostics).toContain('No problems are known in src/receipt.ts');
      expect(glob).toBe('src/price.ts\nsrc/receipt.ts');
      // On a slow machine the service may say it only after the edit has waited long enough for it.
      expect(results(3, 2).join('\n')).toMatch(/src\/price\.ts:3: error: Type 'string' is not assignable/);
      expect(await person.tool('edit', 'ok').innerText()).toContain('Edited src/price.ts');
      await editor.screenshot('looked');

      // a question waits over a reload, and its answer is the result
      server.enqueue(
        reply.calls([call('ask', { question: 'Round up or down?', options: ['Up', 'Down'] })]),
        reply.text('Down it is.'),
      );
      await person.send('Mend it');
      await person.approval().filter({ hasText: 'Round up or down?' }).waitFor();
      await person.run('waiting');
      await editor.screenshot('question');
      person = await reloaded(editor);
      await person.approval().waitFor();
      await eventually(
        async () => {
          const option = person.at('answer-option').filter({ hasText: 'Down' });
          if ((await option.count()) === 0) return true;
          await option.click({ timeout: 1_000 });
          return (await person.approval().count()) === 0;
        },
        { what: 'the question takes an answer', interval: 150 },
      );
      await person.says('Down it is.');
      await person.run('idle');
      expect(results(5, 1)).toEqual(['Down']);
      expect(await person.tool('ask', 'ok').innerText()).toContain('you: Down');

      // no rule lets a page be opened unasked, and what it says is text
      server.enqueue(
        reply.calls([call('fetch', { url: `${origin}/taxes` })]),
        reply.calls([call('fetch', { url: `${origin}/taxes` })]),
        reply.text('7 percent.'),
      );
      await person.send('What are the taxes?');
      await person.approval().waitFor();
      await person.run('waiting');
      expect(asked).toEqual([]);
      expect(await person.approval().innerText()).toContain(`Fetch on this computer: ${origin}/taxes`);
      expect(await person.at('always').count()).toBe(0);
      await editor.screenshot('fetch');
      await person.decide('approve');
      await eventually(() => asked.length === 1, { what: 'the page is opened' });
      await person.approval().waitFor();
      await person.run('waiting');
      expect(results(7, 1)[0]).toMatch(/^# Taxes\n\n7/);
      await person.decide('deny');
      await person.says('7 percent.');
      await person.run('idle');
      expect(asked).toEqual(['/taxes']);
      expect(ofType(onlyLog(editor.storage()), 'approval_decision').map(({ decision }) => decision)).toEqual([
        'allow',
        'allow',
        'deny',
      ]);
    });
  } finally {
    await new Promise((resolve) => site.close(resolve));
  }
});

test('F9 D15: a command goes on in the background until it is ended, by hand, by Stop of its turn, or with the window', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const sleepers = (mark: string) => editor.processes().filter(({ command }) => command.includes(mark));
    const gone = (mark: string) => eventually(() => sleepers(mark).length === 0, { what: `${mark} is gone` });
    const begin = async (mark: string, prompt: string) => {
      await person.send(prompt);
      await person.decide('always', mark);
      await eventually(() => sleepers(mark).length > 0, { what: `${mark} runs` });
    };
    const letGo = async () => {
      const button = person.at('continue-in-background');
      await eventually(
        async () => {
          if ((await button.count()) > 0) await button.click({ timeout: 1_000 });
          return (await button.count()) === 0;
        },
        { what: 'the command goes on' },
      );
    };
    const run = (mark: string) => call('run', { command: `echo begun; exec sleep ${mark}` });

    server.enqueue(reply.calls([run('4711')]), reply.text('It serves.'));
    await begin('4711', 'Serve it');
    await letGo();
    await person.says('It serves.');
    await person.run('idle');
    expect(sleepers('4711').length).toBeGreaterThan(0);
    const said = told(server, 2).at(-1)?.text ?? '';
    const id = /still running, as "([^"]+)"/.exec(said)?.[1] ?? '';
    expect(said).toMatch(/^begun/);
    await person.tool('run', 'ok').filter({ hasText: 'goes on in the background' }).waitFor();
    await editor.screenshot('background');

    // the model looks after it; the person ends it
    server.enqueue(reply.calls([call('background', { id })]), reply.text('It still serves.'));
    await person.ask('Is it there?', 'It still serves.');
    expect(told(server, 4).at(-1)?.text).toMatch(/begun[^]*still running/);
    await person.tool('run').getByRole('button', { name: 'End this command' }).click();
    await gone('4711');
    await person.tool('run', 'ok').filter({ hasText: 'went on in the background' }).waitFor();

    // with the turn that began it
    server.enqueue(reply.calls([run('4712')]), reply.hold(['Thinking'], ['.']));
    await begin('4712', 'Serve it again');
    await letGo();
    await person.says('Thinking');
    expect(sleepers('4712').length).toBeGreaterThan(0);
    await person.at('stop').click();
    await person.run('idle');
    await gone('4712');

    // with the window
    server.enqueue(reply.calls([run('4713')]), reply.text('It serves for ever.'));
    await begin('4713', 'And once more');
    await letGo();
    await person.says('It serves for ever.');
    await person.run('idle');
    const again = await reloaded(editor);
    await gone('4713');
    await again.says('It serves for ever.');
    expect(await again.at('end-call').count()).toBe(0);
  }));
