/** A message that is on its way when another session comes to be shown. */
import { describe, expect, it } from 'vitest';
import type { ComposerDraft } from '../../src/shared/protocol.js';
import { Draft } from '../../webview/composer/draft.svelte.js';
import { Sending } from '../../webview/composer/sending.js';
import type { Reply } from '../../webview/connection.js';

function open() {
  const draft = new Draft();
  const elsewhere: [string, ComposerDraft][] = [];
  let shown = 'one';
  let answer = (_reply: Reply): void => undefined;
  const replied = new Promise<Reply>((resolve) => (answer = resolve));
  const sending = new Sending({
    draft,
    session: () => ({ id: shown, title: '', folder: undefined, read_only: false }),
    isBusy: () => false,
    isAttaching: () => false,
    unsent: () => ({}),
    takeTyped: () => Promise.resolve(true),
    intend: () => replied,
    sent: () => undefined,
    sentElsewhere: (session, rest) => elsewhere.push([session, rest]),
    say: () => undefined,
    refused: () => undefined,
  });
  const show = (id: string): void => {
    sending.leave();
    shown = id;
    draft.text = '';
  };
  return { draft, sending, elsewhere, show, answer: (reply: Reply) => answer(reply) };
}

describe('a message that is sent while another session comes to be shown', () => {
  it('leaves what was typed behind it as the draft of its own session', async () => {
    const { draft, sending, elsewhere, show, answer } = open();
    draft.text = 'Do A.';
    const done = sending.send('send', false);
    await Promise.resolve();
    draft.text = 'Do A. Then B.';
    show('two');
    answer({ ok: true, result: undefined });
    await done;
    expect(elsewhere).toEqual([['one', { text: 'Then B.', editing: null }]]);
  });

  it('leaves nothing when nothing was typed', async () => {
    const { draft, sending, elsewhere, show, answer } = open();
    draft.text = 'Do A.';
    const done = sending.send('send', false);
    await Promise.resolve();
    show('two');
    answer({ ok: true, result: undefined });
    await done;
    expect(elsewhere).toEqual([['one', { text: '', editing: null }]]);
  });
});
