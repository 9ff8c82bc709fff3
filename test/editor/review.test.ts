// What the agent changes is looked at as any change in VS Code: before it is made, in a diff that takes parts of it; and
// after, all files of the branch beside what they were, kept or undone together.
import { readFileSync } from 'node:fs';
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
