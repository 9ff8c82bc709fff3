// @vitest-environment node
// The view in Chromium: what needs real layout, focus, keys and scrolling.
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/shared/failure.js';
import { type ChatPage, chromiumPath, openBrowser, openChat, type PageOptions } from './bench/chat-page.js';
import { idle, Scene } from './bench/scenes.js';
import type { Snapshot } from '../../src/shared/protocol.js';

const refused: Failure = {
  kind: 'storage',
  message: 'The disk is full.',
  transient: false,
  action: 'save-again',
};

function pendingCommand(): Scene {
  const scene = new Scene();
  scene.turn('Clean up', 'turn-1');
  scene.status = { ...idle, run: 'running' };
  return scene;
}

/** Lets a card for `rm -rf build` appear. */
function askForApproval(scene: Scene): ReturnType<Scene['append']> {
  scene.status = { ...idle, run: 'waiting' };
  return scene.append(() => {
    scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'rm -rf build' } }], 'turn-1');
    scene.add({
      type: 'approval_request',
      call_id: 'r1',
      tool: 'run',
      summary: 'Run rm -rf build',
      input_hash: 'x',
      targets: [],
      risk: 'run',
      turn_id: 'turn-1',
    });
  });
}

function longText(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `Line ${index + 1} of a long answer.`).join('\n\n');
}

/** From here on time passes only when the test says so. */
async function stopClock({ page }: ChatPage): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
}

const distanceFromEnd = (transcript: Locator): Promise<number> =>
  transcript.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);

describe.skipIf(chromiumPath === undefined)('the chat view', { timeout: 60_000 }, () => {
  let browser: Browser;
  const opened: ChatPage[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterEach(async () => {
    for (const chat of opened.splice(0)) {
      expect(chat.errors).toEqual([]);
      await chat.page.close();
    }
  });
  afterAll(() => browser.close());

  async function open(
    scene: Scene,
    options: PageOptions & { snapshot?: Partial<Snapshot> } = {},
  ): Promise<ChatPage> {
    const chat = await openChat(browser, scene, options);
    opened.push(chat);
    return chat;
  }

  describe('the composer', () => {
    it('B6: is cleared when the host has the text, and keeps it with the reason when it has not', async () => {
      const scene = new Scene();
      scene.user('Earlier');
      const chat = await open(scene);
      chat.answer = () => ({ failure: refused });
      await chat.composer.fill('Do not lose me');
      await chat.composer.press('Enter');
      await chat.page.getByText('The disk is full.').first().waitFor();
      expect(await chat.composer.inputValue()).toBe('Do not lose me');
      await chat.page.getByRole('button', { name: 'Save Again' }).click();
      await expect.poll(() => chat.commands()).toContainEqual({ type: 'save_again' });
      chat.answer = () => ({ result: null });
      await chat.at('send').click();
      await expect.poll(() => chat.composer.inputValue()).toBe('');
      expect(chat.received.findLast(({ type }) => type === 'intent')).toMatchObject({
        expected_head: scene.fold.head,
      });
      expect(await chat.at('problem').count()).toBe(0);
    });

    it('sends once however long Enter is held, and keeps what is typed until the reply', async () => {
      const chat = await open(new Scene());
      chat.answer = () => 'never';
      await chat.composer.fill('Once');
      await chat.composer.focus();
      await chat.page.keyboard.down('Enter');
      await chat.page.keyboard.down('Enter');
      await chat.page.keyboard.up('Enter');
      await chat.composer.press('End');
      await chat.page.keyboard.type(' and more');
      const sent = chat.received.find((message) => message.type === 'intent');
      expect(chat.intents()).toHaveLength(1);
      await chat.post({ type: 'reply', id: sent?.id ?? -1, ok: true, result: null });
      await expect.poll(() => chat.composer.inputValue()).toBe('and more');
    });

    it('queues on Enter and steers on Ctrl+Enter while a turn runs; Escape never stops it', async () => {
      const scene = pendingCommand();
      const chat = await open(scene);
      await chat.composer.fill('Later');
      await chat.composer.press('Enter');
      await expect.poll(() => chat.composer.inputValue()).toBe('');
      await chat.composer.fill('Now');
      await chat.composer.press('Control+Enter');
      await expect.poll(() => chat.composer.inputValue()).toBe('');
      await chat.composer.press('Escape');
      expect(chat.intents()).toMatchObject([
        { type: 'send', mode: 'queue', text: 'Later' },
        { type: 'send', mode: 'steer', text: 'Now' },
      ]);
      await chat.at('stop').click();
      await expect.poll(() => chat.intents().at(-1)).toEqual({ type: 'stop' });
    });

    it('G10: an Enter of an input method does not send, in both orders of events', async () => {
      const chat = await open(new Scene());
      await chat.composer.fill('にほん');
      await chat.composer.evaluate((field) => {
        const enter = (more: KeyboardEventInit) =>
          field.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }),
          );
        field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        enter({ isComposing: true, keyCode: 229 });
        field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '日本' }));
      });
      await chat.composer.evaluate((field) => {
        const enter = (more: KeyboardEventInit) =>
          field.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }),
          );
        field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '日本' }));
        enter({ keyCode: 229 });
        field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '日本' }));
        enter({ keyCode: 13 });
      });
      expect(chat.intents()).toEqual([]);
      await chat.composer.press('Enter');
      await expect.poll(() => chat.intents()).toHaveLength(1);
    });

    it.each([
      ['5 MB', 'x'.repeat(5_000_000)],
      ['20 000 lines', 'a line of a log\n'.repeat(20_000)],
    ])('G8: a paste of %s becomes an attachment and is sent whole', async (_size, text) => {
      const chat = await open(new Scene());
      await chat.composer.evaluate((field, pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', pasted);
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, text);
      await chat.at('draft-chip').waitFor();
      expect(await chat.composer.inputValue()).toBe('');
      await chat.composer.fill('What went wrong?');
      await chat.at('send').click();
      await expect.poll(() => chat.intents()).toHaveLength(1);
      const [intent] = chat.intents();
      expect(intent?.type === 'send' && intent.mentions[0]?.text === text).toBe(true);
      await expect.poll(() => chat.at('draft-chip').count()).toBe(0);
    });

    it('edits a prompt: its text in the field, Escape brings the draft back, Send names the message', async () => {
      const scene = new Scene();
      const first = scene.user('First question');
      scene.answer('Answer');
      const chat = await open(scene);
      await chat.composer.fill('half a draft');
      await chat.at('message').first().hover();
      await chat.at('edit-message').click();
      expect(await chat.composer.inputValue()).toBe('First question');
      expect(await chat.composer.getAttribute('data-editing')).toBe(first);
      expect(await chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
      await chat.composer.press('Escape');
      expect(await chat.composer.inputValue()).toBe('half a draft');
      expect(await chat.composer.getAttribute('data-editing')).toBeNull();
      await chat.composer.fill('');
      await chat.composer.press('ArrowUp');
      expect(await chat.composer.inputValue()).toBe('First question');
      await chat.at('edit-cancel').click();
      expect(await chat.composer.inputValue()).toBe('');
      await chat.composer.press('ArrowUp');
      await chat.composer.fill('Second question');
      await chat.composer.press('Enter');
      await expect
        .poll(() => chat.intents().at(-1))
        .toMatchObject({ type: 'send', text: 'Second question', editing: first });
      await expect.poll(() => chat.composer.getAttribute('data-editing')).toBeNull();
    });

    it('G11: the draft goes to the host when typing pauses and at once when the focus leaves; each session has its own', async () => {
      const scene = new Scene('one');
      const chat = await open(scene, { snapshot: { draft: { text: 'kept from before', editing: null } } });
      expect(await chat.composer.inputValue()).toBe('kept from before');
      await chat.composer.fill('a new thought');
      await chat.composer.blur();
      const drafts = () => chat.received.filter((message) => message.type === 'draft');
      await expect
        .poll(drafts)
        .toContainEqual({ type: 'draft', session: 'one', text: 'a new thought', editing: null });
      await chat.composer.fill('another');
      await chat.post(new Scene('two').snapshot({ draft: { text: 'draft of two', editing: null } }));
      await expect.poll(() => chat.composer.inputValue()).toBe('draft of two');
      expect(drafts()).toContainEqual({ type: 'draft', session: 'one', text: 'another', editing: null });
      expect(drafts().some((draft) => draft.session === 'two' && draft.text !== 'draft of two')).toBe(false);
    });

    it('suggests files for an @ and sends the one that was taken', async () => {
      const chat = await open(new Scene());
      chat.files = ['src/app.ts', 'src/greet.ts'];
      await chat.composer.focus();
      await chat.page.keyboard.type('Explain @src');
      await chat.page.getByRole('option', { name: 'src/greet.ts' }).waitFor();
      await chat.page.keyboard.press('ArrowDown');
      await chat.page.keyboard.press('Enter');
      expect(await chat.composer.inputValue()).toBe('Explain @src/greet.ts ');
      expect(chat.intents()).toEqual([]);
      await chat.page.keyboard.type('please');
      await chat.page.keyboard.press('Enter');
      await expect
        .poll(() => chat.intents())
        .toMatchObject([
          { text: 'Explain @src/greet.ts please', mentions: [{ kind: 'file', path: 'src/greet.ts' }] },
        ]);
    });

    it('offers to reply instead of deciding, and does so only then', async () => {
      const scene = pendingCommand();
      askForApproval(scene);
      const chat = await open(scene);
      chat.answer = (message) =>
        message.type === 'intent' && message.intent.type === 'send' && message.intent.reply_instead !== true
          ? {
              failure: {
                kind: 'refused',
                message: 'A command waits for your decision.',
                transient: false,
                code: 'ResumeRequired',
              },
            }
          : { result: null };
      await chat.composer.fill('Do something else');
      await chat.composer.press('Enter');
      await chat.page.getByText('A command waits for your decision.').first().waitFor();
      expect(await chat.composer.inputValue()).toBe('Do something else');
      await chat.page.getByRole('button', { name: 'Deny and Send' }).click();
      await expect.poll(() => chat.composer.inputValue()).toBe('');
      expect(chat.intents().at(-1)).toMatchObject({ type: 'send', reply_instead: true });
    });
  });

  describe('approvals', () => {
    it('F6: a card that appears while somebody types takes neither focus nor keys, and is inert at first', async () => {
      const scene = pendingCommand();
      const chat = await open(scene);
      await stopClock(chat);
      await chat.composer.focus();
      await chat.page.keyboard.type('typing on ');
      await chat.post(askForApproval(scene));
      await chat.at('approve').waitFor();
      await chat.page.keyboard.type('and on');
      expect(await chat.composer.inputValue()).toBe('typing on and on');
      // Straight to the button, as a stray click would.
      await chat.at('approve').click({ force: true });
      await chat.at('always').click({ force: true });
      expect(chat.intents()).toEqual([]);
      await chat.composer.press('Enter');
      await expect.poll(() => chat.intents()).toMatchObject([{ type: 'send' }]);
      await chat.page.clock.runFor(499);
      expect(await chat.at('approve').getAttribute('aria-disabled')).toBe('true');
      await chat.page.clock.runFor(2);
      await chat.at('approve').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'once' });
    });

    it('denies with what to do instead, remembers only when told to', async () => {
      const scene = pendingCommand();
      askForApproval(scene);
      const chat = await open(scene);
      await chat.page.getByRole('textbox', { name: 'What to do instead' }).fill('use npm run clean');
      await chat.at('deny').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({
          type: 'decide',
          call_id: 'r1',
          decision: 'deny',
          scope: 'once',
          feedback: 'use npm run clean',
        });
      await chat.page.getByRole('button', { name: 'Approve for longer' }).click();
      await chat.page.getByRole('menuitem', { name: 'For This Session' }).click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'session' });
      await chat.at('always').click();
      await expect
        .poll(() => chat.intents().at(-1))
        .toEqual({ type: 'decide', call_id: 'r1', decision: 'allow', scope: 'always' });
    });

    it('shrinks to its line when it is decided, and hands it the focus it had', async () => {
      const scene = pendingCommand();
      askForApproval(scene);
      const chat = await open(scene);
      await expect.poll(() => chat.at('approve').getAttribute('aria-disabled')).toBe('false');
      await chat.at('approve').focus();
      await chat.page.keyboard.press('Enter');
      scene.status = { ...idle, run: 'running' };
      await chat.post(
        scene.append(() => {
          const request = scene.fold.state().approvals[0]?.request_id ?? '';
          scene.add({ type: 'approval_decision', request_id: request, decision: 'allow', scope: 'once' });
          scene.add({ type: 'tool_start', call_id: 'r1', turn_id: 'turn-1' });
        }),
      );
      await chat.page
        .locator(
          '[data-testid="approval"][data-state="allow"] [data-testid="tool-card"][data-state="running"]',
        )
        .waitFor();
      expect(await chat.at('approve').count()).toBe(0);
      expect(await chat.at('tool-toggle').evaluate((toggle) => toggle === document.activeElement)).toBe(true);
    });

    it('a second card that moves under the pointer is inert again', async () => {
      const scene = pendingCommand();
      scene.status = { ...idle, run: 'waiting' };
      scene.calls(
        '',
        [1, 2].map((n) => ({ call_id: `r${n}`, name: 'run', input: { command: `echo ${n}` } })),
        'turn-1',
      );
      for (const n of [1, 2]) {
        scene.add({
          type: 'approval_request',
          call_id: `r${n}`,
          tool: 'run',
          summary: `Run echo ${n}`,
          input_hash: 'x',
          targets: [],
          risk: 'run',
          turn_id: 'turn-1',
        });
      }
      const chat = await open(scene);
      const second = chat.page.locator('[data-call-id="r2"] [data-testid="approve"]');
      await expect.poll(() => second.getAttribute('aria-disabled')).toBe('false');
      await stopClock(chat);
      const request = scene.fold.state().approvals[0]?.request_id ?? '';
      await chat.post(
        scene.append(() => scene.add({ type: 'approval_decision', request_id: request, decision: 'allow' })),
      );
      await expect.poll(() => second.getAttribute('aria-disabled')).toBe('true');
      await chat.page.clock.runFor(501);
      expect(await second.getAttribute('aria-disabled')).toBe('false');
    });

    it('shows the change itself, from the texts that the request holds', async () => {
      const scene = pendingCommand();
      scene.status = { ...idle, run: 'waiting' };
      scene.calls('', [{ call_id: 'e1', name: 'edit', input: { path: 'a.ts', edits: [] } }], 'turn-1');
      const proposal = [{ path: 'a.ts', before: scene.blob('one\ntwo\n'), after: scene.blob('one\n2\n') }];
      scene.add({
        type: 'approval_request',
        call_id: 'e1',
        tool: 'edit',
        summary: 'Edit a.ts',
        input_hash: 'x',
        targets: [],
        risk: 'write',
        proposal,
        turn_id: 'turn-1',
      });
      const chat = await open(scene);
      const diff = chat.page.getByRole('region', { name: 'Change of a.ts' });
      await diff.waitFor();
      expect((await diff.innerText()).replace(/\s+/g, ' ').trim()).toBe('1 one 2−two 2+2');
      await chat.page.getByRole('button', { name: 'Open diff' }).click();
      await expect.poll(() => chat.commands()).toContainEqual({ type: 'open_diff', call_id: 'e1' });
    });
  });

  describe('what went wrong', () => {
    it('D6: an error stands below the text that came, and replaces nothing', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      for (const [text, offset] of [
        ['One ', 0],
        ['two ', 4],
        ['three', 8],
      ] as const)
        await chat.post(scene.growing(text, offset));
      await chat.page.getByText('One two three').waitFor();
      scene.status = {
        ...idle,
        failure: { kind: 'network', message: 'The connection was lost.', transient: true },
      };
      await chat.post(
        scene.append(() => {
          scene.add({
            type: 'incomplete_output',
            attempt_id: 'attempt-1',
            text: 'One two three',
            incomplete: true,
            reason: 'connection',
            turn_id: 'turn-1',
          });
          scene.endTurn('turn-1', 'failed');
        }),
      );
      const marker = chat.page.locator('[data-testid="incomplete-marker"][data-reason="connection"]');
      await marker.getByText('The connection was lost.').waitFor();
      const text = await chat.page.getByText('One two three').boundingBox();
      const failure = await chat.at('failure').boundingBox();
      expect(failure?.y ?? 0).toBeGreaterThan((text?.y ?? 0) + (text?.height ?? 0) - 1);
      await marker.getByRole('button', { name: 'Continue' }).click();
      await expect.poll(() => chat.intents().at(-1)).toEqual({ type: 'continue' });
      await marker.getByRole('button', { name: 'Try Again' }).click();
      await expect.poll(() => chat.intents().at(-1)).toEqual({ type: 'try_again' });
    });

    it('tells of an interrupted turn once, with all that can be done', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      scene.add({
        type: 'incomplete_output',
        attempt_id: 'a',
        text: 'Half',
        incomplete: true,
        reason: 'crash',
        turn_id: 'turn-1',
      });
      scene.status = {
        ...idle,
        interrupted: { turn_id: 'turn-1', message: 'The editor ended in mid-answer.' },
      };
      const chat = await open(scene);
      expect(await chat.at('turn-interrupted').count()).toBe(1);
      for (const [testId, type] of [
        ['turn-continue', 'continue'],
        ['turn-again', 'try_again'],
        ['turn-leave', 'leave'],
      ] as const) {
        expect(await chat.at(testId).count()).toBe(1);
        await chat.at(testId).click();
        await expect.poll(() => chat.intents().at(-1)).toEqual({ type });
      }
    });

    it('E4: a retry says why, which attempt and how long, and counts down', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      const start = Date.UTC(2026, 0, 5, 12, 0, 0);
      const due_at = new Date(start + 20_000).toISOString();
      scene.add({
        type: 'retry_start',
        kind: 'retry',
        step: 1,
        attempt_id: 'a',
        attempt: 1,
        max_attempts: 4,
        delay_ms: 20_000,
        due_at,
        error: 'Overloaded (503).',
        turn_id: 'turn-1',
      });
      scene.status = { ...idle, run: 'retrying' };
      const chat = await open(scene, { at: start });
      const indicator = chat.at('retry-indicator');
      expect(await indicator.getAttribute('data-due-at')).toBe(due_at);
      expect(await indicator.getAttribute('data-kind')).toBe('retry');
      const words = async () => (await indicator.locator('p').innerText()).replace(/\s+/g, ' ');
      expect(await words()).toBe('Overloaded (503). attempt 2 of 4 · again in 20 s');
      await chat.page.clock.runFor(5_000);
      expect(await words()).toBe('Overloaded (503). attempt 2 of 4 · again in 15 s');
      await chat.at('retry-now').click();
      await expect.poll(() => chat.intents().at(-1)).toEqual({ type: 'retry_now' });
      await chat.at('retry-cancel').click();
      await expect.poll(() => chat.intents().at(-1)).toEqual({ type: 'retry_cancel' });
    });

    it('E1: a wait the server asked for cannot be skipped, and says so', async () => {
      const scene = new Scene();
      scene.turn('Question', 'turn-1');
      const start = Date.UTC(2026, 0, 5, 12, 0, 0);
      const due_at = new Date(start + 20_000).toISOString();
      scene.add({
        type: 'retry_start',
        kind: 'retry',
        step: 1,
        attempt_id: 'a',
        attempt: 1,
        max_attempts: 4,
        delay_ms: 20_000,
        due_at,
        error: 'Too many requests (429).',
        server_hint: true,
        turn_id: 'turn-1',
      });
      scene.status = { ...idle, run: 'retrying' };
      const chat = await open(scene, { at: start });
      await chat.at('retry-now').click({ force: true });
      expect(chat.intents()).toEqual([]);
      expect(await chat.at('retry-now').getAttribute('title')).toMatch(/server asked to wait/);
    });

    it('G15: a row that cannot be drawn says so in its place; the others and the typed text stay', async () => {
      const scene = new Scene();
      scene.user('Before');
      scene.add({
        type: 'compaction',
        summary: 's',
        first_kept_entry_id: 'x',
        tokens_before: undefined as unknown as number,
        tokens_after: 1,
      });
      scene.answer('After');
      const chat = await open(scene, { snapshot: { draft: { text: 'still typing', editing: null } } });
      await chat.page.getByText('This part of the conversation could not be shown').waitFor();
      await chat.page.getByText('Before').waitFor();
      await chat.page.getByText('After', { exact: true }).waitFor();
      expect(await chat.composer.inputValue()).toBe('still typing');
      expect(chat.troubles()).toEqual([expect.stringContaining('A row could not be drawn')]);
    });
  });

  describe('the transcript', () => {
    it('G6: follows the end, lets go at the first tick upwards, and resumes at the very bottom or when told', async () => {
      const scene = new Scene();
      scene.turn('Long', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      const transcript = chat.at('transcript');
      let text = longText(60);
      await chat.post(scene.growing(text));
      await chat.page.getByText('Line 60 of').waitFor();
      await expect.poll(() => distanceFromEnd(transcript)).toBeLessThan(2);
      const grow = async (more: string) => {
        const offset = text.length;
        text += more;
        await chat.post(scene.growing(more, offset));
      };

      await transcript.hover();
      await chat.page.mouse.wheel(0, -10);
      await chat.at('jump-latest').waitFor();
      const top = await transcript.evaluate((element) => element.scrollTop);
      await grow('\n\nAnd more\n\nAnd more.');
      await chat.page.getByText('And more.').waitFor({ state: 'attached' });
      expect(await transcript.evaluate((element) => element.scrollTop)).toBe(top);

      await chat.at('jump-latest').click();
      await expect.poll(() => distanceFromEnd(transcript)).toBeLessThan(2);
      expect(await chat.at('jump-latest').count()).toBe(0);

      await transcript.focus();
      await chat.page.keyboard.press('PageUp');
      await chat.at('jump-latest').waitFor();
      await transcript.evaluate(
        (element) => (element.scrollTop = element.scrollHeight - element.clientHeight - 30),
      );
      await transcript.hover();
      await chat.page.mouse.wheel(0, 10);
      await grow('\n\nNot yet at the bottom.');
      await chat.page.getByText('Not yet at').waitFor({ state: 'attached' });
      expect(await chat.at('jump-latest').count()).toBe(1);
      await chat.page.mouse.wheel(0, 2000);
      await expect.poll(() => chat.at('jump-latest').count()).toBe(0);
      await grow('\n\nThe end.');
      await chat.page.getByText('The end.').waitFor();
      await expect.poll(() => distanceFromEnd(transcript)).toBeLessThan(2);
    });

    it('G6: a selection lets go too', async () => {
      const scene = new Scene();
      scene.answer(longText(60));
      const chat = await open(scene);
      await chat.page.getByText('Line 60 of').dblclick();
      await chat.at('jump-latest').waitFor();
    });

    it('G3: mounts the end of a long conversation, and brings older rows without moving what is read', async () => {
      const scene = new Scene();
      for (let index = 0; index < 1000; index += 1) scene.user(`Message number ${index}`);
      const chat = await open(scene);
      const transcript = chat.at('transcript');
      await chat.page.getByText('Message number 999').waitFor();
      expect(await chat.at('message').count()).toBeLessThan(100);
      expect(await transcript.evaluate((element) => element.querySelectorAll('*').length)).toBeLessThan(2500);
      await transcript.hover();
      await chat.page.mouse.wheel(0, -200);
      await chat.at('jump-latest').waitFor();
      await transcript.evaluate((element) => (element.scrollTop = 150));
      await expect.poll(() => chat.at('message').count()).toBeGreaterThan(100);
      const first = chat.page.getByText('Message number 940', { exact: true });
      const at = await first.evaluate((element) => element.getBoundingClientRect().top);
      expect(at).toBeGreaterThan(-400);
      expect(at).toBeLessThan(800);
      await chat.at('jump-latest').click();
      await expect.poll(() => chat.at('message').count()).toBeLessThan(100);
    });

    it('keeps the elements of an answer when its entry replaces the streamed text', async () => {
      const scene = new Scene();
      scene.turn('Hi', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      await chat.post(scene.growing('A first paragraph.\n\nA second'));
      const paragraph = chat.page.getByText('A first paragraph.');
      await paragraph.evaluate((element) => element.setAttribute('data-mine', 'yes'));
      scene.status = idle;
      await chat.post(
        scene.append(() => {
          scene.answer('A first paragraph.\n\nA second one.', 'attempt-1');
          scene.endTurn('turn-1');
        }),
      );
      await chat.page.getByText('A second one.').waitFor();
      expect(await paragraph.getAttribute('data-mine')).toBe('yes');
      expect(await chat.at('message').count()).toBe(2);
    });

    it('shows which of several lines it is, and goes to the others', async () => {
      const scene = new Scene();
      scene.user('One');
      const leaf = scene.answer('Answer one');
      scene.add({ type: 'head', entry_id: null });
      scene.user('Two');
      scene.answer('Answer two');
      const chat = await open(scene);
      const picker = chat.page.locator('[data-testid="branch-picker"][data-index="2"][data-count="2"]');
      expect(await picker.getAttribute('title')).toContain('1. One');
      await chat.at('branch-next').click({ force: true });
      expect(chat.intents()).toEqual([]);
      await chat.at('branch-prev').click();
      await expect.poll(() => chat.intents()).toEqual([{ type: 'navigate', entry_id: leaf }]);
    });

    it('G13: what looks like HTML is text: no element, no request, no violation', async () => {
      const scene = new Scene();
      const hostile = [
        "<script>document.body.dataset.hacked = '1'</script>",
        `<img src="https://evil.test/a.png" onerror="document.body.dataset.hacked = '2'">`,
        '[run](command:workbench.action.quit) [js](javascript:alert(1)) ![picture](https://evil.test/b.png)',
        '<style>*{display:none}</style>',
        '</script>',
        '<iframe src="https://evil.test"></iframe>',
        '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
        '[x]: javascript:alert(1)\n\n[x]',
        'The end.',
      ].join('\n\n');
      scene.user(hostile);
      scene.answer(hostile);
      const chat = await open(scene);
      await chat.page.getByText('The end.').last().waitFor();
      const transcript = chat.at('transcript');
      expect(
        await transcript.locator('script, style, iframe, img, svg, object, [onerror], [onload]').count(),
      ).toBe(0);
      expect(
        await transcript.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ).toEqual(['https://evil.test/b.png']);
      expect(await chat.page.locator('body').getAttribute('data-hacked')).toBeNull();
      await chat.page.getByRole('link', { name: 'Image: picture' }).click();
      await expect
        .poll(() => chat.commands())
        .toEqual([{ type: 'open_link', url: 'https://evil.test/b.png' }]);
      expect(chat.requested).toEqual([]);
      expect(chat.troubles()).toEqual([]);
    });

    it('opens files of the workspace from links, by mouse and by key', async () => {
      const scene = new Scene();
      scene.answer('See [the file](src/a.ts#L3).');
      const chat = await open(scene);
      const link = chat.page.getByRole('link', { name: 'the file' });
      await link.click();
      await link.focus();
      await chat.page.keyboard.press('Enter');
      const command = { type: 'open_file', path: 'src/a.ts', line: 3 };
      await expect.poll(() => chat.commands()).toEqual([command, command]);
    });

    it('a tool card opens by key and shows what was given and what came', async () => {
      const scene = new Scene();
      scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }]);
      scene.result('r1', 'run', 'all green\n\n[Exit code 0 after 4 s.]');
      const chat = await open(scene);
      expect(await chat.at('tool-card').getAttribute('data-state')).toBe('ok');
      expect(await chat.at('tool-toggle').innerText()).toContain('Ran npm test · exit 0 · 4 s');
      await chat.at('tool-toggle').focus();
      await chat.page.keyboard.press('Enter');
      expect(await chat.at('tool-toggle').getAttribute('aria-expanded')).toBe('true');
      await chat.page.getByRole('region', { name: 'Result' }).getByText('all green').waitFor();
    });

    it('says aloud what happens, not every token', async () => {
      const scene = new Scene();
      scene.turn('Hi', 'turn-1');
      scene.status = { ...idle, run: 'running' };
      const chat = await open(scene);
      const live = chat.page.locator('[role="status"][aria-live="polite"]');
      await chat.post(scene.growing('Some text'));
      await chat.page.getByText('Some text').waitFor();
      expect(await live.innerText()).toBe('Working');
      expect(await chat.at('transcript').getAttribute('aria-live')).toBe('off');
      await chat.post(askForApproval(scene));
      await expect.poll(() => live.innerText()).toBe('Waiting for your decision: Run rm -rf build');
      await expect.poll(() => chat.page.locator('body').getAttribute('data-run')).toBe('waiting');
    });
  });
});
