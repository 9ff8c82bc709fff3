// Format on save: what Bough changes is formatted by the editor's own formatter, told as it stands then, and undone there.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { openFile } from './bench/quick-input.js';
import { ofType, onlyLog } from './log-on-disk.js';
import { told, withScriptedModel } from './scripted.js';

const before = '{\n  "name": "till",\n  "private": true\n}\n';
const formatted = '{\n  "name": "till",\n  "private": false,\n  "files": [\n    "a",\n    "b"\n  ]\n}';

test("an edit and a new file are told as VS Code's formatter left them, and Ctrl+Z takes the edit back", () =>
  withScriptedModel(
    {
      files: { 'open.json': before, 'closed.json': before },
      settings: { 'editor.formatOnSave': true, 'files.autoSave': 'off' },
    },
    async ({ editor, server, person }) => {
      const text = (name: string) => readFileSync(path.join(editor.workspace, name), 'utf8');
      const edit = (name: string) => ({
        name: 'edit',
        args: {
          path: name,
          edits: [
            { old_text: '  "private": true\n', new_text: '      "private":false,"files":   ["a",  "b"]\n' },
          ],
        },
      });
      await openFile(editor.page, 'open.json');
      await person.setMode('Accept edits', 'accept_edits');
      server.enqueue(
        reply.calls([
          edit('open.json'),
          edit('closed.json'),
          { name: 'write', args: { path: 'new.json', content: '{"a":1,\n"b":2}\n' } },
          { name: 'read', args: { path: 'open.json' } },
        ]),
        reply.text('Done.'),
      );
      await person.ask('Open it up', 'Done.');
      const results = told(server, 2).flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
      const [opened = '', closed, created, read] = results;
      for (const [name, result] of [
        ['open.json', opened],
        ['closed.json', closed],
      ])
        expect(result).toBe(
          `Changed ${name} (+5 −1).\nSaving changed the text further (format on save). It stands as follows.\nLines 1–8 now:\n${formatted}`,
        );
      expect(created).toMatch(/^Created new\.json [^]*format on save[^]*\{\n +"a": 1,\n +"b": 2\n\}$/);
      expect(read).toBe(formatted);
      expect(text('open.json').trimEnd()).toBe(formatted);
      expect(text('closed.json').trimEnd()).toBe(formatted);
      // As they lie on disk: what is put back and reviewed later goes by that.
      const after = new Map(
        ofType(onlyLog(editor.storage()), 'files_changed')
          .flatMap(({ changes }) => changes as { path: string; after: string }[])
          .map((change) => [change.path, change.after]),
      );
      for (const name of ['open.json', 'closed.json', 'new.json'])
        expect(after.get(name), name).toBe(createHash('sha256').update(text(name)).digest('hex'));
      await editor.screenshot('formatted');

      // The formatter's step, then Bough's.
      const lines = editor.page.locator('.editor-instance .view-lines');
      const shows = async () => (await lines.innerText()).replaceAll('\u00A0', ' ').trimEnd();
      await lines.click();
      await eventually(
        async () => {
          if ((await shows()) !== before.trimEnd()) await editor.page.keyboard.press('ControlOrMeta+Z');
          return (await shows()) === before.trimEnd();
        },
        { what: 'Undo takes the edit back' },
      );
      await editor.page.keyboard.press('ControlOrMeta+S');
      await eventually(() => text('open.json').trimEnd() === before.trimEnd(), {
        what: 'the old text is on disk',
      });
    },
  ));
