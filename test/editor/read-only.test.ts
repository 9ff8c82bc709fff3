// Files that the disk keeps as they are: by their mode, by an attribute that not even root passes over, by their folder.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { openFile } from './bench/quick-input.js';
import { told, withScriptedModel } from './scripted.js';

const edit = (file: string) => ({
  name: 'edit',
  args: { path: file, edits: [{ old_text: 'old', new_text: 'new' }] },
});
const write = (file: string) => ({ name: 'write', args: { path: file, content: 'all new\n' } });

/** False where the file system knows no such thing, or we may not. */
function setImmutable(file: string, isOn: boolean): boolean {
  try {
    execFileSync('chattr', [isOn ? '+i' : '-i', file], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a file that is read-only on disk is left as it is, by root too, and it is said which, why and what to do', () =>
  withScriptedModel({ settings: { 'files.autoSave': 'off' } }, async ({ editor, server, person }) => {
    const at = (name: string) => path.join(editor.workspace, name);
    const text = (name: string) => readFileSync(at(name), 'utf8');
    const modes = ['mode.txt', 'open.txt'];
    for (const name of [...modes, 'immutable.txt', 'later.txt']) writeFileSync(at(name), 'old\n');
    for (const name of modes) chmodSync(at(name), 0o444);
    mkdirSync(at('sealed'));
    const sealed = ['immutable.txt', 'sealed'].filter((name) => setImmutable(at(name), true));
    try {
      await openFile(editor.page, 'open.txt');
      await person.setMode('Accept edits', 'accept_edits');
      server.enqueue(
        reply.calls([
          ...modes.map(edit),
          write('mode.txt'),
          edit('later.txt'),
          ...(sealed.length < 2 ? [] : [edit('immutable.txt'), write('sealed/deeper/more.txt')]),
        ]),
        reply.text('Only one of them.'),
      );
      await person.ask('Change them', 'Only one of them.');
      const [first, opened, written, changed, ...others] = told(server, 2).flatMap((message) =>
        message.role === 'tool' ? [message.text] : [],
      );
      const refused = (name: string, why: string) =>
        `${name} is read-only on disk (${why}); nothing was changed. If it is meant to be changed, ask the person to make it writable first.`;
      expect([first, opened, written]).toEqual(
        ['mode.txt', 'open.txt', 'mode.txt'].map((name) => refused(name, 'nobody may write it')),
      );
      expect(changed).toContain('Changed later.txt');
      if (sealed.length === 2) {
        expect(others).toEqual([
          refused('immutable.txt', 'it is locked'),
          expect.stringContaining(
            'sealed/deeper/more.txt cannot be created: its folder is read-only on disk (it is locked)',
          ),
        ]);
        expect(text('immutable.txt')).toBe('old\n');
        expect(existsSync(at('sealed/deeper'))).toBe(false);
      }
      for (const name of modes) expect(text(name)).toBe('old\n');
      expect(await editor.page.locator('.editor-instance .view-lines').innerText()).toBe('old');
      expect(await editor.page.locator('.tab.dirty').count()).toBe(0);
      await editor.screenshot('refused');

      // Made read-only since Bough changed it: not put back either, and that is said.
      chmodSync(at('later.txt'), 0o444);
      await person.at('changes-review').click();
      const said = editor.notification('Changed by Bough: later.txt.');
      await said.getByRole('button', { name: 'Undo All…' }).click();
      await editor.confirm('Undo 1 File');
      await editor.notification('later.txt is read-only').waitFor();
      await editor.screenshot('not-undone');
      expect(text('later.txt')).toBe('new\n');
    } finally {
      for (const name of sealed) setImmutable(at(name), false);
    }
  }));
