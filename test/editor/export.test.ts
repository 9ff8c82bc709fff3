// A session taken out of VS Code and in again, by what a person sees: pick list, file dialog, notification.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually, type Editor } from './bench/index.js';
import { caller, run } from './caller.js';
import { logsBelow, onlyLog } from './log-on-disk.js';
import { personAt } from './person.js';
import { withScriptedModel } from './scripted.js';

/** VS Code in a browser asks for a path in an input box. */
async function saveTo(editor: Editor, file: string): Promise<void> {
  const box = editor.page.locator('.quick-input-widget:visible .quick-input-box input');
  await eventually(async () => /\/\w.*\./.test(await box.inputValue()), {
    what: 'the dialog proposes a name',
  });
  expect(await box.inputValue()).not.toContain('sk-test');
  await box.fill(file);
  await editor.page
    .locator('.quick-input-widget:visible')
    .getByRole('button', { name: 'OK', exact: true })
    .click();
}

test('a session is exported as Markdown, HTML and JSONL, without keys, and imported again', () =>
  withScriptedModel(
    { files: { 'a.txt': 'old\n' }, extensions: [caller] },
    async ({ editor, server, person }) => {
      const key = 'sk-test-0123456789abcdefghij';
      server.enqueue(
        reply.calls([{ name: 'read', args: { path: 'a.txt' } }]),
        reply.text('It says **old** <img src=x onerror=alert(1)>.'),
        reply.text('Another line.'),
      );
      await person.send(`What is in a.txt? My key is ${key}`);
      await person.says('It says old');
      await person.run('idle');
      await person.message('user').first().hover();
      await person.at('edit-message').first().click();
      await person.send('What else?');
      await person.says('Another line.');
      await person.run('idle');

      const out = (name: string) => path.join(editor.workspace, name);
      const exported = async (format: 'Markdown' | 'HTML' | 'JSONL', name: string) => {
        await editor.runCommand('Bough: Export Session…');
        await editor.pick(new RegExp(`^${format}`));
        await saveTo(editor, out(name));
        await eventually(() => existsSync(out(name)), { what: `${name} is written` });
        await editor.notification(`Exported to ${name}.`).first().waitFor();
        return readFileSync(out(name), 'utf8');
      };

      const markdown = await exported('Markdown', 'talk.md');
      expect(markdown).toContain('What else?');
      expect(markdown).toContain('Another line.');
      expect(markdown).toContain('one of 2 lines');

      await person.at('branch-prev').last().click();
      await person.pickerSays(1, 2);
      const html = await exported('HTML', 'talk.html');
      expect(html).toContain('It says <strong>old</strong> &#60;img src=x');
      expect(html).not.toMatch(/<script|<img|sk-test/);

      const log = () => onlyLog(editor.storage());
      const jsonl = await exported('JSONL', 'talk.jsonl');
      await editor.notification('Keys were taken out of').first().waitFor();
      expect(jsonl).not.toContain(key);
      expect(jsonl).toContain('Another line.');
      const written = log().bytes.toString('utf8');
      expect(jsonl.split('\n').filter((line) => !line.includes('[redacted]'))).toEqual(
        written.split('\n').filter((line) => !line.includes(key)),
      );

      // In again, as a copy of its own, with a type that no build knows.
      const strange =
        '{"type":"future_x","id":"ffffffffffffffff","parent_id":null,"timestamp":"t","n":1.0}\n';
      writeFileSync(out('from-elsewhere.jsonl'), jsonl + strange);
      const before = log().file;
      await run(editor, 'bough.session.import', out('from-elsewhere.jsonl'));
      const copy = await eventually(() => logsBelow(editor.storage()).find(({ file }) => file !== before), {
        what: 'there is a second session',
      });
      const again = await personAt(editor);
      await again.says('It says old');
      await again.pickerSays(1, 2);
      expect(copy.bytes.toString('utf8')).toContain(strange.trim());
      // It is called as the one that was exported is.
      const title = /^What is in a\.txt/;
      await eventually(
        async () => (await editor.sessionsTree()).filter((row) => title.test(row.title)).length === 2,
        {
          what: 'two sessions of one name',
        },
      );
      await editor.screenshot('imported');
    },
  ));
