import { describe, expect, it } from 'vitest';
import { failureOf, openBench, type Bench } from './bench.js';
import { calls, text } from './fake-model.js';
import { overflow, toldTo, words } from './told.js';

const read = calls([{ name: 'read', input: { path: 'long.txt' } }]);

describe('leaving out what tools gave', () => {
  /** A turn that read a long file and then was too long for its model; there is nothing to summarise. */
  const begin = async (...more: ReturnType<typeof text>[]): Promise<Bench> => {
    const bench = await openBench({
      files: { 'long.txt': words(2_000, 'line') },
      script: [read, [overflow], ...more],
    });
    await bench.send('What does it say?');
    await bench.clock.advance(60_000);
    await bench.session.settled();
    expect(bench.session.failure()).toMatchObject({ kind: 'overflow' });
    return bench;
  };

  it('E9: a turn that was too long goes on, its outputs told by their length and the way to read them', async () => {
    const bench = await begin(text('It counts lines.'), text('Yes.'));
    const asked = bench.model.asked.length;
    const before = await bench.log.path();
    await bench.do({ type: 'leave_out_outputs' });
    await bench.session.settled();
    expect(bench.session.failure()).toBeNull();
    expect(toldTo(bench, asked)).not.toContain('line number 7');
    const [result] = before.flatMap((entry) =>
      entry.type === 'message' ? entry.parts.filter((part) => part.type === 'tool_result') : [],
    );
    expect(toldTo(bench, asked)).toContain(`read_result with id "${result?.call_id ?? ''}" reads them`);
    expect(toldTo(bench, asked)).toContain('What does it say?');
    expect(bench.entries('turn_end').at(-1)).toMatchObject({ status: 'completed' });
    // The line itself keeps all it had.
    expect((await bench.log.path()).slice(0, before.length)).toEqual(before);
    const [entry] = bench.entries('compaction');
    expect(entry).toMatchObject({ kind: 'prune', without_outputs: true });
    expect(bench.log.state().last_usage?.total_tokens).toBeDefined();
    await bench.send('Sure?');
    expect(toldTo(bench, asked + 1)).not.toContain('line number 7');
  });

  it('carries the summary before on, and holds for the line alone', async () => {
    const bench = await openBench({
      files: { 'long.txt': words(2_000, 'line') },
      script: [
        ...[text(words(100, 'apple')), text('Plums.'), text('Apples.'), read, text('Long.')],
        ...[text('Yes.'), text('Again.')],
      ],
      settings: { keepRecentTokens: 50 },
    });
    await bench.send('Tell me of apples');
    await bench.send('What else?');
    await bench.do({ type: 'compact' });
    await bench.send('And the file?');
    const behind = bench.log.head;
    await bench.do({ type: 'leave_out_outputs' });
    await bench.send('Sure?');
    expect(toldTo(bench, 5)).toContain('Apples.');
    expect(toldTo(bench, 5)).not.toContain('apple number');
    expect(toldTo(bench, 5)).not.toContain('line number 7');
    await bench.do({ type: 'navigate', entry_id: behind });
    await bench.send('And here?');
    expect(toldTo(bench, 6)).toContain('line number 7');
  });

  it('refuses where there is nothing long to leave out, and changes nothing', async () => {
    const bench = await openBench({
      files: { 'short.txt': 'short' },
      script: [calls([{ name: 'read', input: { path: 'short.txt' } }]), text('Read.')],
    });
    expect(failureOf(await bench.do({ type: 'leave_out_outputs' })).code).toBe('NothingToLeaveOut');
    await bench.send('Read it');
    const { head } = bench.log;
    expect(failureOf(await bench.do({ type: 'leave_out_outputs' })).code).toBe('NothingToLeaveOut');
    expect(bench.log.head).toBe(head);
  });
});
