import { describe, expect, it } from 'vitest';
import { failureOf, openBench } from './bench.js';
import { badKey, begins, dropped, fails, overloaded, rateLimit, text } from './fake-model.js';

describe('request retries', () => {
  it('E1: waits at least as long as the server asked, and says so in the log', async () => {
    const bench = await openBench({
      script: [[fails(rateLimit(3_000))], [fails(rateLimit(3_000))], text('at last')],
    });
    await bench.send('hi');
    expect(bench.session.run()).toBe('retrying');
    await bench.clock.advance(2_999);
    expect(bench.model.asked).toHaveLength(1);
    await bench.clock.advance(1);
    expect(bench.model.asked).toHaveLength(2);
    await bench.clock.advance(3_000);
    expect(bench.story().slice(1)).toEqual([
      'model_change + step_start 1',
      'retry_start retry 1/4 3000ms',
      'step_start 1',
      'retry_end 1 failed + retry_start retry 2/4 3000ms',
      'step_start 1',
      'retry_end 2 ok + assistant "at last" + usage + step_end 1 + turn_end completed',
    ]);
    expect(bench.entries('retry_start')[0]).toMatchObject({ server_hint: true, error: 'Too many requests.' });
    expect(bench.events.filter(({ type }) => type === 'retry')).toHaveLength(2);
    const attempts = bench
      .entries('step_start')
      .map((entry) => (entry.type === 'step_start' ? entry.attempt_id : ''));
    expect(new Set(attempts).size).toBe(3);
  });

  it('E4: tells each retry with reason and number; a wrong key is never retried', async () => {
    const bench = await openBench({
      script: [[fails(overloaded())], [fails(overloaded())], [fails(overloaded())], text('ok')],
    });
    await bench.send('hi');
    await bench.clock.advance(60_000);
    expect(bench.session.run()).toBe('idle');
    const retries = bench.events.filter((event) => event.type === 'retry');
    expect(retries.map(({ attempt, delay_ms, reason }) => [attempt, delay_ms, reason])).toEqual([
      [1, 750, 'Overloaded.'],
      [2, 1500, 'Overloaded.'],
      [3, 3000, 'Overloaded.'],
    ]);
    const other = await openBench({ script: [[fails(badKey())]] });
    await other.send('hi');
    await other.clock.advance(600_000);
    expect(other.model.asked).toHaveLength(1);
    expect(other.entries('retry_start')).toEqual([]);
  });

  it('E5: a server that always answers 429 ends in a failure after a bounded time', async () => {
    const bench = await openBench({ script: Array.from({ length: 100 }, () => [fails(rateLimit())]) });
    await bench.send('hi');
    await bench.clock.advance(24 * 3_600_000);
    expect(bench.story().at(-1)).toContain('turn_end failed');
    expect(bench.model.asked).toHaveLength(24);
    expect(bench.entries('resume_start')).toHaveLength(5);
    expect(bench.entries('retry_start').length).toBe(bench.entries('retry_end').length);
  });

  it('parks when the server asks for more than maxDelay; only the person ends that', async () => {
    const bench = await openBench({ script: [[fails(rateLimit(3_600_000))], text('ok')] });
    await bench.send('hi');
    expect(bench.session.run()).toBe('parked');
    expect(bench.isFree()).toBe(true);
    expect(bench.story().at(-1)).toBe('retry_start parked 1/4 3600000ms');
    const refusal = failureOf(await bench.do({ type: 'retry_now' }));
    expect(refusal.code).toBe('RetryNotAllowed');
    expect(refusal.message).toContain(new Date(bench.clock.now() + 3_600_000).toLocaleTimeString());
    await bench.clock.advance(3_600_000);
    expect(bench.model.asked).toHaveLength(1);
    await bench.do({ type: 'retry_now' });
    expect(bench.story().at(-1)).toBe(
      'retry_end 1 ok + assistant "ok" + usage + step_end 1 + turn_end completed',
    );
  });

  it('a parked turn can be given up, or left to another model at once', async () => {
    const bench = await openBench({ script: [[fails(rateLimit(3_600_000))], text('ok')] });
    await bench.send('hi');
    await bench.do({ type: 'retry_cancel' });
    expect(bench.story().at(-1)).toBe('retry_end 1 failed + step_end 1 + turn_end stopped');
    expect(bench.session.run()).toBe('idle');

    const other = await openBench({ script: [[fails(rateLimit(3_600_000))], text('ok')] });
    await other.send('hi');
    await other.session.selectModel('other', 'two');
    await other.clock.advance(250);
    expect(other.model.wanted).toEqual(['fake/one', 'other/two']);
    expect(other.story().at(-1)).toContain('turn_end completed');
  });

  it('*Retry now* skips our own wait, never two attempts within 250 ms', async () => {
    const bench = await openBench({ script: [[fails(overloaded())], text('ok')] });
    await bench.send('hi');
    await bench.clock.advance(10);
    await bench.do({ type: 'retry_now' });
    expect(bench.model.asked).toHaveLength(1);
    await bench.clock.advance(240);
    expect(bench.model.asked).toHaveLength(2);
    expect(bench.model.asked[1]?.at).toBe(250);
  });

  it('*Retry now* is refused while the server does not permit a request, and says until when', async () => {
    const bench = await openBench({ script: [[fails(rateLimit(20_000))], text('ok')] });
    await bench.send('hi');
    await bench.clock.advance(19_000);
    expect(failureOf(await bench.do({ type: 'retry_now' })).code).toBe('RetryNotAllowed');
    expect(bench.model.asked).toHaveLength(1);
    await bench.clock.advance(1_000);
    expect(bench.model.asked).toHaveLength(2);
  });

  it('a cancelled wait stops the turn', async () => {
    const bench = await openBench({ script: [[fails(overloaded())]] });
    await bench.send('hi');
    await bench.do({ type: 'retry_cancel' });
    expect(bench.story().at(-1)).toBe('retry_end 1 failed + step_end 1 + turn_end stopped');
    expect(bench.clock.pending).toBe(0);
  });
});

describe('step resume', () => {
  it('E7: drops after the first words resume the same step, with one budget a turn; the last text stays', async () => {
    const bench = await openBench({
      script: Array.from({ length: 9 }, (_, n) => begins(`words ${String(n)}`, fails(dropped()))),
    });
    await bench.send('hi');
    expect(bench.session.run()).toBe('retrying');
    expect(bench.session.growing()).toBeNull();
    await bench.log.journal.flush();
    expect(await bench.disk.journal()).toContain('words 0');
    await bench.clock.advance(3_600_000);
    expect(bench.story().slice(1)).toEqual([
      'model_change + step_start 1',
      'resume_start 1/5 3750ms',
      'step_start 1',
      'resume_start 2/5 7500ms',
      'step_start 1',
      'resume_start 3/5 15000ms',
      'step_start 1',
      'resume_start 4/5 30000ms',
      'step_start 1',
      'resume_start 5/5 60000ms',
      'step_start 1',
      'incomplete connection "words 5" + step_end 1 + turn_end failed',
    ]);
    for (const { request } of bench.model.asked) expect(JSON.stringify(request)).not.toContain('words');
    expect(await bench.disk.journal()).toBeNull();
  });
});
