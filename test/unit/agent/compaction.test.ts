import { describe, expect, it } from 'vitest';
import type { Compaction } from '../../../src/shared/entry.js';
import { failureOf, openBench, type Bench, type BenchOptions } from './bench.js';
import { begins, calls, dropped, fails, hang, overloaded, text, type Reply } from './fake-model.js';
import { overflow, toldTo, words } from './told.js';

const compactions = (bench: Bench): Compaction[] =>
  bench.disk.entries.filter((entry): entry is Compaction => entry.type === 'compaction');

/** Two long exchanges, then a short one. */
async function talked(more: BenchOptions = {}, ...script: Reply[]): Promise<Bench> {
  const bench = await openBench({
    script: [text(words(200, 'apple')), text(words(200, 'pear')), text('Plums it is.'), ...script],
    ...more,
    settings: { keepRecentTokens: 50, ...more.settings },
  });
  await bench.send('Tell me of apples');
  await bench.send('Tell me of pears');
  await bench.send('What else?');
  return bench;
}

describe('a compaction by command', () => {
  it('counts as the estimate does that stands where no server tells a number', async () => {
    const bench = await talked({}, text('Fruit was spoken of.'));
    const before = await bench.session.estimateTokens();
    await bench.do({ type: 'compact' });
    const [compaction] = compactions(bench);
    expect(compaction?.tokens_before).toBe(before);
    expect(compaction?.tokens_after).toBe(await bench.session.estimateTokens());
  });

  it('tells the model a summary and the end as it is; the path keeps all it had', async () => {
    const bench = await talked({}, text('Fruit was discussed.'), text('Yes.'));
    const before = await bench.log.path();
    await bench.do({ type: 'compact', focus: 'the plums' });
    const [entry] = compactions(bench);
    expect(entry).toMatchObject({ summary: 'Fruit was discussed.', kind: 'summary', focus: 'the plums' });
    expect(entry?.tokens_after).toBeLessThan(entry?.tokens_before ?? 0);
    expect((await bench.log.path()).slice(0, -1)).toEqual(before);
    expect(toldTo(bench, 3)).toContain('pear number 7');
    expect(toldTo(bench, 3)).toContain('the plums');
    await bench.send('Sure?');
    expect(toldTo(bench, 4)).toContain('Fruit was discussed.');
    expect(toldTo(bench, 4)).toContain('What else?');
    expect(toldTo(bench, 4)).not.toContain('apple number');
    expect(bench.session.run()).toBe('idle');
  });

  it('E14: counts what it cost, and takes nothing away from what was counted', async () => {
    const bench = await talked({}, text('Fruit.'));
    const before = bench.log.state().usage.total_tokens;
    await bench.do({ type: 'compact' });
    expect(bench.log.state().usage.total_tokens).toBe(before + 15);
    expect(bench.entries('usage').at(-1)).toMatchObject({ purpose: 'summary' });
    expect(bench.log.state().last_usage?.total_tokens).toBe(compactions(bench)[0]?.tokens_after);
  });

  it('carries the summary before on, and goes on from where its kept part began', async () => {
    const bench = await talked({}, text('First summary.'), text(words(200, 'plum')), text('Second summary.'));
    await bench.do({ type: 'compact' });
    await bench.send('Tell me of plums');
    await bench.do({ type: 'compact' });
    expect(toldTo(bench, 5)).toContain('First summary.');
    expect(toldTo(bench, 5)).not.toContain('apple number');
    expect(compactions(bench).map(({ summary }) => summary)).toEqual(['First summary.', 'Second summary.']);
  });

  it.each([
    ['an empty summary', text('  ')],
    ['a summary cut at the output limit', text('Fruit', 'length')],
    ['a stream that fails', [fails({ kind: 'auth', message: 'The key is wrong.', transient: false })]],
    ['one longer than what it replaces', text(words(900, 'more'))],
  ] as const)('E10: %s changes nothing and says so', async (_, reply) => {
    const bench = await talked({}, reply as Reply, text('Yes.'));
    const head = bench.log.head;
    const failure = failureOf(await bench.do({ type: 'compact' }));
    expect(failure.message).not.toBe('');
    expect(bench.log.head).toBe(head);
    expect(compactions(bench)).toEqual([]);
    await bench.send('Sure?');
    expect(toldTo(bench, 4)).toContain('apple number 7');
  });

  it('E10: a summary stream dropped half-way is made anew from its beginning, and its first half is nowhere', async () => {
    const bench = await talked({}, begins('Half of it ', fails(dropped())), text('Fruit.'), text('Yes.'));
    const done = bench.do({ type: 'compact' });
    await bench.clock.advance(60_000);
    await done;
    expect(compactions(bench).map(({ summary }) => summary)).toEqual(['Fruit.']);
    expect(JSON.stringify(bench.disk.entries)).not.toContain('Half of it');
    await bench.send('Sure?');
    expect(toldTo(bench, 5)).not.toContain('Half of it');
  });

  it('E10: one that is dropped half-way each time leaves the line as it was, and says so', async () => {
    const half = begins('Half of it ', fails(dropped()));
    const bench = await talked({ retry: { maxAttempts: 2 } }, half, half, text('Yes.'));
    const path = await bench.log.path();
    const asked = bench.do({ type: 'compact' });
    await bench.clock.advance(600_000);
    expect(failureOf(await asked).message).toContain('The connection was lost.');
    expect(bench.model.asked).toHaveLength(5);
    expect(await bench.log.path()).toEqual(path);
    expect(compactions(bench)).toEqual([]);
    expect(JSON.stringify(bench.disk.entries)).not.toContain('Half of it');
    expect(bench.session.run()).toBe('idle');
    await bench.send('Sure?');
    expect(toldTo(bench, 5)).toContain('apple number 7');
  });

  it('is retried like any request, each retry a pair of notes', async () => {
    const bench = await talked({}, [fails(overloaded())], [fails(dropped())], text('Fruit.'));
    const done = bench.do({ type: 'compact' });
    await bench.clock.advance(60_000);
    await done;
    expect(bench.entries('summarization_retry_start').map((note) => note.attempt)).toEqual([1, 2]);
    expect(bench.entries('summarization_retry_end').map((note) => note.success)).toEqual([false, true]);
    expect(compactions(bench)).toHaveLength(1);
  });

  it('D14, E10: is ended by Stop, and nothing has changed', async () => {
    const bench = await talked({}, [() => new Promise<void>(() => undefined)]);
    const head = bench.log.head;
    const done = bench.do({ type: 'compact' });
    await expect.poll(() => bench.session.isCompacting()).toBe(true);
    expect(bench.session.run()).toBe('running');
    await bench.do({ type: 'stop' });
    expect(failureOf(await done).message).toContain('stopped');
    expect(bench.log.head).toBe(head);
    expect(bench.session.run()).toBe('idle');
    expect(bench.isFree()).toBe(true);
  });

  it('E13: two prompts sent meanwhile are queued, and each is sent once after it, in order', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const bench = await talked({}, [() => gate, ...text('Fruit.')], text('Answered.'), text('And that.'));
    const done = bench.do({ type: 'compact' });
    await expect.poll(() => bench.session.isCompacting()).toBe(true);
    await bench.send('And now?');
    await bench.send('And then?');
    expect(bench.log.state().queue.map((item) => item.text)).toEqual(['And now?', 'And then?']);
    open();
    await done;
    await bench.session.settled();
    await expect.poll(() => bench.model.asked).toHaveLength(6);
    await bench.session.settled();
    expect(bench.log.state().queue).toEqual([]);
    expect(toldTo(bench, 4)).toContain('Fruit.');
    expect(toldTo(bench, 4)).toContain('And now?');
    expect(toldTo(bench, 4)).not.toContain('And then?');
    const said = toldTo(bench, 5);
    expect(said.indexOf('And now?')).toBeLessThan(said.indexOf('And then?'));
    expect(said.match(/And (now|then)\?/g)).toEqual(['And now?', 'And then?']);
  });

  it('E13: a compaction takes nothing from a queue that is held; each is sent once when it is released', async () => {
    const bench = await talked({}, begins('some', hang()), text('Fruit.'), text('One.'), text('Two.'));
    await bench.send('Go on');
    await bench.send('And now?', { mode: 'queue' });
    await bench.send('And then?', { mode: 'queue' });
    await bench.do({ type: 'stop' });
    await bench.do({ type: 'compact' });
    expect(compactions(bench)).toHaveLength(1);
    const { queue, queue_held } = bench.log.state();
    expect([queue_held, queue.map((item) => item.text)]).toEqual([true, ['And now?', 'And then?']]);
    await bench.do({ type: 'release_queue' });
    await bench.session.settled();
    expect(bench.log.state().queue).toEqual([]);
    expect(toldTo(bench, 6).match(/And (now|then)\?|Fruit\./g)).toEqual(['Fruit.', 'And now?', 'And then?']);
  });

  it('refuses where there is nothing to summarise', async () => {
    const bench = await openBench({ script: [text('Hello.')] });
    expect(failureOf(await bench.do({ type: 'compact' })).code).toBe('NothingToCompact');
    await bench.send('Hi');
    expect(failureOf(await bench.do({ type: 'compact' })).code).toBe('NothingToCompact');
    expect(bench.model.asked).toHaveLength(1);
  });
});

describe('a compaction by itself', () => {
  const small = { provider: 'fake', id: 'one', label: 'Fake One', contextWindow: 4_000 };

  it('comes before a request that would nearly fill the window', async () => {
    const bench = await openBench({
      script: [text(words(900, 'apple')), text('Fruit.'), text('Short.')],
      settings: { keepRecentTokens: 50 },
    });
    await bench.send('Tell me of apples');
    bench.model.info = small;
    await bench.send('And now?');
    expect(compactions(bench)).toHaveLength(1);
    expect(toldTo(bench, 2)).toContain('Fruit.');
    expect(toldTo(bench, 2)).toContain('And now?');
    expect(bench.entries('turn_end').at(-1)).toMatchObject({ status: 'completed' });
  });

  it('follows when the provider refuses the request as too long, once per step', async () => {
    const bench = await talked({}, [overflow], text('Fruit.'), text('Fits.'));
    await bench.send('Sure?');
    await bench.clock.advance(1_000);
    await bench.session.settled();
    expect(bench.entries('overflow_recovery').at(-1)).toMatchObject({ applied: true });
    expect(compactions(bench)).toHaveLength(1);
    expect(
      bench
        .entries('step_start')
        .slice(-2)
        .map(({ step }) => step),
    ).toEqual([1, 1]);
    expect(bench.entries('turn_end').at(-1)).toMatchObject({ status: 'completed' });
  });

  it('E9: what does not fit even then fails, with what can be done', async () => {
    const bench = await talked({}, [overflow], text('Fruit.'), [overflow], text('never asked'));
    await bench.send('Sure?');
    await bench.clock.advance(1_000);
    await bench.session.settled();
    expect(bench.session.failure()).toMatchObject({ kind: 'overflow' });
    expect(compactions(bench)).toHaveLength(1);
    expect(bench.model.asked).toHaveLength(6);
  });

  it('E9: a summary that fails too names both, and keeps the conversation as it was', async () => {
    const bench = await talked({}, [overflow], text(''));
    await bench.send('Sure?');
    await bench.clock.advance(1_000);
    await bench.session.settled();
    expect(bench.session.failure()?.message).toMatch(/too long.*empty summary/s);
    expect(bench.entries('overflow_recovery').at(-1)).toMatchObject({ applied: false });
    expect(compactions(bench)).toEqual([]);
  });

  it('cuts between steps of a long turn, never before a result, and tells the task apart', async () => {
    const read = (path: string): Reply => calls([{ name: 'read', input: { path } }]);
    const bench = await openBench({
      files: { 'a.txt': words(150, 'alpha'), 'b.txt': words(150, 'beta'), 'c.txt': 'short' },
      script: [
        read('a.txt'),
        read('b.txt'),
        read('c.txt'),
        [overflow],
        text('Reading was asked for.'),
        text('All three were read.'),
      ],
      settings: { keepRecentTokens: 30 },
    });
    await bench.send('Read all three');
    await bench.clock.advance(1_000);
    await bench.session.settled();
    const [entry] = compactions(bench);
    const kept = await bench.log.entry(entry?.first_kept_entry_id ?? '');
    expect(kept).toMatchObject({ type: 'message', role: 'assistant' });
    expect(entry?.summary).toContain('The turn under way');
    expect(entry?.read_files).toEqual(expect.arrayContaining(['a.txt']));
    const last = bench.model.asked.at(-1)?.request.messages ?? [];
    expect(last[0]?.role).toBe('user');
    expect(bench.entries('turn_end').at(-1)).toMatchObject({ status: 'completed' });
  });
});
