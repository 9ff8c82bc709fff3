import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/shared/entry.js';
import { Draft } from '../../webview/composer/draft.svelte.js';
import { MessageTexts } from '../../webview/message-texts.js';
import { Session } from '../../webview/session.svelte.js';
import { Scene } from './bench/scenes.js';

/** A prompt whose text comes when the test says so. */
function waiting() {
  const scene = new Scene('one');
  const blob = scene.blob('A long prompt');
  const id = scene.add({ type: 'message', role: 'user', parts: [{ type: 'text', text: '', blob }] });
  const session = new Session({
    askSnapshot: () => Promise.resolve(),
    askBodies: () => Promise.resolve([]),
    nextFrame: () => undefined,
  });
  session.receive(scene.snapshot());
  const draft = new Draft();
  let come = (_: string): void => undefined;
  const state = { isSending: false, edits: 0 };
  const texts = new MessageTexts({
    ...{ session, draft },
    blob: () => new Promise((resolve) => (come = resolve)),
    command: () => Promise.resolve(),
    isSending: () => state.isSending,
    onEdit: () => (state.edits += 1),
    reveal: () => undefined,
    orExplain: (_, work) => work(),
  });
  return {
    session,
    draft,
    texts,
    state,
    message: session.entry(id) as Message,
    come: () => come('A long prompt'),
  };
}

describe('the whole conversation', () => {
  /** One whose older half has to be asked for, which fails or brings another session into view. */
  function half(ask: (session: Session) => void) {
    const scene = new Scene('one');
    for (const text of ['First', 'Second', 'Third']) scene.user(text);
    const copied: string[] = [];
    const problems: unknown[] = [];
    const session: Session = new Session({
      askSnapshot: () => Promise.resolve(),
      askBodies: () => {
        ask(session);
        return Promise.resolve([]);
      },
      nextFrame: () => undefined,
    });
    session.receive(scene.snapshot({ entries: scene.placed.slice(1), more: true }));
    const texts = new MessageTexts({
      ...{ session, draft: new Draft() },
      blob: () => Promise.resolve(''),
      command: (command) => Promise.resolve(void copied.push(command.type)),
      isSending: () => false,
      onEdit: () => undefined,
      reveal: () => undefined,
      orExplain: (_, work) => work().catch((error: unknown) => void problems.push(error)),
    });
    return { texts, copied, problems };
  }

  it('is copied whole or not at all', async () => {
    const other = new Scene('two');
    other.user('Of the other one');
    for (const ask of [() => undefined, (session: Session) => session.receive(other.snapshot())]) {
      const { texts, copied, problems } = half(ask);
      await texts.copyConversation();
      expect([copied, problems.length]).toEqual([[], 1]);
    }
  });
});

describe('a message whose text takes long to come', () => {
  it('is edited once it is there', async () => {
    const { draft, texts, message, come, state } = waiting();
    const editing = texts.edit(message);
    come();
    await editing;
    expect([draft.text, draft.editing, state.edits]).toEqual(['A long prompt', message.id, 1]);
  });

  it('does not come into the composer of another session', async () => {
    const { session, draft, texts, message, come } = waiting();
    const editing = texts.edit(message);
    session.receive(new Scene('two').snapshot());
    draft.load({ text: 'Of the other one', editing: null });
    come();
    await editing;
    expect([draft.text, draft.editing]).toEqual(['Of the other one', null]);
  });

  it('takes nothing from under a prompt that is being sent', async () => {
    const { draft, texts, message, come, state } = waiting();
    const editing = texts.edit(message);
    draft.text = 'On its way';
    state.isSending = true;
    draft.beginSending();
    come();
    await editing;
    draft.text += ', and more';
    draft.sent();
    expect([draft.text, draft.editing]).toEqual([', and more', null]);
  });
});
