/** What a command prints outlives the process that ran it. */
import { describe, expect, it } from 'vitest';
import { INTERRUPTED_RESULT } from '../../../src/shared/fold/stand-in.js';
import type { Tool } from '../../../src/ports.js';
import { openBench, type Bench, type BenchOptions } from './bench.js';
import { calls, text } from './fake-model.js';

/** Prints these and runs on. */
function printing(chunks: readonly string[]): Tool {
  return {
    spec: { name: 'run', description: 'run', input_schema: { type: 'object' } },
    risk: 'run',
    prepare: (input) =>
      Promise.resolve({ tool: 'run', input, sentence: 'Run it', risk: 'run', targets: [], subject: 'it' }),
    run: async (_, { report }) => {
      for (const chunk of chunks) report(chunk);
      return new Promise(() => undefined);
    },
  };
}

async function killed(chunks: readonly string[], options: BenchOptions = {}): Promise<Bench> {
  const bench = await openBench({
    allows: () => true,
    tools: [printing(chunks)],
    script: [calls([{ name: 'run', input: { command: 'it' } }]), text('Gone on.')],
    ...options,
  });
  await bench.send('go');
  await bench.clock.advance(1_000);
  await bench.clock.advance(1_000);
  const after = await bench.crash();
  await after.session.recover();
  return after;
}

function resultOf(bench: Bench): { content: string; is_error: boolean } {
  const part = bench
    .entries('message')
    .flatMap(({ parts }) => parts)
    .find((one) => one.type === 'tool_result');
  if (part?.type !== 'tool_result') throw new Error('there is no result');
  return part;
}

describe('a command that ran when its process was killed', () => {
  it('keeps what it had printed in the result that closes it, marked as interrupted', async () => {
    const after = await killed(['one\n', 'two\nthr', 'ee\n']);
    await after.do({ type: 'continue' });
    const result = resultOf(after);
    expect(result.content).toBe(`${INTERRUPTED_RESULT}\n\nWhat it had printed until then:\none\ntwo\nthree`);
    expect(result.is_error).toBe(true);
    // It is kept once: the journal of the next step took its place.
    expect(after.story().at(-1)).toContain('turn_end completed');
    expect(await after.disk.journal()).toBeNull();
  });

  it('is kept until the turn is closed, however often the session is opened', async () => {
    const first = await killed(['all of it\n']);
    const second = await first.crash();
    await second.session.recover();
    await second.do({ type: 'leave' });
    expect(resultOf(second).content).toContain('all of it');
    expect(await second.disk.journal()).toBeNull();
  });

  it('says nothing of output when there was none', async () => {
    const after = await killed([]);
    await after.do({ type: 'leave' });
    expect(resultOf(after).content).toBe(INTERRUPTED_RESULT);
  });

  it('keeps the beginning and the end of a long output, and a journal of bounded size', async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${String(index)}\n`);
    const after = await killed(lines);
    expect((await after.disk.journal())?.length).toBeLessThan(120_000);
    const left = await after.log.journal.output();
    expect(left?.text).toMatch(/^line 0\nline 1\n/);
    expect(left?.text.endsWith('line 59999\n')).toBe(true);
    expect(left?.text).toContain('the middle is left out');
  });

  it('holds no key and no part of one', async () => {
    const key = 'planted-key-0123456789';
    const after = await killed(['begin planted-ke', 'y-0123456789 token-ab', 'cdef end\n'], { key });
    const kept = `${(await after.disk.journal()) ?? ''}${await after.disk.bytes()}`;
    for (const part of [key, 'planted-ke', 'token-ab', 'cdef']) expect(kept).not.toContain(part);
    await after.do({ type: 'leave' });
    expect(resultOf(after).content).toContain('begin [redacted] [redacted] end');
  });

  it('is no text of an answer', async () => {
    const after = await killed(['printed\n']);
    expect(after.entries('incomplete_output')).toEqual([]);
    expect(await after.log.journal.read()).toBeNull();
    await after.do({ type: 'leave' });
    expect(after.entries('incomplete_output')).toEqual([]);
  });
});
