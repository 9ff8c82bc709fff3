/** What waits for a move of the head when another session comes to be shown. */
import { expect, it } from 'vitest';
import type { Intent } from '../../src/shared/protocol.js';
import { Acting } from '../../webview/acting.js';
import type { Connection, Reply } from '../../webview/connection.js';
import { Session } from '../../webview/session.svelte.js';
import { Scene } from './bench/scenes.js';

function open() {
  const posted: Intent[] = [];
  const answers: ((reply: Reply) => void)[] = [];
  const session = new Session({
    askSnapshot: () => Promise.resolve(),
    askBodies: () => Promise.resolve([]),
    nextFrame: (callback) => callback(),
  });
  const show = (id: string): void => {
    const snapshot = new Scene().snapshot();
    session.receive({ ...snapshot, session: { ...snapshot.session, id } });
  };
  show('one');
  const connection = {
    intend: (intent: Intent) => {
      posted.push(intent);
      return new Promise<Reply>((resolve) => answers.push(resolve));
    },
  } as Connection;
  const acting = new Acting({
    connection,
    session,
    run: () => 'idle',
    problem: () => null,
    say: () => undefined,
    onAnswered: () => undefined,
    onLeft: () => undefined,
  });
  return { acting, posted, answers, show };
}

const message: Intent = { type: 'send', text: 'for one', mentions: [], mode: 'send' };

it('is done behind the move in its own session', async () => {
  const { acting, posted, answers } = open();
  void acting.intend({ type: 'navigate', entry_id: 'a' });
  void acting.intend(message);
  await Promise.resolve();
  expect(posted.map(({ type }) => type)).toEqual(['navigate']);
  answers[0]?.({ ok: true, result: null });
  await expect.poll(() => posted.map(({ type }) => type)).toEqual(['navigate', 'send']);
});

it('is not done in the other session, which waits for nothing', async () => {
  const { acting, posted, answers, show } = open();
  void acting.intend({ type: 'navigate', entry_id: 'a' });
  const waiting = acting.intend(message);
  show('two');
  acting.forget();
  void acting.intend({ ...message, text: 'for two' });
  await Promise.resolve();
  expect(posted).toMatchObject([{ type: 'navigate' }, { text: 'for two' }]);
  answers[0]?.({ ok: true, result: null });
  expect(await waiting).toMatchObject({ ok: false, failure: { code: 'OtherSession' } });
  expect(posted).toHaveLength(2);
});
