// Bough in VS Code's own Chat view: the answer streams there, the session is Bough's, cards are answered in Bough.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import type { Editor } from './bench/index.js';
import { versionUnderTest } from './bench/target.js';
import { caller, run } from './caller.js';
import { logsBelow, ofType, onlyLog } from './log-on-disk.js';
import { type Person, personAt } from './person.js';
import { told, withScriptedModel } from './scripted.js';

/** The server of the oldest supported VS Code has no view for a chat without the extension that brings its own models. */
const hasNoChat = versionUnderTest() === '1.104';
const noChat = 'VS Code 1.104 shows no Chat view here';

const model = fileURLToPath(new URL('extensions/model', import.meta.url));

/** VS Code's Chat view. */
class Chat {
  readonly view: Locator;

  constructor(readonly editor: Editor) {
    this.view = editor.page.locator('.part.auxiliarybar .interactive-session');
  }

  async open(): Promise<void> {
    await run(this.editor, 'workbench.action.chat.open');
    await this.view.locator('.interactive-input-part').waitFor();
  }

  /** VS Code learns of an extension's models when somebody asks for them, as the model picker does. */
  async begin(person: Person): Promise<void> {
    const { page } = this.editor;
    await person.at('model-picker').click();
    await page.locator('.quick-input-widget .monaco-list-row').filter({ hasText: 'Parrot' }).waitFor();
    await page.keyboard.press('Escape');
    await this.open();
    await this.hasModel();
  }

  /** VS Code hands no prompt to anybody while it knows of no model to name with it. */
  async hasModel(): Promise<void> {
    await this.view.locator('.interactive-input-part').getByText('Parrot').waitFor();
  }

  /** The view keeps the name of who answered last in front of the next prompt. */
  async send(text: string): Promise<void> {
    await this.view.locator('.interactive-input-part .monaco-editor').first().click();
    await this.editor.page.keyboard.type(text);
    await this.editor.page.keyboard.press('Enter');
  }

  async stop(): Promise<void> {
    await this.view
      .locator('.interactive-input-part')
      .getByRole('button', { name: /^(Stop|Cancel)/ })
      .click();
  }

  answer(text: string | RegExp): Locator {
    return this.view.locator('.interactive-response').filter({ hasText: text });
  }
}

test('a chat of VS Code’s own view is a session of Bough: it streams, goes on, waits, stops and fails there', ({
  skip,
}) => {
  skip(hasNoChat, noChat);
  return withScriptedModel({ extensions: [caller, model] }, async ({ editor, server, person: first }) => {
    let person = first;
    let chat = new Chat(editor);
    const asked: string[] = [];
    editor.page.on('request', (request) => asked.push(request.url()));
    await chat.begin(person);

    // What a model writes is text: no command, no picture that is fetched.
    const picture = `${server.url}/oak.png`;
    server.enqueue(
      reply.text(`Oaks are **trees**. [Press](command:bough.session.new) ![oak](${picture}) So.`),
    );
    await chat.send('@bough What are oaks?');
    await chat.answer('So.').locator('strong', { hasText: 'trees' }).waitFor();
    const answer = chat.answer('So.');
    expect(await answer.locator('[data-href*="session.new"], [href*="session.new"]').count()).toBe(0);
    expect(await answer.locator('img[src*="oak.png"]').count()).toBe(0);
    expect(asked.filter((url) => url.includes('oak.png'))).toEqual([]);
    await editor.row('What are oaks?');
    await editor.screenshot('answered');

    // The same chat is the same session.
    server.enqueue(reply.text('Elms are too.'));
    await chat.send('And elms?');
    await chat.answer('Elms are too.').waitFor();
    expect(told(server, 2).map(({ text }) => text)).toContain('What are oaks?');
    const { header } = onlyLog(editor.storage());
    expect(header['id']).toMatch(/^chat:.+:t:[0-9a-f]{16}$/);
    expect(ofType(onlyLog(editor.storage()), 'turn_start')).toMatchObject([
      { delivery: header['id'] },
      { delivery: header['id'] },
    ]);

    // What waits is answered in Bough, and goes on there.
    server.enqueue(
      reply.calls([{ name: 'write', args: { path: 'oak.txt', content: 'An oak\n' } }]),
      reply.text('Written down.'),
    );
    await chat.send('Write it down');
    await chat.answer('Waits for you: Create oak.txt').getByRole('button', { name: 'Open in Bough' }).click();
    person = await personAt(editor);
    await editor.screenshot('waits');
    await person.decide('approve', 'oak.txt');
    await chat.answer('Written down.').waitFor();
    await person.says('Written down.');
    expect(readFileSync(path.join(editor.workspace, 'oak.txt'), 'utf8')).toBe('An oak\n');

    // Stopped there, it is stopped.
    const half = reply.hold(['Pines are ']);
    server.enqueue(half);
    await chat.send('And pines?');
    await half.reached;
    await chat.answer('Pines are').waitFor();
    await chat.stop();
    await person.incomplete('stopped').waitFor();
    await person.run('idle');

    // After a reload it goes on with the same session; what fails is said.
    await editor.reload();
    chat = new Chat(editor);
    await chat.open();
    await chat.answer('Written down.').waitFor();
    server.enqueue(reply.error(401, { message: 'That key is not known.' }));
    await chat.send('And ashes?');
    await chat.answer('wants an API key').waitFor();
    await editor.screenshot('failed-there');
    expect(logsBelow(editor.storage())).toHaveLength(1);
  });
});

test('a chat whose first answer was stopped goes on with the same session', ({ skip }) => {
  skip(hasNoChat, noChat);
  return withScriptedModel({ extensions: [caller, model] }, async ({ editor, server, person }) => {
    const chat = new Chat(editor);
    await chat.begin(person);
    const half = reply.hold(['Pines are ']);
    server.enqueue(half);
    await chat.send('@bough What are pines?');
    await half.reached;
    await chat.answer('Pines are').waitFor();
    await chat.stop();
    await editor.row('What are pines?');
    server.enqueue(reply.text('Elms are trees.'));
    await chat.send('And elms?');
    await chat.answer('Elms are trees.').waitFor();
    const asked = told(server, 2)
      .map(({ text }) => text)
      .join('\n');
    expect(asked).toContain('What are pines?');
    expect(asked).toContain('And elms?');
    expect(logsBelow(editor.storage())).toHaveLength(1);
  });
});
