// Code blocks of an answer: copied, put at the cursor, compared with their file and taken or not, opened. Nothing by itself.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { withScriptedModel } from './scripted.js';

const answer = [
  'Change this file:',
  '```ts src/greet.ts',
  'export const greet = () => "Hello, dear";',
  '```',
  'and add this one:',
  '```ts src/new.ts',
  'export const fresh = 1;',
  '```',
  'or just this:',
  '```python',
  'print("inserted")',
  '```',
].join('\n');

test('a code block is inserted, applied after a look, discarded and opened; what was applied can be undone', () =>
  withScriptedModel(
    { files: { 'src/greet.ts': 'export const greet = () => "Hello";\n', 'b.py': '# here\n' } },
    async ({ editor, server, person }) => {
      const { page } = editor;
      const file = (name: string) => path.join(editor.workspace, name);
      const read = (name: string) => readFileSync(file(name), 'utf8');
      const block = (index: number) => person.chat.getByRole('group', { name: 'Code actions' }).nth(index);
      const press = async (index: number, testid: string) => {
        const button = block(index).locator(`[data-testid="${testid}"]`);
        await button.focus();
        await button.press('Enter');
      };
      const lines = (text: string) =>
        page.locator('.editor-instance .view-lines:visible').filter({ hasText: text }).first();
      server.enqueue(reply.text(answer));
      await person.send('Make it friendlier');
      await person.says('or just this');
      await person.run('idle');
      expect(read('src/greet.ts')).toBe('export const greet = () => "Hello";\n');

      // Compared; not taken.
      await press(0, 'code-apply');
      await page.getByRole('tab', { name: /greet\.ts \(from the chat\)/ }).waitFor();
      await lines('Hello, dear').waitFor();
      await editor.screenshot('compared');
      await page.locator('.editor-actions').getByRole('button', { name: 'Discard Change' }).first().click();
      await page.getByRole('tab', { name: /from the chat/ }).waitFor({ state: 'detached' });
      expect(read('src/greet.ts')).toBe('export const greet = () => "Hello";\n');

      // Compared and taken; undone.
      await press(0, 'code-apply');
      await lines('Hello, dear').waitFor();
      await page.locator('.editor-actions').getByRole('button', { name: 'Apply Change' }).first().click();
      await eventually(() => read('src/greet.ts') === 'export const greet = () => "Hello, dear";\n', {
        what: 'the change is in the file',
      });
      await page.getByRole('tab', { name: /from the chat/ }).waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: /^greet\.ts/ }).waitFor();
      await lines('Hello, dear').click();
      await page.keyboard.press('ControlOrMeta+Z');
      await lines('"Hello"').waitFor();

      // A file that is not there yet, by the button of the message.
      await press(1, 'code-apply');
      await page.getByRole('tab', { name: /new\.ts \(new, from the chat\)/ }).waitFor();
      expect(existsSync(file('src/new.ts'))).toBe(false);
      await editor
        .notification('Apply this change to src/new.ts?')
        .getByRole('button', { name: 'Apply', exact: true })
        .click();
      await eventually(() => existsSync(file('src/new.ts')), { what: 'the new file is there' });
      expect(read('src/new.ts')).toBe('export const fresh = 1;\n');

      // At the cursor of the editor in front.
      await lines('fresh').click();
      await page.keyboard.press('ControlOrMeta+End');
      await press(2, 'code-insert');
      await lines('print("inserted")').waitFor();

      // In an editor of its own, in its language.
      await press(2, 'code-open');
      await page.getByRole('tab', { name: /Untitled-1/ }).waitFor();
      await page.locator('.part.statusbar').getByRole('button', { name: 'Python' }).waitFor();
      await editor.screenshot('opened');
    },
  ));
