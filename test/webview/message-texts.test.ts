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
