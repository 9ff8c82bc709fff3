/** What requests cost, where it is known, and a turn that may not cost more. */
import { describe, expect, it } from 'vitest';
import { withCost } from '../../../src/agent/cost.js';
import { openBench } from './bench.js';
import { calls, text, type Reply } from './fake-model.js';

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, total_tokens: 1_100_000 };
const costly = (cost: number, reply: Reply): Reply =>
  reply.map((beat) =>
    'type' in beat && beat.type === 'finish' ? { ...beat, usage: { ...usage, cost } } : beat,
  );

describe('withCost', () => {
  it('takes what the server says before the prices, and says nothing when neither is known', () => {
    const price = { input: 3, output: 15 };
    expect(withCost({ ...usage, cost: 0.5 }, price).cost).toBe(0.5);
    expect(withCost(usage, price).cost).toBeCloseTo(4.5);
    expect(withCost(usage, undefined)).toEqual(usage);
  });

  it('counts what the cache took part in once, at its own price or at that of other input', () => {
    const cached = { ...usage, cache_read_tokens: 600_000, cache_write_tokens: 200_000 };
    expect(withCost(cached, { input: 3, output: 0 }).cost).toBeCloseTo(3);
    expect(withCost(cached, { input: 3, output: 0, cacheRead: 0.3, cacheWrite: 3.75 }).cost).toBeCloseTo(
      0.2 * 3 + 0.6 * 0.3 + 0.2 * 3.75,
    );
  });

  it('is never below zero, even when a server counts the cache apart from its input', () => {
    const apart = { input_tokens: 10, output_tokens: 0, total_tokens: 10, cache_read_tokens: 500 };
    expect(withCost(apart, { input: 1, output: 1, cacheRead: 0 }).cost).toBe(0);
  });
});

describe('a turn', () => {
  it('writes the cost of each request, and the session sums them over all branches', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'a' },
      script: [costly(0.25, calls([{ name: 'read', input: { path: 'a.txt' } }])), costly(0.5, text('done'))],
    });
    await bench.send('go');
    expect(bench.entries('usage').map(({ cost }) => cost)).toEqual([0.25, 0.5]);
    expect(bench.log.state().usage.cost).toBeCloseTo(0.75);
  });

  it('sends nothing more once it has cost its limit, and says so; Continue begins to count anew', async () => {
    const bench = await openBench({
      files: { 'a.txt': 'a' },
      settings: { maxCost: 0.4 },
      endless: () => costly(0.25, calls([{ name: 'read', input: { path: 'a.txt' } }])),
    });
    await bench.send('go');
    expect(bench.model.asked).toHaveLength(2);
    expect(bench.session.failure()).toMatchObject({ code: 'MaxCost', action: 'open-settings' });
    expect(bench.session.failure()?.message).toContain('has cost $0.50, its limit is $0.40');
    bench.model.clear();
    bench.model.play(text('done'));
    await bench.do({ type: 'continue' });
    expect(bench.entries('turn_end').map(({ status }) => status)).toEqual(['failed', 'completed']);
  });
});
