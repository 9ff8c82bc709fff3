// Files follow branches when the person says so: two lines change the same file and the same to-do list, each keeps its
// own; what was changed by hand in between is asked about; what was done is told and taken back.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { reloaded } from './person.js';
import { withScriptedModel } from './scripted.js';

const write = (file: string, content: string) => ({ name: 'write', args: { path: file, content } });
const writes = (file: string, content: string) => reply.calls([write(file, content)]);
const todo = (title: string) => ({ name: 'todo', args: { items: [{ title, status: 'in_progress' }] } });

test('H8 H9: two lines change one file: each keeps its own, files follow on request, a change by hand is never lost silently', () =>
  withScriptedModel(
    { files: { 'plan.md': 'base\n' }, settings: { 'bough.turn.maxContinuations': 0 } },
    async ({ editor, server, person: first }) => {
      let person = first;
      const plan = path.join(editor.workspace, 'plan.md');
      const extra = path.join(editor.workspace, 'notes/extra.md');
      const text = () => readFileSync(plan, 'utf8');
      const has = (wanted: string) =>
        eventually(() => existsSync(plan) && text() === wanted, { what: `plan.md says ${wanted}` });
      const offered = person.at('files-offer');
      /** By the button in the title of the preview, which stays when VS Code puts the notification away. */
      const press = (name: string) =>
        editor.page.locator('.editor-actions').getByRole('button', { name }).click();
      const restore = () => press('Restore Files');
      const isCovered = async () => (await editor.page.locator('.quick-input-widget:visible').count()) > 0;

      await person.setMode('Accept edits', 'accept_edits');
      server.enqueue(
        reply.text('Ready.'),
        reply.calls([todo('Book the train'), write('plan.md', 'by train\n')]),
        writes('notes/extra.md', 'tickets\n'),
        reply.text('The train it is.'),
        reply.calls([todo('Rent the car'), write('plan.md', 'by car\n')]),
        reply.text('The car it is.'),
      );
      await person.ask('Plan a trip', 'Ready.');
      await person.ask('Take the train', 'The train it is.');
      await person.editTo('Take the train', 'Take the car', 'The car it is.');
      await has('by car\n');
      const list = (title: string) => person.at('todos').getByText(title).waitFor();
      await list('Rent the car');

      // the conversation alone is the way that needs nothing
      await person.at('branch-prev').first().click();
      await person.says('The train it is.');
      await offered.waitFor();
      await list('Book the train');
      expect(await offered.innerText()).toContain('One file is not as this branch left it.');
      expect(text()).toBe('by car\n');
      await editor.screenshot('offered');

      // files follow: what would be written is shown first
      await person.at('files-restore').click();
      const preview = editor.page.locator('.multiDiffEditor');
      await preview.getByText('by train').waitFor();
      const question = editor.notification(
        'Restore 1 file? plan.md. The editor shows what would be written.',
      );
      await question.waitFor();
      // nothing covers it while it is asked about
      expect(await isCovered()).toBe(false);
      expect(text()).toBe('by car\n');
      await editor.screenshot('preview');
      await question.getByRole('button', { name: 'Keep Files as They Are' }).click();
      await preview.waitFor({ state: 'detached' });
      expect(text()).toBe('by car\n');
      await person.at('files-restore').click();
      await preview.getByText('by train').waitFor();
      await question.getByRole('button', { name: 'Restore 1 File' }).click();
      await has('by train\n');
      await preview.waitFor({ state: 'detached' });
      await editor.notification('Restored: plan.md.').waitFor();
      await offered.waitFor({ state: 'detached' });
      expect(readFileSync(extra, 'utf8')).toBe('tickets\n');
      await editor.screenshot('restored');

      // and that is taken back by one action
      await editor.notification('Restored: plan.md.').getByRole('button', { name: 'Undo' }).click();
      await has('by car\n');
      // written down once the file is back
      await eventually(
        () =>
          ofType(onlyLog(editor.storage()), 'files_changed').filter(({ restored }) => restored === true)
            .length === 2,
        { what: 'both are written down' },
      );

      // a change by hand in between is asked about, and kept
      person = await reloaded(editor);
      writeFileSync(plan, 'by hand\n');
      await list('Book the train');
      await person.at('branch-next').first().click();
      await person.says('The car it is.');
      await list('Rent the car');
      await person.at('branch-prev').first().click();
      await person.says('The train it is.');
      await person.at('files-offer').filter({ hasText: '1 changed since: you are asked first.' }).waitFor();
      await person.at('files-restore').click();
      await editor.notification('Restore 1 file? plan.md (you are asked: it was changed since).').waitFor();
      // what was seen is not what would be written now: it is shown anew
      writeFileSync(plan, 'by hand at last\n');
      await restore();
      await editor.notification('It has become otherwise since you were asked. Restore 1 file?').waitFor();
      await restore();
      const changed = editor.notification(
        'plan.md was changed since: it is not what this session left there.',
      );
      await changed.waitFor();
      await preview.getByText('by hand at last').waitFor();
      await preview.getByText('by train').waitFor();
      expect(await isCovered()).toBe(false);
      expect(text()).toBe('by hand at last\n');
      await editor.screenshot('asked');
      await changed.getByRole('button', { name: 'Keep Mine' }).click();
      await editor.notification('Kept as they are: plan.md.').waitFor();
      await preview.waitFor({ state: 'detached' });
      expect(text()).toBe('by hand at last\n');

      // left unanswered: nothing is written, and an answer that comes later is none
      await person.at('files-restore').click();
      await restore();
      await changed.waitFor();
      await editor.runCommand('View: Close All Editors');
      await editor.notification('Nothing was restored: the question about plan.md was left.').waitFor();
      await changed.getByRole('button', { name: 'Overwrite' }).click();
      await editor.notification('plan.md is not asked about any more.').waitFor();
      expect(text()).toBe('by hand at last\n');

      // overwritten only when that is said, here by the button that stays, and brought back
      await person.at('files-restore').click();
      await restore();
      await changed.waitFor();
      await press('Overwrite');
      await has('by train\n');
      await preview.waitFor({ state: 'detached' });
      await editor.notification('Restored: plan.md.').getByRole('button', { name: 'Undo' }).click();
      await has('by hand at last\n');

      // to before both: what was created goes, what was changed is as it was; the text by hand is still asked about
      const before = person.message('user').filter({ hasText: 'Plan a trip' });
      await before.hover();
      await person.at('branch-here').first().click();
      await person.at('files-offer').waitFor();
      await person.at('files-restore').click();
      await editor.notification('Restore 2 files?').filter({ hasText: 'notes/extra.md (removed)' }).waitFor();
      await restore();
      await changed.waitFor();
      await press('Overwrite');
      await editor.notification('Restored:').filter({ hasText: 'notes/extra.md (removed)' }).waitFor();
      await has('base\n');
      expect(existsSync(extra)).toBe(false);
      expect(existsSync(path.join(editor.workspace, '.git'))).toBe(false);
    },
  ));
