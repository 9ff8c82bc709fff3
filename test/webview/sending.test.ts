/** A message that is on its way when another session comes to be shown. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ComposerDraft } from '../../src/shared/protocol.js';
import { Draft } from '../../webview/composer/draft.svelte.js';
import { Sending } from '../../webview/composer/sending.js';
import type { Reply } from '../../webview/connection.js';

function open() {
  const draft = new Draft();
  const elsewhere: [string, ComposerDraft][] = [];
  let shown = 'one';
  const answers: ((reply: Reply) => void)[] = [];
  const sending = new Sending({
    draft,
    session: () => ({ id: shown, title: '', folder: undefined, read_only: false }),
    isBusy: () => false,
    isAttaching: () => false,
    unsent: () => ({}),
    takeTyped: () => Promise.resolve(true),
    intend: () => new Promise<Reply>((resolve) => answers.push(resolve)),
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
  const answer = (reply: Reply): void => answers.shift()?.(reply);
  return { draft, sending, elsewhere, show, answer, answers };
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

  it('holds up no message in the other session', async () => {
    const { draft, sending, elsewhere, show, answer, answers } = open();
    draft.text = 'Do A.';
    const done = sending.send('send', false);
    await Promise.resolve();
    show('two');
    draft.text = 'Do B.';
    const other = sending.send('send', false);
    await Promise.resolve();
    expect(answers).toHaveLength(2);
    // Not twice, either.
    await sending.send('send', false);
    expect(answers).toHaveLength(2);
    answer({ ok: true, result: undefined });
    await done;
    expect(elsewhere).toEqual([['one', { text: '', editing: null }]]);
    expect(draft.text).toBe('Do B.');
    answer({ ok: true, result: undefined });
    await other;
    expect(draft.text).toBe('');
  });

  it('is not sent twice when its session is on show again before it is answered', async () => {
    const { draft, sending, show, answer } = open();
    draft.text = 'Do A.';
    const done = sending.send('send', false);
    await Promise.resolve();
    show('two');
    show('one');
    draft.load({ text: 'Do A. Then B.', editing: null });
    sending.back();
    answer({ ok: true, result: undefined });
    await done;
    expect(draft.text).toBe('Then B.');
  });

  afterEach(() => vi.useRealTimers());

  it('leaves what was typed behind one that is answered late', async () => {
    vi.useFakeTimers();
    const { draft, sending, elsewhere, show, answer } = open();
    draft.text = 'Do A.';
    const done = sending.send('send', false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sending.isSending).toBe(false);
    draft.text = 'Do A. Then B.';
    show('two');
    answer({ ok: true, result: undefined });
    await done;
    expect(elsewhere).toEqual([['one', { text: 'Then B.', editing: null }]]);
  });
});
