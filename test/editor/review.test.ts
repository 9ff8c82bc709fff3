// What the agent changes is looked at as any change in VS Code: before it is made, in a diff that takes parts of it; and
// after, all files of the branch beside what they were, kept or undone together.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { told, withScriptedModel } from './scripted.js';

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const before = `${lines.join('\n')}\n`;

test('a proposal is edited in the diff of VS Code, one change of it left out, and just that runs', () =>
  withScriptedModel({ files: { 'a.txt': before } }, async ({ editor, server, person: first }) => {
    let person = first;
    const text = () => readFileSync(path.join(editor.workspace, 'a.txt'), 'utf8');
    const two = [
      { old_text: 'line 3\n', new_text: 'line three\n' },
      { old_text: 'line 30\n', new_text: 'line thirty\n' },
    ];
    server.enqueue(reply.calls([{ name: 'edit', args: { path: 'a.txt', edits: two } }]), reply.text('Done.'));
    await person.send('Write out the threes');
    await person.approval().waitFor();
    const openDiff = person.chat.getByRole('button', { name: /^Open diff/ });
    await openDiff.click();
    const diff = editor.page.locator('.monaco-diff-editor');
    await diff.waitFor();
    await editor.screenshot('diff');

    // The arrow of the second change puts it back; the card shows what is left.
    const changes = diff.locator('.gutterItem');
    await eventually(async () => (await changes.count()) === 2, { what: 'an arrow beside each change' });
    const card = person.approval();
    await eventually(
      async () => {
        await changes.nth(1).hover({ timeout: 1_000 });
        await changes.nth(1).locator('.action-label').click({ timeout: 1_000 });
        return true;
      },
      { what: 'the arrow takes a click' },
    );
    await card.getByText('Changed in the diff').waitFor();
    await eventually(async () => !(await card.innerText()).includes('line thirty'), {
      what: 'the card is without the second change',
    });
    expect(await card.innerText()).toContain('line three');
    expect(text()).toBe(before);

    // What was typed there counts too, and is still there after a reload.
    await diff.locator('.editor.modified .view-line').filter({ hasText: 'line three' }).click();
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.type('!');
    await card.getByText('line three!').waitFor();
    await editor.screenshot('left-out');
    person = await reloaded(editor);
    await person.approval().getByText('line three!').waitFor();
    expect(await person.approval().innerText()).toContain('Changed in the diff');
    await person.decide('approve');
    await person.says('Done.');
    await person.run('idle');
    expect(text()).toBe(before.replace('line 3\n', 'line three!\n'));
    expect(ofType(onlyLog(editor.storage()), 'approval_decision')[0]).toMatchObject({
      decision: 'allow',
      edited_input: { edits: [{ new_text: expect.stringContaining('line three!') as string }] },
    });
    expect(told(server, 2).at(-1)?.text).toContain('The person changed the input before it ran');
    await eventually(async () => (await diff.count()) === 0, { what: 'the diff of a decided call closes' });
  }));

test('a proposal is approved as it stands in its diff, or denied, from the title of that diff', () =>
  withScriptedModel({ files: { 'a.txt': before } }, async ({ editor, server, person }) => {
    const { page } = editor;
    const text = () => readFileSync(path.join(editor.workspace, 'a.txt'), 'utf8');
    const edit = (old_text: string, new_text: string) =>
      reply.calls([{ name: 'edit', args: { path: 'a.txt', edits: [{ old_text, new_text }] } }]);
    const openDiff = person.chat.getByRole('button', { name: /^Open diff/ });
    const diff = page.locator('.monaco-diff-editor');
    const title = (name: string) =>
      page.locator('.editor-actions').getByRole('button', { name, exact: true });

    server.enqueue(edit('line 3\n', 'line three\n'), edit('line 4\n', 'line four\n'), reply.text('Done.'));
    await person.send('Write out three and four');
    await person.approval().waitFor();
    await openDiff.click();
    await diff.waitFor();
    await diff.locator('.editor.modified .view-line').filter({ hasText: 'line three' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await editor.screenshot('title');
    await title('Approve').click();
    await eventually(() => text() === before.replace('line 3\n', 'line three!\n'), {
      what: 'what stood in the diff is written',
    });
    await eventually(async () => (await diff.count()) === 0, { what: 'the diff of a decided call closes' });

    await person.approval().filter({ hasText: 'line four' }).waitFor();
    await openDiff.last().click();
    await diff.waitFor();
    await title('Deny').click();
    await person.says('Done.');
    await person.run('idle');
    expect(text()).toBe(before.replace('line 3\n', 'line three!\n'));
    expect(ofType(onlyLog(editor.storage()), 'approval_decision')).toMatchObject([
      { decision: 'allow', edited_input: { path: 'a.txt' } },
      { decision: 'deny' },
    ]);
    await eventually(async () => (await diff.count()) === 0, { what: 'its diff closes too' });
  }));

const writes = (file: string, content: string) => ({ name: 'write', args: { path: file, content } });

test('what a branch changed is reviewed in one editor, marked in open files, undone and kept together', () =>
  withScriptedModel(
    { files: { 'a.txt': before, 'b.txt': 'b\n' } },
    async ({ editor, server, person: first }) => {
      let person = first;
      const text = (name: string) => readFileSync(path.join(editor.workspace, name), 'utf8');
      const offer = () => person.at('changes-offer');
      const changed = before.replace('line 2\n', 'line two\n');
      await person.setMode('Accept edits', 'accept_edits');
      server.enqueue(
        reply.calls([writes('a.txt', changed), writes('b.txt', 'by Bough\n'), writes('new.txt', 'new\n')]),
        reply.text('Changed three.'),
      );
      await person.ask('Change them', 'Changed three.');
      await offer().waitFor();
      expect(await offer().innerText()).toContain('3 files changed');
      expect(await person.at('turn-files').innerText()).toContain('Changed 3 files');
      await editor.screenshot('offer');
      await person.at('turn-review').click();
      await editor.page.locator('.multiDiffEditor').waitFor();
      await editor.runCommand('View: Close All Editors');

      // All in one editor of VS Code's own; what somebody changed since is named.
      writeFileSync(path.join(editor.workspace, 'b.txt'), 'by hand\n');
      await person.at('changes-review').click();
      await editor.page.locator('.multiDiffEditor').waitFor();
      const said = editor.notification('Changed by Bough: a.txt, b.txt, new.txt.');
      await said.waitFor();
      expect(await said.innerText()).toContain('Changed since, shown as Bough left it: b.txt.');
      await editor.screenshot('review');

      // Undone together, except what is another's; and that is taken back.
      await said.getByRole('button', { name: 'Undo All…' }).click();
      await editor.page
        .locator('.monaco-dialog-box')
        .getByText('Undo what Bough changed in 3 files?')
        .waitFor();
      await editor.screenshot('undo-all');
      await editor.confirm('Undo 3 Files');
      await editor.notification('b.txt was changed since').getByRole('button', { name: 'Keep Mine' }).click();
      await eventually(
        () => text('a.txt') === before && !existsSync(path.join(editor.workspace, 'new.txt')),
        {
          what: 'the files are as they were',
        },
      );
      expect(text('b.txt')).toBe('by hand\n');
      await editor.notification('Restored:').getByRole('button', { name: 'Undo' }).click();
      await eventually(() => text('a.txt') === changed, { what: 'the change is back' });

      // Marked beside the lines; keeping takes the marks and the offer away, also after a reload.
      await person.tool('write', 'ok').first().getByText('a.txt', { exact: true }).click();
      await person.chat.getByRole('button', { name: 'Open a.txt' }).click();
      const mark = editor.page.locator('.editor-instance .cdr[class*="ced-"]');
      await mark.first().waitFor();
      await editor.screenshot('marked');
      person = await reloaded(editor);
      await person.at('changes-keep').click();
      await eventually(async () => (await offer().count()) === 0, {
        what: 'nothing is left to look through',
      });
      await eventually(async () => (await mark.count()) === 0, { what: 'the marks go' });
      expect(text('a.txt')).toBe(changed);
      person = await reloaded(editor);
      await person.says('Changed three.');
      expect(await offer().count()).toBe(0);

      // Several that wait are taken at once, or none of them.
      await person.setMode('Ask', 'ask');
      const three = (words: string) => ['x.txt', 'y.txt', 'z.txt'].map((name) => writes(name, words));
      const all = async (what: 'approve-all' | 'deny-all') => {
        await person.approval().nth(2).waitFor();
        await eventually(
          async () => {
            if ((await person.approval().count()) === 0) return true;
            await person.at(what).click({ timeout: 1_000 });
            return false;
          },
          { what: `the cards take "${what}"` },
        );
      };
      server.enqueue(reply.calls(three('no\n')), reply.text('Then not.'));
      await person.send('Write three');
      await all('deny-all');
      await person.says('Then not.');
      await person.run('idle');
      expect(existsSync(path.join(editor.workspace, 'x.txt'))).toBe(false);
      server.enqueue(reply.calls(three('yes\n')), reply.text('All three.'));
      await person.send('Write them after all');
      await all('approve-all');
      await person.says('All three.');
      await person.run('idle');
      expect(['x.txt', 'y.txt', 'z.txt'].map(text)).toEqual(['yes\n', 'yes\n', 'yes\n']);
    },
  ));
