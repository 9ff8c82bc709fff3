import { describe, expect, it, vi } from 'vitest';
import type { SessionEvent } from '../../../../src/host/sessions/open-sessions.js';
import type { OnRead, SessionLog } from '../../../../src/log/store.js';
import { BoughError } from '../../../../src/shared/failure.js';
import { begins, hang, text } from '../../agent/fake-model.js';
import { idle, makeView, makeWorld, send } from '../world.js';

/** As a log on a disk that does not answer. */
function readingForEver(signal: AbortSignal | undefined, onRead: OnRead | undefined): Promise<SessionLog> {
  onRead?.(1, 2);
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}

describe('open sessions', () => {
  it('16 openings at once are one session', async () => {
    const { sessions } = makeWorld();
    const all = await Promise.all(Array.from({ length: 16 }, () => sessions.open('one')));
    expect(new Set(all).size).toBe(1);
    expect(sessions.all()).toHaveLength(1);
  });

  it('nothing is stored until something is said; then it is in the list by its first prompt', async () => {
    const { sessions, store } = makeWorld([text('Yes.')]);
    const session = await sessions.open('one');
    expect((await store.list()).sessions).toEqual([]);
    await session.agent.dispatch(send('Is it so?'));
    await session.agent.settled();
    expect((await store.list()).sessions).toMatchObject([{ id: 'one', title: 'Is it so?', named: false }]);
    expect(session.title()).toBe('Is it so?');
  });

  it("the person's own name wins", async () => {
    const { sessions, store } = makeWorld([text('Yes.')]);
    const session = await sessions.open('one');
    await session.agent.dispatch(send('Is it so?'));
    await store.rename('one', 'Mine');
    expect(session.title()).toBe('Mine');
    expect((await store.list()).sessions[0]).toMatchObject({ title: 'Mine', named: true });
  });

  it('tells what happens in each, and nothing after it was closed', async () => {
    const { sessions } = makeWorld([text('Yes.')]);
    const events: SessionEvent[] = [];
    sessions.on((event) => events.push(event));
    const session = await sessions.open('one');
    await session.agent.dispatch(send('Go'));
    await session.agent.settled();
    await idle();
    const types = events.map((event) => (event.type === 'agent' ? event.event.type : event.type));
    expect(types).toEqual(expect.arrayContaining(['opened', 'appended', 'run', 'turn_end']));
    await sessions.close('one');
    expect(events.at(-1)).toEqual({ id: 'one', type: 'closed' });
    expect(sessions.all()).toEqual([]);
  });

  it('runs go on side by side', async () => {
    const { sessions, model } = makeWorld([begins('slow ', hang()), text('Quick.')]);
    const [one, two] = [await sessions.open('one'), await sessions.open('two')];
    await one.agent.dispatch(send('A'));
    await idle();
    await two.agent.dispatch(send('B'));
    await two.agent.settled();
    expect(one.agent.run()).toBe('running');
    expect(two.agent.run()).toBe('idle');
    expect(model.left).toBe(0);
  });

  it('D5: at the end of the window what streams is kept as closed, and nothing is sent when it is opened again', async () => {
    const { sessions, clock, model } = makeWorld([begins('half of it ', hang())]);
    const session = await sessions.open('one');
    await session.agent.dispatch(send('Go'));
    await clock.advance(100);
    await sessions.shutdown();
    const again = await sessions.open('one');
    expect(again).not.toBe(session);
    expect(await again.agent.log.path()).toMatchObject([
      { type: 'message' },
      { type: 'incomplete_output', text: 'half of it ', reason: 'closed' },
    ]);
    expect(again.agent.run()).toBe('idle');
    expect(again.agent.interrupted()).not.toBeNull();
    expect(model.asked).toHaveLength(1);
  });

  it('B1: a turn that another window goes on with is interrupted once that window is gone, not before', async () => {
    const { sessions, clock } = makeWorld([begins('half of it ', hang())]);
    await (await sessions.open('one')).agent.dispatch(send('Go'));
    await clock.advance(100);
    await sessions.shutdown();
    const again = await sessions.open('one');
    const holder = { window: 'shop', pid: 41, host: 'here', since: new Date(clock.now()).toISOString() };
    await again.takeHolder(holder);
    const worked = again.status();
    expect([worked.interrupted, again.interrupted(), worked.isHeld, again.run()]).toEqual([
      null,
      null,
      true,
      'running',
    ]);
    expect(worked.notices).toMatchObject([{ kind: 'read-only' }]);
    await again.takeHolder(null);
    expect(again.status().interrupted).not.toBeNull();
  });

  it('a fresh handle replaces a stale one, and views are told', async () => {
    const { sessions } = makeWorld();
    const events: string[] = [];
    sessions.on(({ type }) => events.push(type));
    const old = await sessions.open('one');
    const fresh = await sessions.reopen('one');
    expect(fresh).not.toBe(old);
    expect(sessions.peek('one')).toBe(fresh);
    expect(events).toContain('replaced');
    expect(old.agent.log.access.mode).toBe('stale');
  });

  it('B1: whoever is in the way of what the person asked for is told of until it is gone, turn or no turn', async () => {
    const { sessions, clock } = makeWorld([text('Yes.')]);
    const session = await sessions.open('one');
    await session.agent.dispatch(send('Is it so?'));
    await session.agent.settled();
    const holder = { window: 'shop', pid: 41, host: 'here', since: new Date(clock.now()).toISOString() };
    const { log } = session.agent;
    const held = vi.spyOn(log, 'holder').mockResolvedValue(holder);
    // It writes something short: nobody has to know.
    await session.takeHolder(holder);
    expect([session.status().isHeld, session.status().notices, session.run()]).toEqual([
      undefined,
      [],
      'idle',
    ]);
    const locked = { kind: 'refused' as const, message: 'In use.', transient: false, code: 'Locked' };
    session.takeIntent(send('Go on'), locked);
    await idle();
    expect(session.status()).toMatchObject({ isHeld: true, notices: [{ kind: 'read-only' }] });
    expect(session.run()).toBe('running');
    held.mockResolvedValue(null);
    await session.takeHolder(null);
    expect([session.status().isHeld, session.status().notices, session.run()]).toEqual([
      undefined,
      [],
      'idle',
    ]);
    await session.takeHolder(holder);
    expect(session.status().isHeld).toBeUndefined();
  });

  it('an opening that fails is not remembered', async () => {
    const { sessions } = makeWorld();
    await expect(sessions.open(' padded ')).rejects.toMatchObject({ code: 'InvalidArgument' });
    await idle();
    expect(sessions.all()).toEqual([]);
    await expect(sessions.open(' padded ')).rejects.toMatchObject({ code: 'InvalidArgument' });
  });

  it('one whose log cannot be read is shown read-only with the reason, and opens again once it can be', async () => {
    const world = makeWorld([text('Yes.')]);
    const { sessions, store, errors } = world;
    const before = await sessions.open('one');
    await before.agent.dispatch(send('Is it so?'));
    await before.agent.settled();
    await sessions.close('one');
    const open = store.open.bind(store);
    const message = 'Could not read /s/one.jsonl: access is denied (EACCES).';
    store.open = (id, signal) =>
      id === 'one' ? Promise.reject(new BoughError('StorageFailure', message)) : open(id, signal);
    const view = makeView(world);
    const broken = await sessions.open('one');
    view.channel.show(broken);
    await view.open();
    const [snapshot] = view.of('snapshot');
    expect(snapshot).toMatchObject({ session: { id: 'one', read_only: true }, position: 0, entries: [] });
    expect(snapshot?.status.notices).toMatchObject([{ kind: 'read-only', message }]);
    expect(snapshot?.status.notices[0]?.actions.map(({ command }) => command.type)).toEqual([
      'reopen',
      'show_log',
      'new_session',
    ]);
    expect(sessions.troubleOf('one')).toMatchObject({ message });
    expect(sessions.peekReadable('one')).toBe(undefined);
    expect((await view.intend(send('Go on'))).ok).toBe(false);
    expect((await sessions.open('two')).agent.log.access.mode).toBe('write');
    expect(errors).toEqual([]);
    store.open = open;
    expect((await sessions.reopen('one')).title()).toBe('Is it so?');
    expect(sessions.troubleOf('one')).toBe(undefined);
  });

  it('B10, B11: one whose log is not found here is shown as that, and nothing is begun in its place', async () => {
    const { sessions, store } = makeWorld([text('Yes.')]);
    const session = await sessions.open('one');
    await session.agent.dispatch(send('Is it so?'));
    await session.agent.settled();
    await sessions.close('one');
    const row = (await store.list()).sessions[0];
    const lost = { ...row, status: 'missing', detail: 'not found here: /s/one.jsonl' };
    let isLost = true;
    const open = store.open.bind(store);
    Object.assign(store, {
      summary: (id: string) => Promise.resolve(id === 'one' && isLost ? lost : undefined),
      open: (id: string) =>
        id === 'one' && isLost ? Promise.reject(new BoughError('SessionNotFound', 'It is away.')) : open(id),
    });
    const { agent } = await sessions.open('one');
    expect(agent.log.access).toMatchObject({
      reason: 'missing',
      message: 'The session “Is it so?” is not found here: /s/one.jsonl',
    });
    expect(sessions.troubleOf('one')).toMatchObject({ code: 'SessionNotFound' });
    expect((await sessions.open('two')).agent.log.access.mode).toBe('write');
    isLost = false;
    expect((await sessions.reopen('one')).title()).toBe('Is it so?');
  });

  it('tells how far the log of one is read; cancelled it is no session, and it opens when it is asked for again', async () => {
    let isSlow = true;
    const { sessions, errors } = makeWorld([text('Yes.')], {}, (store) => {
      const open = store.open.bind(store);
      return Object.assign(store, {
        open: (id: string, signal?: AbortSignal, onRead?: OnRead) =>
          isSlow ? readingForEver(signal, onRead) : open(id, signal, onRead),
      });
    });
    const read: unknown[] = [];
    const types: string[] = [];
    sessions.onRead((soFar) => read.push(soFar));
    sessions.on(({ type }) => types.push(type));
    const waiting = [sessions.open('one'), sessions.open('one')];
    await idle();
    expect(read).toEqual([{ id: 'one', bytes: 1, of: 2 }]);
    sessions.cancel('one');
    for (const wait of waiting) await expect(wait).rejects.toMatchObject({ name: 'AbortError' });
    expect([sessions.all(), sessions.peek('one'), types]).toEqual([[], undefined, []]);
    isSlow = false;
    expect((await sessions.open('one')).agent.log.access.mode).toBe('write');
    // What is open is not cancelled.
    sessions.cancel('one');
    expect(sessions.peek('one')?.agent.log.access.mode).toBe('write');
    expect(errors).toEqual([]);
  });

  it('what can be no id is refused, and is no session', async () => {
    const { sessions } = makeWorld();
    await expect(sessions.open(' padded ')).rejects.toMatchObject({ code: 'InvalidArgument' });
    expect(sessions.all()).toEqual([]);
  });
});
