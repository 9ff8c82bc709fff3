import { expect, it } from 'vitest';
import { Feed, type ShownSession } from '../../../../src/host/chat/feed.js';
import type { RunState, StatusView, ToWebview } from '../../../../src/shared/protocol.js';
import { openBench } from '../../agent/bench.js';

const statusOf = (run: RunState): StatusView => ({
  run,
  notices: [],
  interrupted: null,
  model: null,
  failure: null,
  place: 'ready',
  suggestions: [],
  sendOn: 'enter',
  mode: 'ask',
  isSummarising: false,
});

it('tells what happened between the making of a snapshot and its sending', async () => {
  const bench = await openBench({});
  let run: RunState = 'running';
  let changed = (): void => undefined;
  const session: ShownSession = {
    agent: bench.session,
    isEphemeral: false,
    title: () => 'One',
    status: () => {
      const before = statusOf(run);
      if (run === 'running') {
        queueMicrotask(() => {
          run = 'idle';
          changed();
        });
      }
      return before;
    },
    onChange: (listener) => {
      changed = listener;
      return { dispose: () => undefined };
    },
  };
  const posted: ToWebview[] = [];
  const feed = new Feed(session, {
    post: (message) => posted.push(message),
    clock: bench.clock,
    readDraft: () => Promise.resolve({ text: '', editing: null }),
    onError: (error) => expect.unreachable(String(error)),
  });
  await feed.sendSnapshot();
  const shown = posted.flatMap((message) =>
    message.type === 'snapshot' || message.type === 'status' ? [message.status.run] : [],
  );
  expect(shown.at(-1)).toBe('idle');
});
