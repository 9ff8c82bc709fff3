import { describe, expect, it } from 'vitest';
import { createSignal } from '../../../../src/host/disposables.js';
import type { HostSession } from '../../../../src/host/sessions/session.js';
import type { OpeningView } from '../../../../src/shared/protocol.js';
import { text } from '../../agent/fake-model.js';
import { idle, makeView, makeWorld, send } from '../world.js';

/** A view that shows one session while another one takes as long as the test says. */
async function waiting() {
  const world = makeWorld([text('Yes.')]);
  const view = makeView(world);
  view.channel.show(await world.sessions.open('shown'));
  await view.open();
  const read = createSignal<[bytes: number, of: number]>((error) => world.errors.push(error));
  const openings: { resolve: (session: HostSession) => void; reject: (error: unknown) => void }[] = [];
  let cancelled = 0;
  const present = () =>
    view.channel
      .present({
        session: () => 'big',
        title: () => 'The big one',
        open: () => new Promise<HostSession>((resolve, reject) => openings.push({ resolve, reject })),
        onRead: (listener) => read.on(([bytes, of]) => listener(bytes, of)),
        cancel: () => void cancelled++,
      })
      .then(
        () => 'shown',
        (error: unknown) => (error instanceof Error ? error.name : error),
      );
  const last = (): OpeningView | undefined => view.of('opening').at(-1);
  const opened = async () => openings.at(-1)?.resolve(await world.sessions.open('big'));
  return { world, view, read, openings, present, last, opened, cancelled: () => cancelled };
}

describe('a session that takes its time to open', () => {
  it('says nothing when it does not: the one that was shown stays until the other is there', async () => {
    const { world, view, present, opened } = await waiting();
    const presented = present();
    await world.clock.advance(200);
    await opened();
    expect(await presented).toBe('shown');
    await world.clock.advance(1_000);
    expect(view.of('opening')).toEqual([]);
    expect(view.of('snapshot').map(({ session }) => session.id)).toEqual(['shown', 'big']);
    expect(world.clock.pending).toBe(0);
  });

  it('says after a moment that it is opened, how far that is, not with every byte, and ends with what it shows', async () => {
    const { world, view, read, present, last, opened } = await waiting();
    const presented = present();
    read.fire([1, 100]);
    await world.clock.advance(250);
    expect(last()).toMatchObject({
      session: 'big',
      title: 'The big one',
      state: 'opening',
      bytes: 1,
      of: 100,
    });
    for (let bytes = 2; bytes < 50; bytes++) read.fire([bytes, 100]);
    expect(view.of('opening')).toHaveLength(1);
    await world.clock.advance(100);
    read.fire([60, 100]);
    expect(view.of('opening').map(({ bytes }) => bytes)).toEqual([1, 60]);
    // What the other session does meanwhile is not told to a view that does not show it.
    const before = view.sent.length;
    await world.sessions.peek('shown')?.agent.dispatch(send('Hello'));
    await world.sessions.peek('shown')?.agent.settled();
    await idle();
    expect(view.sent).toHaveLength(before);
    expect((await view.intend(send('Into nothing'))).ok).toBe(false);
    await opened();
    expect(await presented).toBe('shown');
    await idle();
    expect(view.sent.at(-1)).toMatchObject({ type: 'snapshot', session: { id: 'big' } });
    read.fire([100, 100]);
    expect(view.of('opening')).toHaveLength(2);
  });

  it('cancelled says so, to a view that comes later too; tried again it opens', async () => {
    const { world, view, present, last, opened, cancelled } = await waiting();
    const presented = present();
    await world.clock.advance(300);
    view.channel.receive({ type: 'opening', what: 'cancel' });
    expect(await presented).toBe('AbortError');
    expect([last()?.state, cancelled()]).toEqual(['cancelled', 1]);
    view.channel.receive({ type: 'opening', what: 'cancel' });
    expect(cancelled()).toBe(1);
    // Too late: the person has had enough of it.
    await opened();
    await idle();
    expect(view.sent.at(-1)).toMatchObject({ type: 'opening', state: 'cancelled' });
    view.channel.detach();
    await view.open();
    expect(view.sent.at(-1)).toMatchObject({ type: 'opening', state: 'cancelled' });
    expect(view.channel.isWithout).toBe(true);
    // The way out of it needs no session.
    expect((await view.request({ type: 'ui', command: { type: 'new_session' } })).ok).toBe(true);
    expect((await view.request({ type: 'ui', command: { type: 'rename_session' } })).ok).toBe(false);
    view.channel.receive({ type: 'opening', what: 'again' });
    await opened();
    await idle();
    expect(view.sent.at(-1)).toMatchObject({ type: 'snapshot', session: { id: 'big' } });
    expect(view.channel.isWithout).toBe(false);
  });

  it('cancelled by another view, or failed, it says which', async () => {
    const { world, openings, present, last } = await waiting();
    const first = present();
    openings.at(-1)?.reject(new DOMException('enough', 'AbortError'));
    expect([await first, last()?.state]).toEqual(['AbortError', 'cancelled']);
    const second = present();
    await world.clock.advance(300);
    openings.at(-1)?.reject(new Error('no such luck'));
    expect(await second).toBe('Error');
    expect(last()).toMatchObject({ state: 'failed' });
    expect(last()?.message).toContain('no such luck');
  });

  it('is left alone by what was waited for before', async () => {
    const { world, view, openings, present } = await waiting();
    const first = present();
    const second = present();
    const [one, two] = [await world.sessions.open('one'), await world.sessions.open('two')];
    openings[1]?.resolve(two);
    openings[0]?.resolve(one);
    expect(await Promise.all([first, second])).toEqual(['shown', 'shown']);
    await idle();
    expect(view.of('snapshot').map(({ session }) => session.id)).toEqual(['shown', 'two']);
  });
});
