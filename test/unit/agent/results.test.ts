/** AGENT §7: how much of a tool's result stands in the log, what the model is told of it, and how it reads on. */
import { describe, expect, it } from 'vitest';
import { charsOf, loggedPart, toldPart } from '../../../src/agent/context/results.js';
import type { ToolResultPart } from '../../../src/shared/entry.js';
import { createTools } from '../../../src/tools/index.js';
import { openBench, type Bench, type BenchOptions } from './bench.js';
import { calls, text, type Reply } from './fake-model.js';

const read = (path: string): Reply => calls([{ name: 'read', input: { path } }]);
const readOn = (input: object): Reply => calls([{ name: 'read_result', input }]);

const resultsOf = (bench: Bench): ToolResultPart[] =>
  bench
    .entries('message')
    .flatMap((entry) =>
      entry.type === 'message' ? entry.parts.filter((part) => part.type === 'tool_result') : [],
    );

/** What the model was told in its last request, result by result. */
const told = (bench: Bench): string[] =>
  (bench.model.asked.at(-1)?.request.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.parts.map(({ content }) => content) : [],
  );

const play = async (content: string, script: Reply[], more: Partial<BenchOptions> = {}): Promise<Bench> => {
  const bench = await openBench({ files: { 'a.txt': content }, script: [read('a.txt'), ...script], ...more });
  await bench.send('read it');
  return bench;
};

const blobOf = async (bench: Bench, part: ToolResultPart | undefined): Promise<string> =>
  new TextDecoder().decode(await bench.log.blobs.get(part?.blob ?? ''));

describe('a result in the log', () => {
  it('of 8 192 bytes stands there as it is', async () => {
    const exact = `${'é'.repeat(4_000)}${'a'.repeat(192)}`;
    const bench = await play(exact, [text('ok')]);
    expect(resultsOf(bench)).toMatchObject([{ content: exact }]);
    expect(resultsOf(bench)[0]?.blob).toBeUndefined();
  });

  it.each([
    ['one byte more', `${'é'.repeat(4_000)}${'a'.repeat(193)}`],
    ['Chinese', '修'.repeat(5_000)],
    ['emoji, at odd places', `a${'🔥'.repeat(30_000)}`],
    ['one line of a megabyte', 'x'.repeat(1_048_576)],
    ['lone surrogates', `\ud83d${'z'.repeat(9_000)}\udd25`],
  ])('of %s keeps head and tail, marked, with the whole beside it', async (_name, whole) => {
    const bench = await play(whole, [text('ok')]);
    const [part] = resultsOf(bench);
    const [head = '', tail = ''] = (part?.content ?? '').split(
      /\n\[… \d+ of \d+ characters left out here …\]\n/,
    );
    const kept = whole.toWellFormed();
    expect(Buffer.byteLength(part?.content ?? '')).toBeLessThanOrEqual(8_192);
    expect(head.length).toBeGreaterThan(1_000);
    expect(tail.length).toBeGreaterThan(500);
    expect(kept.startsWith(head) && kept.endsWith(tail)).toBe(true);
    expect(part?.content.isWellFormed()).toBe(true);
    expect(part?.logical_chars).toBe([...kept].length);
    expect(part?.content).toContain(
      `[… ${String([...kept].length - [...head].length - [...tail].length)} of `,
    );
    expect(await blobOf(bench, part)).toBe(kept);
  });
});

describe('what the model is told of it', () => {
  it('is the whole up to 50 000 bytes, now, on later steps and after a restart', async () => {
    const whole = `${'line\n'.repeat(9_999)}end`;
    const bench = await play(whole, [read('a.txt'), text('ok')]);
    expect(told(bench)).toEqual([whole, whole]);
    const next = await bench.crash();
    await next.session.recover();
    next.model.play(text('again'));
    await next.send('and now?');
    expect(told(next)).toEqual([whole, whole]);
  });

  it('is head, tail, size and an id beyond that', async () => {
    const whole = `${'a'.repeat(40_000)}🔥${'b'.repeat(40_000)}`;
    const bench = await play(whole, [text('ok')]);
    const id = resultsOf(bench)[0]?.call_id ?? '';
    const [content = ''] = told(bench);
    expect(content).toMatch(/^a{16000}\n\[… .* …\]\nb{8000}$/);
    expect(content).toContain('56001 of 80001 characters (80004 bytes) are left out here');
    expect(content).toContain(`read_result with id "${id}" and offset 16000`);
  });

  it.each([
    ['a lower', 10_000, 20_000, /^a{3200}\n\[… .* …\]\na{1600}$/],
    ['a higher', 200_000, 150_000, /^a{150000}$/],
  ])('goes by %s limit of the settings', async (_, offloadBytes, length, expected) => {
    const bench = await play('a'.repeat(length), [text('ok')], { settings: { offloadBytes } });
    expect(told(bench)[0]).toMatch(expected);
  });

  it('is what the log keeps when the blob is gone', async () => {
    const bench = await play('x'.repeat(60_000), [text('ok')]);
    const blob = resultsOf(bench)[0]?.blob ?? '';
    await bench.disk.files.remove(`/memory/sessions/session/${blob}`);
    bench.model.play(text('on'));
    await bench.send('on');
    expect(told(bench)[0]).toMatch(/^x+\n\[… \d+ of 60000 characters left out here …\]\nx+$/);
    expect(bench.told.join()).toContain('a request goes without a blob');
  });

  it('holds for a denial with long feedback too: nothing of a result is lost', async () => {
    const bench = await openBench({
      script: [calls([{ name: 'run', input: { command: 'x' } }]), text('ok')],
    });
    await bench.send('go');
    const [approval] = bench.log.state().approvals;
    const feedback = `because ${'of this '.repeat(3_000)}`;
    await bench.do({
      type: 'decide',
      call_id: approval?.call_id ?? '',
      decision: 'deny',
      scope: 'once',
      feedback,
    });
    expect(told(bench)[0]).toContain(feedback.trim());
    expect(Buffer.byteLength(resultsOf(bench)[0]?.content ?? '')).toBeLessThanOrEqual(8_192);
  });
});

describe('read_result', () => {
  const withTools: Partial<BenchOptions> = { tools: createTools(), allows: () => true };
  const whole = `${'修🔥'.repeat(30_000)}the end`;
  /** The file's lines are too long for `read`'s own limit of lines, not for its limit of characters. */
  const start = (script: Reply[]): Promise<Bench> => play(whole, script, withTools);

  it('gives a piece whole, however low the limit of the settings', async () => {
    const bench = await play(whole, [], { ...withTools, settings: { offloadBytes: 8_192 } });
    bench.model.play(
      readOn({ id: resultsOf(bench)[0]?.call_id ?? '', offset: 0, limit: 20_000 }),
      text('ok'),
    );
    await bench.send('on');
    expect(told(bench).at(-1)).toContain('修🔥'.repeat(10_000));
  });

  it('gives pieces by code points, at most 20 000, and is never cut again', async () => {
    const bench = await start([]);
    const id = resultsOf(bench)[0]?.call_id ?? '';
    bench.model.play(
      readOn({ id, offset: 0 }),
      readOn({ id, offset: 59_999, limit: 5 }),
      readOn({ id, offset: 20_000, limit: 20_000 }),
      text('ok'),
    );
    await bench.send('on');
    const [, first, second, third] = resultsOf(bench);
    expect([...(first?.content ?? '').split('\n\n[')[0]!]).toHaveLength(20_000);
    expect(first?.content).toContain('[Characters 0–20000 of 60007. Read on with offset 20000.]');
    expect(second?.content).toBe('🔥the \n\n[Characters 59999–60004 of 60007. Read on with offset 60004.]');
    expect(Buffer.byteLength(third?.content ?? '')).toBeGreaterThan(50_000);
    expect([first, second, third].map((part) => part?.blob)).toEqual([undefined, undefined, undefined]);
    expect(told(bench)[3]).toBe(third?.content);
  });

  it('knows the results of this session only, and says what is wrong', async () => {
    const bench = await start([]);
    const id = resultsOf(bench)[0]?.call_id ?? '';
    bench.model.play(
      readOn({ id: 'ffffffffffffffff' }),
      readOn({ id: '../other/blob' }),
      readOn({ id, offset: 60_007 }),
      readOn({ id, limit: 20_001 }),
      text('ok'),
    );
    await bench.send('on');
    const errors = resultsOf(bench).slice(1);
    expect(errors.map(({ is_error }) => is_error)).toEqual([true, true, true, true]);
    expect(errors[0]?.content).toContain('There is no result with id "ffffffffffffffff" in this session');
    expect(errors[2]?.content).toContain('offset 60007 is behind its end');
    expect(errors[3]?.content).toContain('20000');
  });
});

it('counts characters as a person does, and cuts between them', () => {
  expect(charsOf('a🔥\ud83d')).toBe(3);
  for (let pad = 0; pad < 8; pad++) {
    const whole = 'x'.repeat(pad) + '🔥é修a'.repeat(20_000);
    for (const cut of [loggedPart(whole).content, toldPart(whole, 'id')])
      expect(cut.isWellFormed()).toBe(true);
  }
});
