import { describe, expect, it } from 'vitest';
import { followOthers } from '../../../../src/host/sessions/follow.js';
import type { SessionEvent } from '../../../../src/host/sessions/open-sessions.js';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import type { FolderListener } from '../../../../src/host/sessions/watch-folder.js';
import { createSignal } from '../../../../src/host/disposables.js';
import type { RunState } from '../../../../src/shared/protocol.js';
import { later } from '../../agent/bench.js';
import { FakeClock } from '../../agent/fake-clock.js';

interface Fake {
  id: string;
  own: RunState;
  /** Somebody else works in it. */
  isHeld?: boolean;
  looks: string[];
  fails?: () => string | undefined;
  /** A look goes on until then. */
  until?: Promise<void>;
}

function session(fake: Fake): HostSession {
  const log = {
    id: fake.id,
    file: `/sessions/${fake.id}.jsonl`,
    catchUp: () => {
      fake.looks.push(fake.id);
      const failure = fake.fails?.();
      return failure === undefined ? (fake.until ?? Promise.resolve()) : Promise.reject(new Error(failure));
    },
    holder: () => Promise.resolve(null),
  };
  return {
    agent: { log, run: () => fake.own },
    get isHeld() {
      return fake.isHeld === true;
    },
    takeHolder: () => Promise.resolve(),
  } as unknown as HostSession;
}

function follow(all: readonly Fake[], canWatch = true) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const events = createSignal<SessionEvent>(onError);
  const views = createSignal<void>(onError);
  const watched = new Map<string, FolderListener>();
  const seen = new Set(all.map(({ id }) => id).filter((id) => id !== 'hidden'));
  const sessions = all.map(session);
  const following = followOthers({
    sessions: { all: () => sessions, on: (listener) => events.on(listener) },
    chats: { isVisible: (id) => seen.has(id), onChange: (listener) => views.on(listener) },
    watch: (folder, listener) => {
      if (!canWatch) {
        listener.onBlind();
        return undefined;
      }
      watched.set(folder, listener);
      return { dispose: () => watched.delete(folder) };
    },
    clock,
    onError,
  });
  return { clock, errors, events, views, watched, seen, following };
}

describe('what other windows append', () => {
  it('is looked for when the folder says so, in sessions on show that rest here; else nobody looks', async () => {
    const looks: string[] = [];
    const { clock, watched, views, seen, following } = follow([
      { id: 'shown', own: 'idle', looks },
      { id: 'asks', own: 'waiting', looks },
      { id: 'hidden', own: 'idle', looks },
      { id: 'works', own: 'running', looks },
    ]);
    await clock.advance(60_000);
    expect([looks.splice(0), clock.pending]).toEqual([['shown', 'asks'], 0]);
    watched.get('/sessions')?.onChange();
    watched.get('/sessions')?.onChange();
    await clock.advance(50);
    expect([looks.splice(0), clock.pending]).toEqual([['shown', 'asks'], 0]);
    // Soon again: not before a second is over.
    watched.get('/sessions')?.onChange();
    await clock.advance(900);
    expect(looks).toEqual([]);
    await clock.advance(100);
    expect([looks.splice(0), clock.pending]).toEqual([['shown', 'asks'], 0]);
    seen.clear();
    views.fire();
    await clock.advance(1_000);
    expect([looks, watched.size, clock.pending]).toEqual([[], 0, 0]);
    seen.add('shown');
    views.fire();
    following.dispose();
    await clock.advance(5_000);
    expect([looks, watched.size, clock.pending]).toEqual([[], 0, 0]);
  });

  it.each<{ own: RunState; isHeld: true }>([
    { own: 'idle', isHeld: true },
    { own: 'waiting', isHeld: true },
  ])(
    'is looked for once a second while somebody works there, who may be killed without a word: $own',
    async (state) => {
      const looks: string[] = [];
      const held: Fake = { id: 'one', ...state, looks };
      const { clock } = follow([held]);
      await clock.advance(3_500);
      expect(looks).toHaveLength(4);
      held.isHeld = false;
      await clock.advance(10_000);
      expect([looks.length, clock.pending]).toEqual([5, 0]);
    },
  );

  it('is looked for once more when the folder says so during a look', async () => {
    const looks: string[] = [];
    const { opened, open } = later();
    const { clock, watched } = follow([{ id: 'one', own: 'idle', looks, until: opened }]);
    await clock.advance(50);
    watched.get('/sessions')?.onChange();
    await clock.advance(5_000);
    expect([looks.length, clock.pending]).toEqual([1, 0]);
    open();
    await clock.advance(5_000);
    expect([looks.length, clock.pending]).toEqual([2, 0]);
  });

  it('is looked for once a second where a folder cannot be watched, or not any more', async () => {
    const looks: string[] = [];
    const { clock } = follow([{ id: 'one', own: 'idle', looks }], false);
    await clock.advance(3_500);
    expect(looks).toHaveLength(4);
    const later: string[] = [];
    const { clock: other, watched } = follow([{ id: 'two', own: 'idle', looks: later }]);
    await other.advance(5_000);
    watched.get('/sessions')?.onBlind();
    await other.advance(3_000);
    expect(later.length).toBeGreaterThan(2);
  });

  it('a look that fails is told once, and the next ones come', async () => {
    const looks: string[] = [];
    const fails = () => (looks.length < 3 ? 'gone' : 'locked');
    const { clock, errors } = follow([{ id: 'one', own: 'idle', isHeld: true, looks, fails }]);
    await clock.advance(4_000);
    expect(errors).toMatchObject([{ message: 'gone' }, { message: 'locked' }]);
  });
});
