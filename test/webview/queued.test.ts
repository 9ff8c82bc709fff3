import { expect, it, vi } from 'vitest';
import type { QueueItem } from '../../src/shared/notes.js';
import { Draft } from '../../webview/composer/draft.svelte.js';
import { Queued } from '../../webview/composer/queued.js';
import type { Reply } from '../../webview/connection.js';

const item: QueueItem = { id: 'waits', text: 'What are oaks?', mode: 'queue' };

/** A view of the session `one` whose host answers when the test says so. */
function make() {
  let shown = 'one';
  let answer = (_: Reply): void => undefined;
  const draft = new Draft();
  const [asked, brought, said]: [string[], unknown[], string[]] = [[], [], []];
  const queued = new Queued({
    draft,
    whole: () => Promise.resolve(''),
    shown: () => shown,
    intend: (intent) => {
      asked.push(`${intent.type} in ${shown}`);
      return new Promise((resolve) => (answer = resolve));
    },
    bringElsewhere: (session, prompt) => brought.push({ session, ...prompt }),
    orExplain: (_, work) => work(),
    say: ({ message }) => said.push(message),
    unsay: ({ message }) => said.splice(0, said.length, ...said.filter((one) => one !== message)),
    focus: () => undefined,
  });
  return {
    ...{ draft, queued, asked, brought, said },
    show: (session: string) => (shown = session),
    answer: (reply: Reply) => answer(reply),
  };
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

it('what is taken back from the queue stands in the composer', async () => {
  const view = make();
  const taking = view.queued.takeBack(item);
  await turns();
  view.answer({ ok: true, result: null });
  await taking;
  expect(view.draft.text).toBe('What are oaks?');
  expect([view.brought, view.said]).toEqual([[], []]);
});

it('that the host has not answered yet holds until it has', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const view = make();
  const taking = view.queued.takeBack(item);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(view.said).toEqual([expect.stringContaining('has not answered yet')]);
  view.answer({ ok: true, result: null });
  await taking;
  expect([view.draft.text, view.said]).toEqual(['What are oaks?', []]);
  vi.useRealTimers();
});

it('it goes into the session where it waited when another one came to be shown meanwhile, and that is said', async () => {
  const view = make();
  view.draft.text = 'of the other session';
  const taking = view.queued.takeBack(item);
  await turns();
  view.show('two');
  view.answer({ ok: true, result: null });
  await taking;
  expect(view.draft.text).toBe('of the other session');
  expect(view.brought).toEqual([{ session: 'one', text: 'What are oaks?', mentions: [] }]);
  expect(view.said).toEqual([
    'The message was taken back; it stands in the composer of the session where it waited.',
  ]);
});

it('it waits on when another session came to be shown before it was taken', async () => {
  const view = make();
  const taking = view.queued.takeBack(item);
  view.show('two');
  await taking;
  expect([view.asked, view.brought, view.draft.text]).toEqual([[], [], '']);
  expect(view.said).toEqual([
    'Another session was shown before the message could be taken back; it still waits in the queue of its own.',
  ]);
});

it('it waits on when it was sent already, and that is said', async () => {
  const view = make();
  const taking = view.queued.takeBack(item);
  await turns();
  view.answer({ ok: false, failure: { kind: 'refused', message: 'It was sent.', transient: false } });
  await taking;
  expect([view.draft.text, view.said]).toEqual(['', ['It was sent.']]);
});
