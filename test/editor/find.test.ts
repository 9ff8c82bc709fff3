// Find in the conversation: the whole line, also what is not mounted, by Ctrl+F in the panel and in a tab.
import { expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { caller, run } from './caller.js';
import { eventually, withEditor } from './bench/index.js';
import { Person, personAt } from './person.js';

/** A log as another program may have left it: a long line with one word far up. */
function longLog(id: string): string {
  const at = '2026-01-01T00:00:00.000Z';
  const lines: object[] = [{ type: 'session', version: 4, id, timestamp: at, title: 'A long talk' }];
  let parent: string | null = null;
  for (let index = 0; index < 900; index++) {
    const entry = index.toString(16).padStart(16, '0');
    const text = index === 4 ? 'A needle far up' : `Message ${index}`;
    lines.push({
      ...{ type: 'message', id: entry, parent_id: parent, timestamp: at },
      ...{ role: index % 2 === 0 ? 'user' : 'assistant', parts: [{ type: 'text', text }] },
    });
    parent = entry;
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function findsFarUp(person: Person): Promise<void> {
  const { page } = person.editor;
  await person.composer.click();
  await page.keyboard.press('ControlOrMeta+F');
  const field = person.at('find-input');
  await eventually(() => field.evaluate((element) => element === document.activeElement), {
    what: 'the field has the focus',
  });
  await field.fill('needle');
  await eventually(async () => (await person.at('find-count').innerText()) === '1 of 1', {
    what: 'it is found',
  });
  await person.chat.getByText('A needle far up').waitFor();
  // Not VS Code's own find, which sees only what is mounted.
  expect(await page.locator('.simple-find-part.visible').count()).toBe(0);
  await page.keyboard.press('Escape');
  await eventually(() => person.composer.evaluate((element) => element === document.activeElement), {
    what: 'the focus is where it was',
  });
}

test('Ctrl+F finds what is far up in a long conversation, in the panel and in a tab', () =>
  withEditor({ extensions: [caller] }, async (editor) => {
    const file = path.join(editor.workspace, 'long.jsonl');
    writeFileSync(file, longLog('long'));
    await editor.openBough();
    await run(editor, 'bough.session.import', file);
    const person = await personAt(editor);
    await person.chat.getByText('Message 899', { exact: true }).waitFor();
    await findsFarUp(person);
    await editor.screenshot('panel');
    await editor.runCommand('Bough: Open Chat in Editor');
    const tab = new Person(editor, await editor.tab());
    await tab.chat.getByText('Message 899', { exact: true }).waitFor();
    await findsFarUp(tab);
  }));
