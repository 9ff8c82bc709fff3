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
import { filesOf } from './fixtures.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { Person } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const till = filesOf('till');
const { scripts } = JSON.parse(till['package.json'] ?? '{}') as { scripts: { test: string } };
/** By the node that VS Code brings: it takes TypeScript as it is, which that of the machine may not. */
const testCommand = scripts.test.replace(/^node\b/, target(versionUnderTest()).node);
const command = (command: string) => ({ name: 'run', args: { command } });
const tests = command(testCommand);
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
  withScriptedModel({ files: till }, async ({ editor, server, person }) => {
    const at = (file: string) => path.join(editor.workspace, file);
    const text = (file: string) => readFileSync(at(file), 'utf8');
    server.enqueue(
      reply.calls([{ name: 'list', args: {} }, tests, command('ls src'), command('wc -l src/price.ts')], {
        text: 'I run the tests.',
      }),
      reply.calls([read('src/receipt.ts'), read('src/price.ts')]),
      reply.calls([
        edit('src/price.ts', 'Math.floor(Number(price) * 100)', 'Math.round(Number(price) * 100)'),
        edit('src/receipt.ts', 'count > MANY', 'count >= 9'),
        write('package.json', '{}\n'),
      ]),
      reply.calls([tests, command('ls test'), command('wc -l src/receipt.ts')], { text: 'Once more.' }),
      reply.text('Changed: src/price.ts and src/receipt.ts.'),
    );
    await person.send('The tests fail. Find out why, and mend it.');

    // for the session, for this folder, always
    const asked = (about: string) => person.approval().filter({ hasText: about });
    await eventually(async () => (await person.approval().count()) === 3, { what: 'three cards' });
    await person.run('waiting');
    await approveFor(person, asked('test/till.spec.ts'), 'For This Session');
    await approveFor(person, asked('ls src'), 'In This Folder');
    await approveFor(person, asked('wc -l'), 'Always');
    await person.tool('run', 'error').waitFor();
    expect(await person.tool('run', 'error').innerText()).toContain('exit 1');

    // once, changed first, denied with words
    await eventually(async () => (await person.approval().count()) === 3, { what: 'three cards' });
    await person.run('waiting');
    await editor.screenshot('three-cards');
    expect(text('src/price.ts')).toBe(till['src/price.ts']);
    await person.decide('approve', 'src/price.ts');
    await asked('src/receipt.ts').locator('[data-testid="edit-input"]').click();
    await asked('src/receipt.ts').locator('[data-testid="edited-input"]').fill('count >= MANY');
    await person.decide('approve', 'src/receipt.ts');
    await asked('package.json').getByPlaceholder('what to do instead').fill('Leave the manifest as it is');
    await person.decide('deny', 'package.json');

    // the three rules hold, each as far as was said
    await person.says('Changed: src/price.ts');
    await person.run('idle');
    expect(await person.tool('run', 'ok').nth(2).innerText()).toContain('exit 0');
    expect(text('src/price.ts')).toContain('Math.round');
    expect(text('src/receipt.ts')).toContain('count >= MANY');
    expect(text('package.json')).toBe(till['package.json']);
    expect(await editor.page.locator('.tab.dirty').count()).toBe(0);
    const results = (request: number) => told(server, request).filter(({ role }) => role === 'tool');
    expect(results(2).map((result) => result.text)).toEqual([
      expect.stringContaining('src/'),
      expect.stringContaining('30.00 EUR'),
      expect.stringContaining('receipt.ts'),
      expect.stringContaining('price.ts'),
    ]);
    expect(results(4).map((result) => result.text)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('Leave the manifest as it is'),
        expect.stringMatching(/changed.*before it ran|person.*changed/is),
      ]),
    );
    expect(
      results(5)
        .slice(-3)
        .map((result) => result.text),
    ).toEqual([
      expect.stringMatching(/pass 2[^]*Exit code 0/),
      expect.stringContaining('till.spec.ts'),
      expect.stringContaining('receipt.ts'),
    ]);
    const log = onlyLog(editor.storage());
    expect(
      ofType(log, 'approval_decision')
        .map(({ decision, scope }) => `${String(decision)} ${String(scope)}`)
        .sort(),
    ).toEqual(['allow always', 'allow once', 'allow once', 'allow session', 'allow workspace', 'deny once']);
    const { 'bough.approval.rules': rules } = JSON.parse(
      readFileSync(path.join(editor.userData, 'Machine/settings.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect(rules).toEqual([
      { tool: 'run', pattern: 'ls *', folder: expect.stringContaining('workspace') as string },
      { tool: 'run', pattern: 'wc *' },
    ]);

    // what changed: just the two files, as Bough lists them and as it shows them
    const changed = ['src/price.ts', 'src/receipt.ts'];
    expect(
      ofType(log, 'files_changed').flatMap(({ changes }) =>
        (changes as { path: string }[]).map((change) => change.path),
      ),
    ).toEqual(changed);
    expect(await person.at('turn-files').innerText()).toContain('Changed 2 files');
    expect(await person.at('turn-files').getAttribute('title')).toBe(changed.join('\n'));
    await person.at('changes-offer').getByText('2 files changed').waitFor();
    expect(await person.at('changes-offer').getByText('2 files changed').getAttribute('title')).toBe(
      changed.join('\n'),
    );
    await editor.screenshot('mended');
    await person.at('changes-review').click();
    await editor.notification('Changed by Bough: src/price.ts, src/receipt.ts.').waitFor();
    const reviewed = editor.page.locator('.multiDiffEntry .title.modified .label-name');
    await eventually(async () => (await reviewed.allInnerTexts()).join() === 'price.ts,receipt.ts', {
      what: 'the editor of all changes has just the two files',
    });
    // neither is shown as one that was renamed
    expect((await editor.page.locator('.multiDiffEntry .title.original').allInnerTexts()).join('')).toBe('');
    await editor.screenshot('reviewed');

    // the state before: where the task began, files and all
    await person.message('user').first().hover();
    await person.at('branch-here').first().click();
    await person.at('files-offer').waitFor();
    await person.at('files-restore').click();
    await editor.notification('Restore 2 files?').getByRole('button', { name: 'Restore 2 Files' }).click();
    await editor.notification('Restored:').waitFor();
    await eventually(() => changed.every((file) => text(file) === till[file]), {
      what: 'both files are as they were',
    });
    expect(text('package.json')).toBe(till['package.json']);
    await person.at('files-offer').waitFor({ state: 'detached' });
    await editor.screenshot('restored');
  }));

const memory = path.join(import.meta.dirname, 'extensions/memory');

test('a folder that lies on no disk is read, searched, edited and put back; that commands cannot run there is said', () =>
  withScriptedModel(
    {
      folder: false,
      extensions: [memory],
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
      await person.at('files-restore').click();
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
