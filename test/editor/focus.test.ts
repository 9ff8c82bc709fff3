// What VS Code asks for on behalf of the chat takes the keyboard for as long as it is open, and no longer.
import type { Locator } from 'playwright-core';
import { test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { answer, quickInput } from './bench/quick-input.js';
import { withScriptedModel } from './scripted.js';

const hasFocus = (element: Locator) =>
  element.evaluate((one) => document.hasFocus() && one.contains(document.activeElement));

test('the keyboard goes back to the control that a pick list or an input box was opened with', () =>
  withScriptedModel({}, async ({ editor, server, person }) => {
    const { page } = editor;
    server.enqueue(reply.text('Oaks are trees.'));
    await person.ask('What are oaks?', 'Oaks are trees.');
    const box = quickInput(page).locator('.quick-input-box input');
    const isClosed = () => box.waitFor({ state: 'hidden' });

    // Left without an answer, by keyboard alone.
    const picker = person.at('model-picker');
    await picker.focus();
    await page.keyboard.press('Enter');
    await box.waitFor();
    await page.keyboard.press('Escape');
    await isClosed();
    await eventually(() => hasFocus(picker), { what: 'the model picker has the focus again' });

    // Answered: from the menu of the session, to whose button the focus goes back.
    await person.at('session-menu').click();
    await person.chat.getByRole('menuitem', { name: /^Rename/ }).click();
    await box.waitFor();
    await answer(page, 'Trees');
    await isClosed();
    await eventually(async () => (await person.at('session-title').innerText()).includes('Trees'), {
      what: 'the session has its new name',
    });
    await eventually(() => hasFocus(person.at('session-menu')), {
      what: 'the menu button has the focus again',
    });

    // From the composer, by a slash command.
    await person.composer.fill('/session');
    await person.composer.press('Enter');
    await box.waitFor();
    await page.keyboard.press('Escape');
    await isClosed();
    await eventually(() => hasFocus(person.composer), { what: 'the composer has the focus again' });
    await page.keyboard.type('typed at once');
    await eventually(async () => (await person.composer.inputValue()) === 'typed at once', {
      what: 'the keys reach the composer',
    });
  }));
