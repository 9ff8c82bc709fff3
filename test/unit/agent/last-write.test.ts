import { describe, expect, it } from 'vitest';
import { failureOf, later, openBench, type Bench } from './bench.js';
import { idle } from './fake-clock.js';
import { begins, hang, text } from './fake-model.js';

/** A turn that streams, on a disk that stops to answer; `answer` lets it answer again. */
async function streaming(): Promise<{ bench: Bench; answer: () => void }> {
  const bench = await openBench({ script: [begins('two words', hang()), text('and on')] });
  await bench.send('hi');
  const gate = later();
  bench.process.answers = () => gate.opened;
  return { bench, answer: gate.open };
}

describe('the last writes of a turn that was stopped', () => {
  it('are not cancelled by the stop', async () => {
    const { bench, answer } = await streaming();
    const stopping = bench.do({ type: 'stop' });
    await idle();
    expect(bench.session.run()).toBe('stopping');
    answer();
    expect(await stopping).toEqual({});
    expect(bench.story().at(-1)).toBe('incomplete stopped "two words" + step_end 1 + turn_end stopped');
  });

  it('are waited for 5 s and no longer: the stop ends and says what is not saved', async () => {
    const { bench } = await streaming();
    const stopping = bench.do({ type: 'stop' });
    await bench.clock.advance(4_999);
    expect(bench.session.run()).toBe('stopping');
    await bench.clock.advance(1);
    const failure = failureOf(await stopping);
    expect(failure).toMatchObject({ kind: 'storage', code: 'StorageFailure' });
    expect(failure.message).toContain('may still arrive');
    expect(bench.session.run()).toBe('idle');
    expect(bench.session.interrupted()?.message).toContain('does not answer');
  });

  it('may arrive later: then nothing is left to be saved, and nothing is written twice', async () => {
    const { bench, answer } = await streaming();
    const stopping = bench.do({ type: 'stop' });
    await bench.clock.advance(5_000);
    await stopping;
    // What is asked for meanwhile waits for its turn, and finds the turn ended.
    const next = bench.send('and on');
    await idle();
    answer();
    await next;
    await idle();
    expect([bench.session.failure(), bench.session.interrupted()]).toEqual([null, null]);
    const entries = (await bench.log.since(0)).map(({ entry }) => entry);
    const texts = entries.filter(({ type }) => type === 'incomplete_output');
    expect(texts).toMatchObject([{ text: 'two words', reason: 'stopped' }]);
    const ends = entries.filter(({ type }) => type === 'turn_end');
    expect(ends).toMatchObject([{ status: 'stopped' }, { status: 'completed' }]);
  });
});
