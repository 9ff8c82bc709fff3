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

describe('what a command prints in colours', () => {
  const KEY = 'planted-0123456789';
  const done = (content: string, chunks: readonly string[]): Tool => ({
    ...printing(chunks),
    run: (_, { report }) => {
      for (const chunk of chunks) report(chunk);
      return Promise.resolve({ content, is_error: false, styles: [[0, 3, '31']] });
    },
  });

  const ran = async (content: string, chunks: readonly string[]) => {
    const shown: string[] = [];
    const bench = await openBench({
      ...{ key: KEY, allows: () => true, tools: [done(content, chunks)] },
      script: [calls([{ name: 'run', input: { command: 'it' } }]), text('Gone on.')],
    });
    bench.session.on(({ type }) => {
      if (type === 'progress') shown.push(...bench.session.progress().map(({ tail }) => tail));
    });
    await bench.send('go');
    return { bench, shown };
  };

  it('is plain for the model, and keeps its colours beside it for the person', async () => {
    const { bench, shown } = await ran('red', ['\x1b[31mre', 'd\x1b[0m']);
    expect(resultOf(bench)).toMatchObject({ content: 'red', styles: [[0, 3, '31']] });
    expect(shown).toContain('\x1b[31mred\x1b[0m');
    expect(JSON.stringify(bench.model.asked[1]?.request.messages)).not.toMatch(/\\u001b|"styles"/);
  });

  it('H11: loses them where a key was taken out, and shows none that colours part', async () => {
    const parted = ['\x1b[31mplanted-', '\x1b[32m0123456789\x1b[0m'];
    const { bench, shown } = await ran(`red ${KEY}`, parted);
    expect(resultOf(bench)).toMatchObject({ content: 'red [redacted]' });
    expect(resultOf(bench)).not.toHaveProperty('styles');
    expect(shown.at(-1)).toBe('[redacted]');
  });

  it('after a crash it is what stood on the screen, plain', async () => {
    const after = await killed(['\x1b[32m10% \r', '20% \r30% \x1b[0m\n', 'end ']);
    await after.do({ type: 'continue' });
    expect(resultOf(after).content).toMatch(/until then:\n30% \nend$/);
  });
});
