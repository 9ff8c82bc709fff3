import { describe, expect, it } from 'vitest';
import { Feed, type ShownSession } from '../../../../src/host/chat/feed.js';
import type { RunState, ToWebview } from '../../../../src/shared/protocol.js';
import { openBench } from '../../agent/bench.js';
import { idle } from '../../agent/fake-clock.js';
import { statusOf } from './status.js';

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
    onShown: () => undefined,
    onError: (error) => expect.unreachable(String(error)),
  });
  await feed.sendSnapshot();
  const shown = posted.flatMap((message) =>
    message.type === 'snapshot' || message.type === 'status' ? [message.status.run] : [],
  );
  expect(shown.at(-1)).toBe('idle');
});

it('has reached a place though others append without end, and the snapshots go on', async () => {
  const bench = await openBench({});
  let others = 0;
  const log = new Proxy(bench.log, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === 'position') return target.position + others;
      return typeof value === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(value, target, given)
        : value;
    },
  });
  let isWriting = true;
  let snapshots = 0;
  const feed = new Feed(
    {
      agent: { ...bench.session, log },
      isEphemeral: false,
      title: () => 'One',
      status: () => statusOf('idle'),
      onChange: () => ({ dispose: () => undefined }),
    },
    {
      post: () => {
        snapshots += 1;
        if (isWriting) others += 1;
      },
      clock: bench.clock,
      // A turn of the loop, so that the test goes on beside it.
      readDraft: () => idle().then(() => ({ text: '', editing: null })),
      onShown: () => undefined,
      onError: (error) => expect.unreachable(String(error)),
    },
  );
  let isDone = false;
  const sending = feed.sendSnapshot().then(() => (isDone = true));
  await feed.reached(log.position);
  expect([snapshots, isDone]).toEqual([1, false]);
  await feed.reached(log.position);
  expect([snapshots, isDone]).toEqual([2, false]);
  isWriting = false;
  await sending;
  await feed.reached(log.position + 1);
});

describe('a snapshot that cannot be made', () => {
  async function failing() {
    const bench = await openBench({});
    const posted: ToWebview[] = [];
    const errors: unknown[] = [];
    let isBroken = true;
    let tries = 0;
    let shown = 0;
    const session: ShownSession = {
      agent: bench.session,
      isEphemeral: false,
      title: () => 'One',
      status: () => statusOf('idle'),
      onChange: () => ({ dispose: () => undefined }),
    };
    const feed = new Feed(session, {
      post: (message) => posted.push(message),
      clock: bench.clock,
      readDraft: () => {
        tries += 1;
        return isBroken ? Promise.reject(new Error('EIO')) : Promise.resolve({ text: '', editing: null });
      },
      onShown: () => (shown += 1),
      onError: (error) => errors.push(error),
    });
    const types = () => posted.map(({ type }) => type);
    const mend = () => (isBroken = false);
    return { feed, clock: bench.clock, posted, errors, types, mend, tries: () => tries, shown: () => shown };
  }

  it('is told once, and tried again until it can be', async () => {
    const { feed, clock, posted, errors, types, mend, shown } = await failing();
    await expect(feed.sendSnapshot()).rejects.toThrow('EIO');
    expect(posted).toMatchObject([{ type: 'not_shown', message: expect.stringContaining('EIO') as unknown }]);
    await clock.advance(500);
    await clock.advance(1_000);
    expect(errors).toHaveLength(2);
    expect(types()).toEqual(['not_shown']);
    expect(shown()).toBe(0);
    mend();
    await clock.advance(2_000);
    expect(types()).toEqual(['not_shown', 'snapshot']);
    expect(feed.isCurrent).toBe(true);
    expect(shown()).toBe(1);
    await clock.advance(120_000);
    expect(types()).toEqual(['not_shown', 'snapshot']);
  });

  it('is tried ever later, but never given up while the view is there', async () => {
    const { feed, clock, tries } = await failing();
    await expect(feed.sendSnapshot()).rejects.toThrow('EIO');
    await clock.advance(60_000);
    const before = tries();
    expect(before).toBeLessThan(10);
    await clock.advance(30_000);
    expect(tries()).toBe(before + 1);
  });

  it.each(['forget', 'dispose'] as const)('is not tried again after %s', async (end) => {
    const { feed, clock, types, tries } = await failing();
    await expect(feed.sendSnapshot()).rejects.toThrow('EIO');
    feed[end]();
    await clock.advance(120_000);
    await idle();
    expect(tries()).toBe(1);
    expect(types()).toEqual(['not_shown']);
  });
});
