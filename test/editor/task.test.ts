// A whole task as a person gives it: on disk with every kind of decision, in a folder that lies on no disk, and in one that
// is not trusted.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { target, versionUnderTest } from './bench/target.js';
import { openWindow } from './bench/window.js';
import { caller, run } from './caller.js';
import { filesOf } from './fixtures.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { Person } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const till = filesOf('till');
const { scripts } = JSON.parse(till['package.json'] ?? '{}') as { scripts: { test: string } };
/** By the node that VS Code brings: it takes TypeScript as it is, which that of the machine may not. */
const testCommand = scripts.test.replace(/^node\b/, target(versionUnderTest()).node);
const tests = { name: 'run', args: { command: testCommand } };
const read = (file: string) => ({ name: 'read', args: { path: file } });
const edit = (file: string, old_text: string, new_text: string) => ({
  name: 'edit',
  args: { path: file, edits: [{ old_text, new_text }] },
});
const write = (file: string, content: string) => ({ name: 'write', args: { path: file, content } });

/** A click that counts only once the card has taken it. */
async function until(click: () => Promise<unknown>, isDone: () => Promise<boolean>, what: string) {
  await eventually(
    async () => {
      if (await isDone()) return true;
      await click();
      return isDone();
    },
    { what, interval: 150 },
  );
}

const approveFor = (person: Person, card: Locator, row: string) =>
  until(
    async () => {
      await card.getByRole('button', { name: 'Approve for longer' }).click({ timeout: 1_000 });
      await person.chat.getByRole('menuitem', { name: row }).click({ timeout: 1_000 });
    },
    async () => (await card.count()) === 0,
    `the card takes "${row}"`,
  );

test('a bug is found from a failing test and mended, with every kind of decision, and all of it is taken back', () =>
  withScriptedModel({ files: till, extensions: [caller] }, async ({ editor, server, person }) => {
    const at = (file: string) => path.join(editor.workspace, file);
    const text = (file: string) => readFileSync(at(file), 'utf8');
    server.enqueue(
      reply.calls([{ name: 'list', args: {} }, tests], { text: 'I run the tests.' }),
      reply.calls([read('src/receipt.ts'), read('src/price.ts')]),
      reply.calls([
        edit('src/price.ts', 'Math.floor(Number(price) * 100)', 'Math.round(Number(price) * 100)'),
        edit('src/receipt.ts', 'count > MANY', 'count >= 9'),
        write('package.json', '{}\n'),
        write('CHANGES.md', 'Prices are read to the cent.\n'),
      ]),
      reply.calls([tests], { text: 'Once more.' }),
      reply.text('Changed: src/price.ts, src/receipt.ts and CHANGES.md.'),
    );
    await person.send('The tests fail. Find out why, and mend it.');

    // for the session
    const asked = person.approval().filter({ hasText: 'test/till.spec.ts' });
    await asked.waitFor();
    await person.run('waiting');
    await approveFor(person, asked, 'For This Session');
    await person.tool('run', 'error').waitFor();
    expect(await person.tool('run', 'error').innerText()).toContain('exit 1');

    // once, changed first, denied with words, always
    await eventually(async () => (await person.approval().count()) === 4, { what: 'four cards' });
    await person.run('waiting');
    await editor.screenshot('four-cards');
    expect(text('src/price.ts')).toBe(till['src/price.ts']);
    await person.decide('approve', 'src/price.ts');
    const receipt = person.approval().filter({ hasText: 'src/receipt.ts' });
    await receipt.locator('[data-testid="edit-input"]').click();
    await receipt.locator('[data-testid="edited-input"]').fill('count >= MANY');
    await person.decide('approve', 'src/receipt.ts');
    const manifest = person.approval().filter({ hasText: 'package.json' });
    await manifest.getByPlaceholder('what to do instead').fill('Leave the manifest as it is');
    await person.decide('deny', 'package.json');
    await person.decide('always', 'CHANGES.md');

    // the rule for the session holds
    await person.says('Changed: src/price.ts');
    await person.run('idle');
    expect(await person.tool('run', 'ok').innerText()).toContain('exit 0');
    expect(text('src/price.ts')).toContain('Math.round');
    expect(text('src/receipt.ts')).toContain('count >= MANY');
    expect(text('package.json')).toBe(till['package.json']);
    expect(text('CHANGES.md')).toBe('Prices are read to the cent.\n');
    expect(await editor.page.locator('.tab.dirty').count()).toBe(0);
    await editor.screenshot('mended');
    const results = (request: number) => told(server, request).filter(({ role }) => role === 'tool');
    expect(results(2).at(-1)?.text).toContain('30.00 EUR');
    expect(results(4).map((result) => result.text)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('Leave the manifest as it is'),
        expect.stringMatching(/changed.*before it ran|person.*changed/is),
      ]),
    );
    expect(results(5).at(-1)?.text).toMatch(/pass 2[^]*Exit code 0/);
    const log = onlyLog(editor.storage());
    expect(ofType(log, 'approval_decision').map(({ decision, scope }) => [decision, scope])).toEqual([
      ['allow', 'session'],
      ['allow', 'once'],
      ['allow', 'once'],
      ['deny', 'once'],
      ['allow', 'always'],
    ]);
    expect(
      ofType(log, 'files_changed').flatMap(({ changes }) =>
        (changes as { path: string }[]).map((change) => change.path),
      ),
    ).toEqual(['src/price.ts', 'src/receipt.ts', 'CHANGES.md']);

    // the state before: where the task began, files and all
    await person.message('user').first().hover();
    await person.at('branch-here').first().click();
    await person.at('files-offer').waitFor();
    await run(editor, 'bough.branch.restoreFiles');
    await editor.notification('Restore 3 files?').getByRole('button', { name: 'Restore 3 Files' }).click();
    await editor.notification('Restored:').waitFor();
    await eventually(() => !existsSync(at('CHANGES.md')), { what: 'what was created is gone' });
    for (const file of ['src/price.ts', 'src/receipt.ts', 'package.json'])
      expect(text(file)).toBe(till[file]);
    await editor.screenshot('restored');
  }));

const memory = path.join(import.meta.dirname, 'extensions/memory');

test('a folder that lies on no disk is read, searched, edited and put back; that commands cannot run there is said', () =>
  withScriptedModel(
    {
      folder: false,
      extensions: [memory, caller],
      env: {
        BOUGH_TEST_MEMORY: JSON.stringify(
          Object.fromEntries(
            Object.entries({
              ...till,
              '.gitignore': 'out/\n',
              'out/price.ts': 'Math.floor',
              'node_modules/a/b.ts': 'Math.floor',
            }).map(([name, text]) => [`till/${name}`, text]),
          ),
        ),
      },
    },
    async ({ editor, server }) => {
      const url = `${editor.server.url}/?folder=${encodeURIComponent('memory:/till')}`;
      const evidence = path.dirname(await editor.screenshot('no-folder'));
      const window = await openWindow({ page: await editor.context.newPage(), url, evidence });
      await window.openBough();
      const person = new Person(editor, await window.chat());
      await person.chat.getByText('cannot run commands here').waitFor();
      await window.screenshot('virtual-welcome');
      server.enqueue(
        reply.calls([
          { name: 'list', args: { path: 'src' } },
          { name: 'search', args: { pattern: 'Math.floor' } },
          { name: 'glob', args: { pattern: '**/*.ts' } },
          tests,
          read('../outside'),
        ]),
        reply.calls([
          edit('src/price.ts', 'Math.floor(Number(price) * 100)', 'Math.round(Number(price) * 100)'),
          write('CHANGES.md', 'Prices are read to the cent.\n'),
        ]),
        reply.calls([read('src/price.ts'), read('CHANGES.md')]),
        reply.text('Changed: src/price.ts and CHANGES.md.'),
      );
      await person.send('Mend the prices.');
      await person.run('waiting');
      await window.screenshot('virtual-cards');
      await person.approval().nth(1).waitFor();
      const results = (request: number) =>
        told(server, request)
          .filter(({ role }) => role === 'tool')
          .map(({ text }) => text);
      expect(results(2)).toEqual([
        expect.stringMatching(/price\.ts[^]*receipt\.ts/),
        expect.stringMatching(/^src\/price\.ts:3: .*$/),
        'src/price.ts\nsrc/receipt.ts\ntest/till.spec.ts',
        expect.stringContaining('Commands cannot run here'),
        expect.stringContaining('outside the workspace'),
      ]);
      expect(told(server, 1)[0]?.text).toContain('no command can run');
      await person.decide('approve', 'src/price.ts');
      await person.decide('approve', 'CHANGES.md');
      await person.says('Changed: src/price.ts');
      await person.run('idle');
      expect(results(4).slice(-2)).toEqual([
        expect.stringContaining('Math.round'),
        expect.stringContaining('to the cent'),
      ]);

      await person.message('user').first().hover();
      await person.at('branch-here').first().click();
      await person.at('files-offer').waitFor();
      await run(window, 'bough.branch.restoreFiles');
      await window.notification('Restore 2 files?').getByRole('button', { name: 'Restore 2 Files' }).click();
      await window.notification('Restored:').waitFor();
      server.enqueue(reply.calls([read('src/price.ts'), read('CHANGES.md')]), reply.text('As before.'));
      await person.ask('Look again', 'As before.');
      expect(results(6)).toEqual([
        expect.stringContaining('Math.floor'),
        expect.stringMatching(/no .*CHANGES\.md/i),
      ]);
    },
  ));

test('in a folder that is not trusted Bough looks and says what it does not do', () =>
  withScriptedModel({ files: till, restricted: true }, async ({ editor, server, person }) => {
    await person.chat.getByText('changes nothing and runs no command').waitFor();
    server.enqueue(
      reply.calls([
        { name: 'list', args: {} },
        read('src/price.ts'),
        { name: 'search', args: { pattern: 'MANY' } },
        { name: 'diagnostics', args: { path: 'src/price.ts' } },
        tests,
        edit('src/price.ts', 'Math.floor', 'Math.round'),
        write('CHANGES.md', 'x'),
        { name: 'fetch', args: { url: 'https://example.com/' } },
      ]),
      reply.text('I may only look.'),
    );
    await person.ask('Mend the prices.', 'I may only look.');
    expect(await person.at('approval').count()).toBe(0);
    const results = told(server, 2).filter(({ role }) => role === 'tool');
    expect(results.map(({ text }) => text)).toEqual([
      expect.stringContaining('src/'),
      expect.stringContaining('Math.floor'),
      expect.stringContaining('src/receipt.ts:'),
      expect.stringContaining('No problems are known in src/price.ts'),
      ...['run commands', 'change files', 'change files', 'open pages of the web'].map(
        (what) => expect.stringMatching(new RegExp(`not trusted.*${what}`)) as string,
      ),
    ]);
    expect(told(server, 1)[0]?.text).toContain('has not trusted this workspace');
    expect(readFileSync(path.join(editor.workspace, 'src/price.ts'), 'utf8')).toBe(till['src/price.ts']);
    expect(existsSync(path.join(editor.workspace, 'CHANGES.md'))).toBe(false);
    await editor.screenshot('untrusted');
  }));
