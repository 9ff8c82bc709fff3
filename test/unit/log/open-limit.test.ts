import { beforeEach, describe, expect, it } from 'vitest';
import { OpenLimit, type OpenLimits } from '../../../src/log/open-limit.js';
import { FakeClock } from './support.js';

let clock: FakeClock;
let closed: string[];
let inUse: Set<string>;
beforeEach(() => {
  clock = new FakeClock();
  closed = [];
  inUse = new Set();
});

const make = (limits: OpenLimits, errors: unknown[] = []): OpenLimit =>
  new OpenLimit({
    clock,
    limits,
    isInUse: (id) => inUse.has(id),
    close: (id) => {
      closed.push(id);
      return id === 'bad' ? Promise.reject(new Error('cannot close')) : Promise.resolve();
    },
    onError: (error) => errors.push(error),
  });

describe('the limit on open sessions', () => {
  it('closes the one used longest ago beyond the number', () => {
    const limit = make({ maxOpen: 2, idleAfter: 0 });
    for (const id of ['a', 'b', 'a', 'c']) limit.touch(id);
    expect(closed).toEqual(['b']);
    limit.touch('d');
    expect(closed).toEqual(['b', 'a']);
    expect(clock.pending).toBe(0);
  });

  it('is none at 0', () => {
    const limit = make({ maxOpen: 0, idleAfter: 0 });
    for (let at = 0; at < 1_000; at++) limit.touch(`s${at}`);
    clock.advance(1_000_000_000);
    expect(closed).toEqual([]);
    limit.setLimits({ maxOpen: 998, idleAfter: 0 });
    expect(closed).toEqual(['s0', 's1']);
  });

  it('never closes what is shown or working, and takes the next instead', () => {
    const limit = make({ maxOpen: 1, idleAfter: 0 });
    inUse.add('a');
    for (const id of ['a', 'b', 'c']) limit.touch(id);
    expect(closed).toEqual(['b']);
    inUse.clear();
    limit.touch('c');
    expect(closed).toEqual(['b', 'a']);
  });

  it('closes what was not used for a time, once it is not in use', () => {
    const limit = make({ maxOpen: 0, idleAfter: 1_000 });
    limit.touch('a');
    clock.advance(600);
    limit.touch('b');
    inUse.add('b');
    clock.advance(400);
    expect(closed).toEqual(['a']);
    clock.advance(600);
    expect(closed).toEqual(['a']);
    inUse.clear();
    clock.advance(1_000);
    expect(closed).toEqual(['a', 'b']);
    expect(clock.pending).toBe(0);
  });

  it('forgets what was closed elsewhere, ends with its owner, and tells what could not be closed', async () => {
    const errors: unknown[] = [];
    const limit = make({ maxOpen: 1, idleAfter: 10 }, errors);
    limit.touch('a');
    limit.forget('a');
    limit.touch('bad');
    limit.touch('c');
    await Promise.resolve();
    await Promise.resolve();
    expect([closed, errors.map(String)]).toEqual([['bad'], ['Error: cannot close']]);
    limit.dispose();
    clock.advance(100);
    expect(closed).toEqual(['bad']);
  });
});
