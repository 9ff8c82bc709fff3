import { describe, expect, it } from 'vitest';
import { letSessionsRest } from '../../../../src/host/sessions/rest.js';
import { begins, hang, text } from '../../agent/fake-model.js';
import { idle, makeWorld, send } from '../world.js';

function rest(limits: { maxOpen: number; idleAfter: number }, seen: string[] = []) {
  const world = makeWorld([begins('half ', hang()), text('Yes.'), text('No.')]);
  const { sessions, clock, errors } = world;
  const onError = (error: unknown) => errors.push(error);
  const onViews = () => ({ dispose: () => undefined });
  letSessionsRest({
    sessions,
    clock,
    hasView: (id) => seen.includes(id),
    onViews,
    limits: () => limits,
    onError,
  });
  const open = () => sessions.all().map(({ agent }) => agent.log.id);
  const pass = async () => {
    await clock.advance(15_000);
    await idle();
  };
  return { ...world, open, pass };
}

describe('sessions that nobody looks at', () => {
  it('beyond the limit the longest unused ones are let go of; those seen or at work stay', async () => {
    const { sessions, open, pass, errors } = rest({ maxOpen: 2, idleAfter: 0 }, ['seen']);
    const busy = await sessions.open('busy');
    await busy.agent.dispatch(send('Go'));
    await idle();
    for (const id of ['seen', 'old', 'new']) await sessions.open(id);
    await pass();
    expect(open()).toEqual(['busy', 'seen']);
    expect(busy.agent.run()).toBe('running');
    expect(errors).toEqual([]);
  });

  it('one that rested long enough is let go of, and opens again as it was', async () => {
    const { sessions, store, open, pass, clock } = rest({ maxOpen: 0, idleAfter: 60_000 });
    const first = await sessions.open('one');
    await store.rename('one', 'Mine');
    await pass();
    expect(open()).toEqual(['one']);
    await clock.advance(60_000);
    await pass();
    expect(open()).toEqual([]);
    const again = await sessions.open('one');
    expect(again).not.toBe(first);
    expect(again.title()).toBe('Mine');
  });

  it('zero means no limit; what another extension holds is never let go of', async () => {
    const none = rest({ maxOpen: 0, idleAfter: 0 });
    for (const id of ['a', 'b', 'c']) await none.sessions.open(id);
    await none.pass();
    expect(none.open()).toHaveLength(3);
    const held = rest({ maxOpen: 1, idleAfter: 1 });
    const [first] = await Promise.all(['a', 'b'].map((id) => held.sessions.open(id)));
    const holding = [first?.hold(), first?.hold()];
    await held.pass();
    expect(held.open()).toEqual(['a']);
    holding[0]?.dispose();
    holding[0]?.dispose();
    await held.pass();
    expect(held.open()).toEqual(['a']);
  });

  it('nobody looks where there is none to let go of', async () => {
    const { sessions, open, clock } = rest({ maxOpen: 3, idleAfter: 60_000 }, ['seen']);
    expect(clock.pending).toBe(0);
    await sessions.open('seen');
    await idle();
    expect(clock.pending).toBe(0);
    for (let index = 0; index < 20; index++) await sessions.open(`s${String(index)}`);
    await clock.advance(15_000);
    expect(open()).toEqual(['seen', 's18', 's19']);
    await clock.advance(60_000);
    expect([open(), clock.pending]).toEqual([['seen'], 0]);
  });

  it('one whose command goes on in the background stays until that is over', async () => {
    const { sessions, open, pass } = rest({ maxOpen: 0, idleAfter: 1 });
    const { agent } = await sessions.open('one');
    const running = [{ call_id: 'serve', started_at: 0, tail: '' }];
    Object.assign(agent, { progress: () => running });
    await pass();
    expect(open()).toEqual(['one']);
    running.length = 0;
    await pass();
    expect(open()).toEqual([]);
  });
});
