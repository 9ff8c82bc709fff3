// Writing, sending, editing: nothing typed is lost.
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/shared/failure.js';
import type { Open } from '../bench/chat-page.js';
import { askForApproval, workingScene } from '../bench/command-scene.js';
import { eventually } from '../bench/eventually.js';
import { Scene } from '../bench/scenes.js';

const refused: Failure = {
  kind: 'storage',
  message: 'The disk is full.',
  transient: false,
  action: 'save-again',
};

export function composerTests(open: Open): void {
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
      await eventually(() => chat.commands()).toContainEqual({ type: 'save_again' });
      chat.answer = () => ({ result: null });
      await chat.at('send').click();
      await eventually(() => chat.composer.inputValue()).toBe('');
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
      await eventually(() => chat.composer.inputValue()).toBe('and more');
    });

    it('leaves alone what replaced the text while it was being sent', async () => {
      const chat = await open(new Scene());
      chat.answer = () => 'never';
      await chat.composer.fill('Hello');
      await chat.at('send').click();
      await chat.composer.fill('Hello again');
      const sent = chat.received.find((message) => message.type === 'intent');
      await chat.post({ type: 'reply', id: sent?.id ?? -1, ok: true, result: null });
      chat.answer = () => ({ result: null });
      await chat.at('send').click();
      await eventually(() => chat.intents().map((intent) => intent.type === 'send' && intent.text)).toEqual([
        'Hello',
        'Hello again',
      ]);
      await eventually(() => chat.composer.inputValue()).toBe('');
    });

    it('a session that was left while its prompt was being sent does not keep it as a draft', async () => {
      const chat = await open(new Scene('one'));
      chat.answer = () => 'never';
      await chat.composer.fill('For one');
      await chat.at('send').click();
      await chat.post(new Scene('two').snapshot({ draft: { text: 'For two', editing: null } }));
      await eventually(() => chat.composer.inputValue()).toBe('For two');
      const sent = chat.received.find((message) => message.type === 'intent');
      await chat.post({ type: 'reply', id: sent?.id ?? -1, ok: true, result: null });
      const last = () =>
        chat.received.findLast((message) => message.type === 'draft' && message.session === 'one');
      await eventually(last).toEqual({ type: 'draft', session: 'one', text: '', editing: null });
      expect(await chat.composer.inputValue()).toBe('For two');
    });

    it('queues on Enter and steers on Ctrl+Enter while a turn runs; Escape never stops it', async () => {
      const scene = workingScene();
      const chat = await open(scene);
      await chat.composer.fill('Later');
      await chat.composer.press('Enter');
      await eventually(() => chat.composer.inputValue()).toBe('');
      await chat.composer.fill('Now');
      await chat.composer.press('Control+Enter');
      await eventually(() => chat.composer.inputValue()).toBe('');
      await chat.composer.press('Escape');
      expect(chat.intents()).toMatchObject([
        { type: 'send', mode: 'queue', text: 'Later' },
        { type: 'send', mode: 'steer', text: 'Now' },
      ]);
      await chat.at('stop').click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'stop' });
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
      await eventually(() => chat.intents()).toHaveLength(1);
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
      await eventually(() => chat.intents()).toHaveLength(1);
      const [intent] = chat.intents();
      expect(intent?.type === 'send' && intent.mentions[0]?.text === text).toBe(true);
      await eventually(() => chat.at('draft-chip').count()).toBe(0);
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
      await eventually(() => chat.composer.getAttribute('data-editing')).toBeNull();
    });

    it('Escape cancels an edit first, with the list that its text called up; without an edit it closes the list', async () => {
      const scene = new Scene();
      scene.user('First question');
      scene.answer('Answer');
      const chat = await open(scene);
      chat.files = ['src/app.ts', 'src/greet.ts'];
      const option = chat.page.getByRole('option', { name: 'src/greet.ts' });
      await chat.composer.fill('half of @src');
      await chat.at('message').first().hover();
      await chat.at('edit-message').click();
      await chat.page.keyboard.type(' of @src');
      await option.waitFor();
      await chat.page.keyboard.press('Escape');
      expect(await chat.composer.inputValue()).toBe('half of @src');
      expect(await chat.composer.getAttribute('data-editing')).toBeNull();
      expect(await option.count()).toBe(0);
      await chat.page.keyboard.type('/');
      await option.waitFor();
      await chat.page.keyboard.press('Escape');
      expect(await option.count()).toBe(0);
      expect(await chat.composer.inputValue()).toBe('half of @src/');
      expect(chat.intents()).toEqual([]);
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
      await eventually(() => chat.composer.inputValue()).toBe('draft of two');
      expect(drafts()).toContainEqual({ type: 'draft', session: 'one', text: 'another', editing: null });
      expect(drafts().some((draft) => draft.session === 'two' && draft.text !== 'draft of two')).toBe(false);
    });

    it('G11: attachments and what an edit put aside outlive the view', async () => {
      const attachments = [{ kind: 'file' as const, label: 'Pasted text', text: 'a log' }];
      const scene = new Scene('one');
      const id = scene.user('Old');
      const draft = {
        text: 'Older',
        editing: id,
        attachments,
        aside: { text: 'half a thought', attachments },
      };
      const chat = await open(scene, { snapshot: { draft } });
      expect(await chat.at('draft-chip').count()).toBe(1);
      await chat.at('draft-chip').getByRole('button').click();
      const drafts = () => chat.received.filter((message) => message.type === 'draft');
      await eventually(() => drafts().at(-1)).toEqual({
        ...{ type: 'draft', session: 'one', text: 'Older', editing: id },
        aside: draft.aside,
      });
      await chat.composer.press('Escape');
      expect(await chat.composer.inputValue()).toBe('half a thought');
      expect(await chat.at('draft-chip').count()).toBe(1);
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
      const scene = workingScene();
      const chat = await open(scene);
      // Begun before the card was there: Enter was meant for something else.
      await chat.composer.fill('Do something');
      await chat.post(askForApproval(scene));
      await chat.at('approve').waitFor();
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
      await chat.at('problem').getByRole('button', { name: 'Deny and Send' }).click();
      await eventually(() => chat.composer.inputValue()).toBe('');
      expect(chat.intents().at(-1)).toMatchObject({ type: 'send', reply_instead: true });
      // Written while the card stands, in the field that says what it does: Enter does what the button says.
      expect(await chat.composer.getAttribute('placeholder')).toBe(
        'Decide above (Ctrl+↑), or write what denies it',
      );
      await chat.composer.fill('And that');
      expect(await chat.at('send').innerText()).toBe('Deny and Send');
      await chat.composer.press('Enter');
      await eventually(() => chat.intents().at(-1)).toMatchObject({
        type: 'send',
        text: 'And that',
        reply_instead: true,
      });
    });

    it('H5: an edited prompt brings along what was attached, whole', async () => {
      const scene = new Scene();
      const hash = scene.blob('[The person named this file: Pasted text]\nthe whole log');
      const id = scene.add({
        type: 'message',
        role: 'user',
        origin: 'person',
        parts: [
          { type: 'text', text: 'Why?' },
          { type: 'text', text: '', preview: '[The person named this file: Pasted text]\nthe', blob: hash },
        ],
      });
      const chat = await open(scene);
      await chat.composer.press('ArrowUp');
      await chat.at('draft-chip').waitFor();
      await chat.composer.fill('Why, again?');
      await chat.composer.press('Enter');
      await expect
        .poll(() => chat.intents().at(-1))
        .toMatchObject({
          text: 'Why, again?',
          editing: id,
          mentions: [{ kind: 'file', label: 'Pasted text', text: 'the whole log' }],
        });
    });

    it('G10 G12: a queued message is changed where it stands, whole, by keyboard, with an input method', async () => {
      const scene = workingScene();
      const long = `Later ${'and later '.repeat(300)}`;
      const items = [
        {
          id: 'q1',
          mode: 'queue' as const,
          text: long.slice(0, 200),
          parts: [{ type: 'text' as const, text: '', preview: long.slice(0, 200), blob: scene.blob(long) }],
        },
        { id: 'q2', mode: 'queue' as const, text: 'Second' },
      ];
      scene.add({ type: 'queue_update', items });
      const chat = await open(scene);
      const { keyboard } = chat.page;
      await chat.at('queue-edit').first().focus();
      await keyboard.press('Enter');
      const field = chat.at('queue-text');
      await eventually(() => field.inputValue()).toBe(long);
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      // What an input method commits is text, in either order of its events.
      await field.dispatchEvent('compositionstart');
      await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
      await field.dispatchEvent('compositionend');
      await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
      await keyboard.press('Shift+Enter');
      await keyboard.type('x');
      expect(chat.intents()).toEqual([]);
      await keyboard.press('Escape');
      expect(await field.count()).toBe(0);
      expect(
        await chat
          .at('queue-edit')
          .first()
          .evaluate((e) => e === document.activeElement),
      ).toBe(true);
      await keyboard.press('Enter');
      await field.fill('Sooner');
      await keyboard.press('Enter');
      await eventually(() => chat.intents()).toEqual([
        { type: 'edit_queued', item_id: 'q1', text: 'Sooner' },
      ]);
      // One that is sent while it is being changed leaves what was written in the composer.
      await chat.at('queue-edit').last().click();
      await field.fill('Second thoughts');
      await chat.post(scene.append(() => scene.add({ type: 'queue_update', items: items.slice(0, 1) })));
      await eventually(() => chat.composer.inputValue()).toBe('Second thoughts');
      await chat.at('problem').filter({ hasText: 'was sent before your change' }).waitFor();
    });

    it('G11: what was written in place of a queued message is kept, and comes back with it or in the composer', async () => {
      const scene = workingScene();
      const items = [{ id: 'q1', mode: 'queue' as const, text: 'Later' }];
      scene.add({ type: 'queue_update', items });
      const chat = await open(scene);
      await chat.at('queue-edit').click();
      await chat.at('queue-text').fill('Much later');
      const unsent = { q1: { text: 'Much later' } };
      const lastDraft = () => chat.received.findLast(({ type }) => type === 'draft');
      await eventually(lastDraft).toMatchObject({ unsent });
      await chat.at('queue-text').fill('Later');
      await eventually(lastDraft).not.toHaveProperty('unsent');

      const draft = { text: '', editing: null, unsent };
      const again = await open(scene, { snapshot: { draft } });
      await eventually(() => again.at('queue-text').inputValue()).toBe('Much later');

      scene.add({ type: 'queue_update', items: [] });
      const sent = await open(scene, { snapshot: { draft } });
      await eventually(() => sent.composer.inputValue()).toBe('Much later');
      await sent.at('problem').filter({ hasText: 'was sent before your change' }).waitFor();
    });

    it('G12: a queued message can be dropped, or taken back with what was attached', async () => {
      const scene = workingScene();
      const parts = [
        { type: 'text' as const, text: 'Later' },
        { type: 'text' as const, text: '[The person named this file: Pasted text]\na log' },
      ];
      scene.add({
        type: 'queue_update',
        items: [
          { id: 'q1', mode: 'queue', text: 'Later', parts },
          { id: 'q2', mode: 'steer', text: 'Now' },
        ],
      });
      const chat = await open(scene);
      const [first, second] = [chat.at('queue-item').first(), chat.at('queue-item').last()];
      await second.getByRole('button', { name: 'Remove from the queue' }).click();
      await eventually(() => chat.intents().at(-1)).toEqual({ type: 'drop_queued', item_id: 'q2' });
      await chat.composer.fill('Before');
      await first.getByRole('button', { name: 'Take back into the composer' }).click();
      await eventually(() => chat.composer.inputValue()).toBe('Before\nLater');
      expect(chat.intents().at(-1)).toEqual({ type: 'drop_queued', item_id: 'q1' });
      expect(await chat.at('draft-chip').innerText()).toContain('Pasted text');
      expect(await chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
    });
  });
}
