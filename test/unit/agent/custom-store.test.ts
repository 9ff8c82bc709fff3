// A session in a store that keeps no text of attempts that did not end well: whatever ends a turn, it can be opened again.
import { describe, expect, it } from 'vitest';
import type { StoredEntry } from '../../../src/log/custom-store.js';
import { MapStore } from '../log/custom-stores.js';
import { openBench, type Bench, type BenchOptions } from './bench.js';
import { begins, dropped, fails, hang, text } from './fake-model.js';

/** With batches that are kept whole, or one entry at a time. */
class StepStore extends MapStore {
  async appendStep(id: string, position: number, entries: readonly StoredEntry[]): Promise<boolean> {
    if (this.sessions.get(id)?.entries.length !== position) return false;
    for (const [index, entry] of entries.entries()) await this.append(id, position + index, entry);
    return true;
  }
}

const once = { maxAttempts: 1, maxResumes: -1 };
const ends: [string, BenchOptions, (bench: Bench) => Promise<unknown>][] = [
  ['stopped', { script: [begins('two words', hang()), text('well')] }, (bench) => bench.do({ type: 'stop' })],
  [
    'failed',
    { retry: once, script: [begins('two words', fails(dropped())), text('well')] },
    () => Promise.resolve(),
  ],
];
const stores: [string, () => MapStore][] = [
  ['entry by entry', () => new MapStore()],
  ['batch by batch', () => new StepStore()],
];

describe.each(stores)('a store without incomplete output that is written %s', (_, make) => {
  it.each(ends)('is read again after an answer was %s half way', async (status, options, end) => {
    const bench = await openBench({ ...options, custom: make() });
    await bench.send('hi');
    await end(bench);
    const over = bench.events.find((event) => event.type === 'turn_end');
    expect(over).toMatchObject({ partial: { text: 'two words' } });
    expect(bench.story().at(-1)).toBe(`step_end 1 + turn_end ${status}`);
    expect(bench.process.troubles.map(({ message }) => message)).toEqual([
      expect.stringContaining('not stored') as string,
    ]);
    const after = await bench.crash();
    expect([after.log.damage, after.log.state().turn]).toEqual([[], null]);
    await after.send('and on');
    const again = await after.crash();
    expect(again.log.damage).toEqual([]);
    expect(again.log.outline.map(([, , , , preview]) => preview)).toEqual(['hi', 'and on', 'well']);
  });
});
