// Scene k, second half: everything without a mouse, in one go.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { quickInput } from './bench/quick-input.js';
import { logsBelow } from './log-on-disk.js';
import { personAt, type Person } from './person.js';
import { withScriptedModel } from './scripted.js';

/** Tabs (or Shift+Tabs) until `wanted` has the focus: what a person without a mouse does. */
async function tabTo(person: Person, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await wanted.waitFor({ state: 'attached' });
  const focused = () =>
    wanted.evaluate(
      (element) => element === document.activeElement || element.contains(document.activeElement),
    );
  for (let presses = 0; presses < 80; presses += 1) {
    if (await focused()) return;
    await person.editor.page.keyboard.press(key);
  }
  throw new Error(`${String(wanted)} cannot be reached with ${key}`);
}

test('prompt, approve, deny, stop, retry now, edit, branches, find, copy, export, import, tool card and sessions by keyboard alone', () =>
  withScriptedModel(
    { files: { 'a.txt': 'old\n' }, settings: { 'bough.retry.initialDelay': 25_000 } },
    async ({ editor, server, person: first }) => {
      const { keyboard } = editor.page;
      const options = quickInput(editor.page).getByRole('option');
      const box = quickInput(editor.page).locator('.quick-input-box input');
      let person = first;
      const file = path.join(editor.workspace, 'a.txt');
      const composerHasFocus = () =>
        person.composer.evaluate((element) => document.hasFocus() && element === document.activeElement);
      /** Where the keyboard is there already the command would take it away for a moment, and a key with it. */
      const focusComposer = async () => {
        if (await composerHasFocus()) return;
        await keyboard.press('ControlOrMeta+Alt+B');
        await eventually(composerHasFocus, { what: 'the composer has the focus' });
      };
      /** A key that is pressed just after the focus moved can get lost: a person looks what stands there, and types again. */
      const typeIntoList = (text: string) =>
        eventually(
          async () => {
            await keyboard.press('ControlOrMeta+A');
            await keyboard.type(text);
            return (await box.inputValue({ timeout: 2_000 })) === text;
          },
          { what: `the list has "${text}" in its box`, interval: 250 },
        );
      const type = async (text: string) => {
        await focusComposer();
        await keyboard.type(text);
        await keyboard.press('Enter');
        await eventually(async () => (await person.composer.inputValue()) === '', {
          what: 'the prompt is sent',
        });
      };
      const press = async (target: Locator, key: 'Tab' | 'Shift+Tab' = 'Shift+Tab') => {
        await focusComposer();
        await tabTo(person, target, key);
        await keyboard.press('Enter');
      };
      /** From the menu of the session. */
      const choose = async (label: string) => {
        await press(person.at('session-menu'));
        const entry = person.chat.getByRole('menuitem', { name: label });
        await entry.waitFor();
        await eventually(
          async () => {
            await keyboard.press('ArrowDown');
            return entry.evaluate((element) => element === document.activeElement);
          },
          { what: `"${label}" has the focus`, interval: 50 },
        );
        await keyboard.press('Enter');
      };
      /** The card lies inert for its first half second: a key that comes too early does nothing and is pressed again. */
      const decide = (what: 'approve' | 'deny') => {
        const pending = person.approval();
        const decided = async () => (await pending.count()) === 0;
        return eventually(
          async () => {
            if (await decided()) return true;
            await press(pending.locator(`[data-testid="${what}"]`));
            return eventually(decided, { timeout: 2_000, what: `the card takes "${what}"` });
          },
          { what },
        );
      };

      // prompt and approve
      server.enqueue(
        reply.calls([{ name: 'write', args: { path: 'a.txt', content: 'new\n' } }]),
        reply.text('Written.'),
      );
      await type('Write it');
      await person.approval().waitFor();
      await decide('approve');
      await person.says('Written.');
      expect(readFileSync(file, 'utf8')).toBe('new\n');
      await person.run('idle');

      // a tool card
      const card = person.tool('write').first();
      await press(card.locator('[data-testid="tool-toggle"]'));
      expect(await card.locator('[data-testid="tool-toggle"]').getAttribute('aria-expanded')).toBe('true');

      // deny
      server.enqueue(
        reply.calls([{ name: 'write', args: { path: 'a.txt', content: 'newer\n' } }]),
        reply.text('Not written.'),
      );
      await type('Write more');
      await person.approval().waitFor();
      await decide('deny');
      await person.says('Not written.');
      expect(readFileSync(file, 'utf8')).toBe('new\n');
      await person.run('idle');

      // stop
      const held = reply.hold(['Endless ', 'text']);
      server.enqueue(held);
      await type('Go on for ever');
      await held.reached;
      await person.chat.getByText('Endless text').waitFor();
      await focusComposer();
      // Where there are words it deletes one; only then it stops.
      const holds = (text: string) =>
        eventually(async () => (await person.composer.inputValue()) === text, { what: `it holds "${text}"` });
      await keyboard.type('two words');
      await keyboard.press('ControlOrMeta+Backspace');
      await holds('two ');
      await keyboard.press('ControlOrMeta+Backspace');
      await holds('');
      await person.run('running');
      await keyboard.press('ControlOrMeta+Backspace');
      await person.incomplete('stopped').waitFor();
      await person.run('idle');

      // retry now
      server.enqueue(reply.status(503), reply.text('Awake.'));
      await type('Wake up');
      await person.retry('retry').waitFor();
      await press(person.at('retry-now'));
      await person.says('Awake.', 15_000);
      await person.run('idle');

      // edit and send: a sibling; previous and next
      server.enqueue(reply.text('Another line.'));
      await press(person.message('user').last().locator('[data-testid="edit-message"]'));
      await eventually(async () => (await person.composer.inputValue()) === 'Wake up', {
        what: 'the prompt is in the composer',
      });
      await eventually(composerHasFocus, { what: 'the composer has the focus' });
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type('Wake up, please');
      await keyboard.press('Enter');
      await person.says('Another line.');
      await person.run('idle');
      await person.pickerSays(2, 2);
      await press(person.at('branch-prev').last());
      await person.pickerSays(1, 2);
      await person.says('Awake.');
      await press(person.at('branch-next').last());
      await person.pickerSays(2, 2);
      await person.says('Another line.');

      // find
      await focusComposer();
      await keyboard.press('ControlOrMeta+F');
      const find = person.at('find-input');
      await eventually(() => find.evaluate((element) => element === document.activeElement), {
        what: 'the field of find has the focus',
      });
      await keyboard.type('not written');
      await eventually(async () => (await person.at('find-count').innerText()) === '1 of 1', {
        what: 'it is found',
      });
      await keyboard.press('Escape');
      await eventually(composerHasFocus, { what: 'the composer has the focus again' });

      // try again
      server.enqueue(reply.text('Once more.\n\n```ts\nconst once = 1;\n```'));
      await press(person.message('assistant').last().locator('[data-testid="try-again"]'));
      await person.says('Once more.');
      await person.run('idle');
      await person.pickerSays(2, 2);

      // the buttons of a code block
      await press(person.at('code-copy'));
      await person.chat.getByRole('button', { name: 'Copied' }).waitFor();
      const opened = (text: RegExp) =>
        editor.page.locator('.editor-instance .view-lines:visible').filter({ hasText: text }).waitFor();
      await press(person.at('code-open'));
      await opened(/const.once.=.1;/);
      await press(person.at('code-insert'));
      await opened(/(const.once.=.1;\s*){2}/);
      await press(person.at('code-apply'));
      await editor.page.getByRole('tab', { name: /from the chat/ }).waitFor();
      // Its tab is there before the comparison is, which takes the keyboard, and closes a list that is open then.
      await eventually(
        () => editor.page.evaluate(() => document.activeElement?.closest('.monaco-diff-editor') != null),
        { what: 'the comparison has the focus' },
      );

      // export
      await editor.runCommand('Bough: Export Session…');
      await options.first().waitFor();
      await typeIntoList('JSONL');
      await eventually(async () => (await options.count()) === 1, { what: 'one format is left' });
      await keyboard.press('Enter');
      await eventually(async () => /\/\w.*\./.test(await box.inputValue()), {
        what: 'the dialog proposes a name',
      });
      // The dialog puts folders into its field for some moments more: what is typed has to stand there alone.
      const typePath = (file: string, isDone: () => boolean, what: string) =>
        eventually(
          async () => {
            if (isDone()) return true;
            if (!(await box.isVisible())) return false;
            await keyboard.press('ControlOrMeta+A');
            await keyboard.type(file);
            if ((await box.inputValue({ timeout: 2_000 })) !== file) return false;
            await keyboard.press('Enter');
            await box.waitFor({ state: 'hidden', timeout: 5_000 });
            return isDone();
          },
          { what },
        );
      const talk = path.join(editor.workspace, 'talk.jsonl');
      await typePath(talk, () => existsSync(talk), 'the conversation is exported');

      // branch from an earlier answer, and copy it
      const written = person.message('assistant').filter({ hasText: /^\s*Written\./ });
      await press(written.locator('[data-testid="branch-here"]'));
      await eventually(async () => (await person.chat.getByText('Once more.').count()) === 0, {
        what: 'the line ends at the earlier answer',
      });
      await eventually(composerHasFocus, { what: 'the composer has the focus' });
      await press(written.getByRole('button', { name: 'Copy message' }));
      await written.getByRole('button', { name: 'Copied' }).waitFor();

      // sessions
      await editor.runCommand('Bough: New Session');
      person = await personAt(editor);
      await eventually(async () => (await person.at('message').count()) === 0, { what: 'an empty chat' });
      await editor.runCommand('Bough: Switch Session…');
      await options.filter({ hasText: 'Write it' }).waitFor();
      await typeIntoList('Write it');
      await options.filter({ hasText: 'Write it' }).waitFor();
      await keyboard.press('Enter');
      person = await personAt(editor);
      await person.says('Written.');

      // import what was exported, from the menu of the session
      await choose('Import Session…');
      await eventually(async () => /\/\w/.test(await box.inputValue()), {
        what: 'the dialog shows a folder',
      });
      await typePath(talk, () => logsBelow(editor.storage()).length === 2, 'a session of its own');
      person = await personAt(editor);
      await person.says('Once more.');

      // and look for sessions by what was said in them
      await choose('Search Sessions…');
      await quickInput(editor.page).getByText('Filter Sessions').waitFor();
      await typeIntoList('no such words');
      await keyboard.press('Enter');
      await editor.row('None', 'Show All');
      await editor.screenshot('end');
    },
  ));
