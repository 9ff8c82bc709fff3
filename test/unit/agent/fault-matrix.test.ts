/**
 * Every fault of a model server, over every wire protocol, as a whole turn meets it: how many requests it makes, how far
 * apart, what is shown meanwhile and at the end, what stands in the log, and what the next request carries. Real HTTP; the
 * clock of the waits is a fake one.
 */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIN_GAP_MS, defaultPolicy } from '../../../src/agent/retry.js';
import type { Fetch } from '../../../src/models/address.js';
import { nodeFetch } from '../../../src/models/node-fetch.js';
import { createWireModel } from '../../../src/models/wire-model.js';
import type { Clock, Model, ModelInfo } from '../../../src/ports.js';
import { rowsOf } from '../../../src/shared/fold/path.js';
import { replies, startModelServer, type ModelServer, type Protocol } from '../../model-server/index.js';
import { chatViolations, type ChatBody } from '../../protocols/chat-completions.js';
import { geminiViolations } from '../../protocols/gemini.js';
import { messagesViolations } from '../../protocols/messages.js';
import { responsesViolations } from '../../protocols/responses.js';
import { faults, kindOf, now, type Fault } from '../models/fault-table.js';
import { openBench, tell, type Bench, type BenchOptions } from './bench.js';
import type { FakeClock } from './fake-clock.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const modelOf: Record<Protocol, string> = {
  chat: 'gpt-oss',
  responses: 'gpt-4o',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
};

const violationsOf: Record<Protocol, (text: string) => string[]> = {
  chat: (text) => chatViolations(JSON.parse(text) as ChatBody),
  responses: (text) => responsesViolations(JSON.parse(text) as Record<string, unknown>),
  messages: (text) => messagesViolations(JSON.parse(text) as Record<string, unknown>),
  gemini: (text) => geminiViolations(JSON.parse(text) as Record<string, unknown>, modelOf.gemini),
};

/** One attempt in fake time. */
interface Span {
  began: number;
  ended: number;
  bytes: number;
}

/** Tells the time of the waits, but never waits itself: that is for what models do behind a whole answer. */
const atOnce = (clock: FakeClock): Clock => ({
  now: () => clock.now(),
  elapsed: () => clock.elapsed(),
  after: (_ms, fire) => {
    const timer = setImmediate(fire);
    return { dispose: () => clearImmediate(timer) };
  },
});

/** A real model whose attempts are measured by the fake clock. */
function measured(model: Model, clock: FakeClock, spans: Span[]): Model {
  return {
    info: model.info,
    async *attempt(request, options) {
      const span: Span = { began: clock.elapsed(), ended: Infinity, bytes: 0 };
      spans.push(span);
      const onBytes = (): void => {
        span.bytes += 1;
        options.onBytes();
      };
      try {
        yield* model.attempt(request, { ...options, onBytes });
      } finally {
        span.ended = clock.elapsed();
      }
    },
  };
}

interface Played {
  bench: Bench;
  spans: Span[];
  /** What was shown at the beginning of each wait. */
  waits: { kind: string; attempt: number; max: number; error: string; ms: number; hint: boolean }[];
}

interface World {
  protocol: Protocol;
  fetch?: Fetch;
  url?: string;
  options?: BenchOptions;
}

async function open({ protocol, fetch = nodeFetch, url, options }: World): Promise<Played> {
  const spans: Span[] = [];
  const info: ModelInfo = { provider: 'p', id: modelOf[protocol], label: 'The Model' };
  const bench = await openBench({
    startedAt: now,
    files: { 'a.txt': 'what stands in it' },
    allows: () => true,
    ...options,
    models: (clock) => {
      const model = createWireModel({
        kind: kindOf[protocol],
        info,
        baseUrl: url ?? server.url,
        key: () => Promise.resolve(undefined),
        fetch,
        clock: atOnce(clock),
      });
      const only = measured(model, clock, spans);
      return { resolve: () => Promise.resolve(only), list: () => Promise.resolve([info]) };
    },
  });
  return { bench, spans, waits: [] };
}

const shownWait = (played: Played): void => {
  const { wait } = played.bench.log.state();
  if (wait === null) throw new Error('it waits and says nothing of it');
  const { kind, attempt, max, error, delay_ms: ms, server_hint: hint, due_at } = wait;
  expect(Date.parse(due_at)).toBe(played.bench.clock.now() + ms);
  // What the failed attempt had shown is gone from the live view.
  expect(played.bench.session.growing()).toBeNull();
  played.waits.push({ kind, attempt, max, error, ms, hint });
};

/** Lets the turn go on until it ends, is parked, or asks: each wait is noted and then over at once. */
async function play(played: Played, silence: () => number = () => 0): Promise<void> {
  const { bench } = played;
  let isOver = false;
  const over = bench.session.settled().then(() => (isOver = true));
  while (!isOver) {
    await Promise.race([over, new Promise((resolve) => setImmediate(resolve))]);
    if (bench.session.run() === 'retrying' && bench.log.state().wait !== null) {
      shownWait(played);
      await bench.clock.advance(bench.log.state().wait?.delay_ms ?? 0);
    } else await bench.clock.advance(silence());
  }
}

/** Sends and plays to the end. */
async function turn(played: Played, text = 'go', silence?: () => number): Promise<void> {
  await played.bench.send(text);
  await play(played, silence);
}

/** From the end of an attempt to the beginning of the next. */
const gaps = (spans: readonly Span[]): number[] =>
  spans.slice(1).map(({ began }, index) => began - (spans[index]?.ended ?? Infinity));

/** What is in the log, usage aside: a failed answer may have told it too. */
const types = (bench: Bench): string[] =>
  bench.disk.entries
    .filter(({ type }) => type !== 'usage')
    .map((entry) =>
      entry.type === 'message'
        ? entry.role
        : entry.type === 'turn_end'
          ? `turn_end ${entry.status}`
          : entry.type,
    );

const rows = async ({ log, session }: Bench): Promise<string[]> =>
  rowsOf(await log.line(), log.outline, log.state(), session.run()).map((row) =>
    'entry' in row && (row.entry.type === 'message' || row.entry.type === 'incomplete_output')
      ? tell(row.entry)
      : row.kind,
  );

const begin = ['user', 'turn_start', 'model_change', 'step_start'];
const completed = ['assistant', 'step_end', 'turn_end completed'];

const expectedEnd = (fault: Fault, protocol: Protocol): 'retry' | 'resume' | 'fail' | 'park' => {
  const isFinal = fault.isFinal?.(protocol) ?? fault.failure.transient === false;
  if (isFinal) return 'fail';
  if (fault.text !== undefined || fault.hasCalls === true) return 'resume';
  const hint = typeof fault.hint === 'number' ? fault.hint : 0;
  return hint > defaultPolicy.maxDelay ? 'park' : 'retry';
};

const hintOf = ({ hint }: Fault): number => (typeof hint === 'number' ? hint : 0);

/** Without what was streamed and failed; with the prompt; acceptable to a strict provider. */
function expectCarries(protocol: Protocol, index: number, fault: Fault, ...said: string[]): void {
  const text = server.requests[index]?.text ?? '';
  expect(violationsOf[protocol](text)).toEqual([]);
  for (const words of said) expect(text).toContain(JSON.stringify(words).slice(1, -1));
  if (fault.text !== undefined) expect(text).not.toContain(fault.text);
  expect(text).not.toContain(fault.failure.code ?? 'zigzag');
}

describe.each(Object.keys(replies) as Protocol[])('%s', (protocol) => {
  const of = replies[protocol];
  const byEnd = (end: string): Fault[] => faults.filter((fault) => expectedEnd(fault, protocol) === end);

  it.each(byEnd('retry'))('$name: is asked again, and nothing of it is left', async (fault) => {
    const played = await open({ protocol });
    server.enqueue(fault.reply(of, protocol), of.text('all ', 'well'));
    await turn(played);
    const { bench, spans, waits } = played;
    expect(server.requests).toHaveLength(2);
    const [gap = 0] = gaps(spans);
    expect(gap).toBeGreaterThanOrEqual(Math.max(hintOf(fault), MIN_GAP_MS));
    // No longer than the server asked and our own backoff gives.
    expect(gap).toBeLessThanOrEqual(fault.hint === undefined ? 3_000 : Math.max(hintOf(fault), 1_000));
    expect(waits).toMatchObject([{ kind: 'retry', attempt: 1, max: 4 }]);
    if (fault.hint !== undefined) expect(waits[0]?.hint).toBe(hintOf(fault) > 0);
    expect(waits[0]?.error).not.toBe('');
    expect(types(bench)).toEqual([...begin, 'retry_start', 'step_start', 'retry_end', ...completed]);
    expect(bench.entries('step_start')).toMatchObject([{ step: 1 }, { step: 1 }]);
    expect(await rows(bench)).toEqual(['user "go"', 'assistant "all well"']);
    expect(bench.session.failure()).toBeNull();
    expectCarries(protocol, 1, fault, 'go');
    expect(server.requests[1]?.text).toBe(server.requests[0]?.text);
  });

  it.each(byEnd('resume'))('$name: the step starts again, and nothing of it is left', async (fault) => {
    const played = await open({ protocol });
    server.enqueue(fault.reply(of, protocol), of.text('all ', 'well'));
    await turn(played);
    const { bench, spans, waits } = played;
    expect(server.requests).toHaveLength(2);
    const [gap = 0] = gaps(spans);
    expect(gap).toBeGreaterThanOrEqual(2_500);
    expect(gap).toBeLessThanOrEqual(5_000);
    expect(waits).toMatchObject([{ kind: 'resume', attempt: 1, max: 5 }]);
    expect(types(bench)).toEqual([...begin, 'resume_start', 'step_start', ...completed]);
    expect(bench.entries('step_start')).toMatchObject([{ step: 1 }, { step: 1 }]);
    expect(await rows(bench)).toEqual(['user "go"', 'assistant "all well"']);
    expect(await bench.disk.journal()).toBeNull();
    expectCarries(protocol, 1, fault, 'go');
  });

  it.each(byEnd('resume'))(
    '$name: again and again, it ends with the last text and a failure',
    async (fault) => {
      const played = await open({ protocol });
      server.script(() => fault.reply(of, protocol));
      await turn(played);
      const { bench, spans, waits } = played;
      expect(server.requests).toHaveLength(6);
      expect(waits.map(({ kind, attempt }) => `${kind} ${String(attempt)}`)).toEqual(
        [1, 2, 3, 4, 5].map((n) => `resume ${String(n)}`),
      );
      gaps(spans).forEach((gap, index) => {
        const most = Math.min(80_000, 5_000 * 2 ** index);
        expect(gap).toBeGreaterThanOrEqual(most / 2);
        expect(gap).toBeLessThanOrEqual(most);
      });
      expect(bench.entries('step_start').every((entry) => 'step' in entry && entry.step === 1)).toBe(true);
      expect(types(bench).slice(-2)).toEqual(['step_end', 'turn_end failed']);
      const kept = fault.text === undefined ? [] : [`incomplete ${reasonOf(fault)} "${fault.text}"`];
      expect(await rows(bench)).toEqual(['user "go"', ...kept]);
      expect(bench.session.failure()).toMatchObject(fault.failure);
      await goesOn(played, fault);
    },
  );

  it.each(byEnd('fail'))('$name: is not asked again, and says why', async (fault) => {
    const played = await open({ protocol });
    server.enqueue(fault.reply(of, protocol));
    await turn(played);
    const { bench, waits } = played;
    expect(server.requests).toHaveLength(1);
    expect(waits).toEqual([]);
    const kept = fault.text === undefined ? [] : ['incomplete_output'];
    const told = types(bench).filter((type) => type !== 'overflow_recovery');
    expect(told).toEqual([...begin, ...kept, 'step_end', 'turn_end failed']);
    expect(bench.session.failure()).toMatchObject(fault.failure);
    expect(bench.session.run()).toBe('idle');
    await goesOn(played, fault);
  });

  it.each(byEnd('park'))(
    '$name: is parked, never asked before its time, and then when the person says so',
    async (fault) => {
      const played = await open({ protocol });
      server.enqueue(fault.reply(of, protocol), of.text('all ', 'well'));
      await turn(played);
      const { bench } = played;
      expect(bench.session.run()).toBe('parked');
      shownWait(played);
      expect(played.waits).toMatchObject([{ kind: 'parked', attempt: 1, ms: hintOf(fault), hint: true }]);
      expect(types(bench)).toEqual([...begin, 'retry_start']);
      await bench.clock.advance(hintOf(fault) - 1);
      expect(await bench.do({ type: 'retry_now' })).toMatchObject({ code: 'RetryNotAllowed' });
      await bench.clock.advance(1);
      expect(server.requests).toHaveLength(1);
      await bench.do({ type: 'retry_now' });
      await play(played);
      expect(server.requests).toHaveLength(2);
      expect(gaps(played.spans)[0]).toBeGreaterThanOrEqual(hintOf(fault));
      expect(await rows(bench)).toEqual(['user "go"', 'assistant "all well"']);
      expectCarries(protocol, 1, fault, 'go');
    },
  );

  /** A prompt after it is answered; its request has nothing of what failed. */
  async function goesOn(played: Played, fault: Fault): Promise<void> {
    const before = server.requests.length;
    server.script(() => of.text('fine'));
    await turn(played, 'and now?');
    expect(server.requests).toHaveLength(before + 1);
    expectCarries(protocol, before, fault, 'go', 'and now?');
    expect((await rows(played.bench)).at(-1)).toBe('assistant "fine"');
    expect(played.bench.session.failure()).toBeNull();
  }

  it('E1 E5: a server that always answers 429 with a hint is asked within its budgets only', async () => {
    const played = await open({ protocol });
    server.script(() =>
      of.error(429, { message: 'slow down', type: 'rate_limit_error' }, { 'retry-after': '20' }),
    );
    await turn(played);
    const { bench, spans, waits } = played;
    // Four attempts a request, five resumes a turn, and never sooner than it said.
    expect(server.requests).toHaveLength(24);
    for (const gap of gaps(spans)) expect(gap).toBeGreaterThanOrEqual(20_000);
    expect(waits.filter(({ kind }) => kind === 'resume')).toHaveLength(5);
    expect(types(bench).at(-1)).toBe('turn_end failed');
    const starts = bench.entries('retry_start').length;
    expect(bench.entries('retry_end')).toHaveLength(starts);
    expect(bench.entries('retry_end').every((entry) => 'success' in entry && !entry.success)).toBe(true);
  });

  it.each([
    // Five minutes are more than the request's retries may take.
    ['before the headers', () => of.silent(), 'resume', 300_000],
    ['in mid-stream', () => of.stall(['zig', 'zag']), 'resume', 60_000],
    ['with pings only', () => of.pings(3, 'stall'), 'retry', 60_000],
  ])('D11: a stall %s is noticed and passes', async (_where, stalled, kind, silence) => {
    const played = await open({ protocol });
    server.enqueue(stalled(), of.text('all ', 'well'));
    const { bench, spans } = played;
    const arrived = server.request(1);
    const hasBytes = silence === 60_000;
    const seen = (): boolean => !hasBytes || (spans[0]?.bytes ?? 0) > 0;
    let isThere = false;
    void arrived.then(() => (isThere = true));
    let hasStalled = false;
    await turn(played, 'go', () => {
      const isGrown = kind === 'retry' || !hasBytes || bench.session.growing()?.text === 'zigzag';
      if (hasStalled || !isThere || !seen() || !isGrown) return 0;
      hasStalled = true;
      return silence;
    });
    expect(server.requests).toHaveLength(2);
    expect((spans[0]?.ended ?? 0) - (spans[0]?.began ?? 0)).toBe(silence);
    expect(played.waits).toMatchObject([{ kind, attempt: 1 }]);
    expect(played.waits[0]?.error).toMatch(/sent nothing for/);
    expect(await rows(bench)).toEqual(['user "go"', 'assistant "all well"']);
    expect(await server.requests[0]?.closed).toBe(true);
    expect(server.requests[1]?.text).not.toContain('zigzag');
  });

  it.each([
    ['ENOTFOUND', 'fail'],
    ['EAI_AGAIN', 'retry'],
    ['ECONNRESET', 'retry'],
    ['ETIMEDOUT', 'retry'],
    ['UND_ERR_CONNECT_TIMEOUT', 'retry'],
    ['EHOSTUNREACH', 'retry'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'fail'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'fail'],
  ])('%s: %s', async (code, end) => {
    let asked = 0;
    const fetch: Fetch = (input, init) => {
      asked += 1;
      const cause = Object.assign(new Error(code), { code });
      return asked === 1 ? Promise.reject(new TypeError('fetch failed', { cause })) : nodeFetch(input, init);
    };
    server.enqueue(of.text('all ', 'well'));
    const played = await open({ protocol, fetch });
    await turn(played);
    expect(asked).toBe(end === 'retry' ? 2 : 1);
    expect(types(played.bench).at(-1)).toBe(end === 'retry' ? 'turn_end completed' : 'turn_end failed');
    if (end === 'fail') expect(played.bench.session.failure()).toMatchObject({ kind: 'network', code });
    else expect(gaps(played.spans)[0]).toBeGreaterThanOrEqual(500);
  });

  it('nothing answers at the address: asked as often as the budgets say, and said in words that help', async () => {
    const port = await freePort();
    const played = await open({ protocol, url: `http://127.0.0.1:${String(port)}/v1` });
    await turn(played);
    expect(played.spans).toHaveLength(24);
    for (const gap of gaps(played.spans)) expect(gap).toBeGreaterThanOrEqual(MIN_GAP_MS);
    expect(played.bench.session.failure()).toMatchObject({
      kind: 'network',
      code: 'ECONNREFUSED',
      action: 'open-settings',
    });
  });

  it.each([
    ['a reset', { do: 'break' }],
    ['silence', { do: 'stall' }],
    ['an error', of.wire.errorFrame({ message: 'late' })],
    ['rubbish', { do: 'write', text: 'data: {broken\n\n' }],
  ] as const)('%s behind the end is no fault', async (_what, more) => {
    const played = await open({ protocol });
    server.enqueue(of.followed(['all ', 'well'], more));
    await turn(played);
    expect(server.requests).toHaveLength(1);
    expect(types(played.bench)).toEqual([...begin, ...completed]);
    expect(await rows(played.bench)).toEqual(['user "go"', 'assistant "all well"']);
  });

  it.each([
    ['D10: one byte per chunk', () => of.chopped(of.text('修🔥', ' é'), 1), '修🔥 é'],
    ['D10: split surrogates', () => of.text('\ud83d', '\udd25!'), '🔥!'],
    [
      'no usage',
      () => of.told({ content: [{ text: ['all well'] }], end: { reason: 'stop', usage: null } }),
      'all well',
    ],
  ])('%s: the text is whole in view, log and next request', async (_what, reply, text) => {
    const played = await open({ protocol });
    server.enqueue(reply());
    await turn(played);
    expect(await rows(played.bench)).toEqual(['user "go"', `assistant "${text}"`]);
    server.enqueue(of.text('fine'));
    await turn(played, 'and now?');
    expect(server.requests[1]?.text).toContain(text);
    expect(violationsOf[protocol](server.requests[1]?.text ?? '')).toEqual([]);
  });

  it.each(['length', 'tool_calls'] as const)(
    'C14: arguments cut in their middle with finish %s are never run; the next request says so',
    async (finish) => {
      const played = await open({ protocol });
      server.enqueue(
        of.calls([{ name: 'write', raw: '{"path":"a.txt","content":"zigzag' }], { finish }),
        of.text('all ', 'well'),
      );
      await turn(played);
      expect(played.bench.ran).toEqual([]);
      expect(played.bench.workspace.text('a.txt')).toBe('what stands in it');
      expect(server.requests).toHaveLength(2);
      const text = server.requests[1]?.text ?? '';
      expect(violationsOf[protocol](text)).toEqual([]);
      expect(text).not.toContain('zigzag');
      expect(text).toContain('The call was not run');
      expect(types(played.bench).at(-1)).toBe('turn_end completed');
    },
  );

  it('C14: whole calls of a step that was cut by length are not run either', async () => {
    const played = await open({ protocol });
    server.enqueue(
      of.calls(
        [
          { name: 'run', args: { command: 'one' } },
          { name: 'run', raw: '{"comm' },
        ],
        { finish: 'length' },
      ),
      of.text('well'),
    );
    await turn(played);
    expect(played.bench.ran).toEqual([]);
    expect(violationsOf[protocol](server.requests[1]?.text ?? '')).toEqual([]);
  });

  it('C12: calls with the same, an empty, a missing and an odd id each run once and are answered by name', async () => {
    const odd = `fc:1/ä ${'x'.repeat(80)}`;
    const ids = protocol === 'chat' ? ['same', 'same', '', odd] : ['same', 'same', '', odd, 'last'];
    const played = await open({ protocol });
    server.enqueue(
      of.calls(ids.map((id, n) => ({ name: 'run', args: { command: `n${String(n)}` }, id }))),
      of.text('all ', 'well'),
    );
    await turn(played);
    expect(played.bench.ran).toEqual(ids.map((_, n) => `run n${String(n)}`));
    const text = server.requests[1]?.text ?? '';
    expect(violationsOf[protocol](text)).toEqual([]);
    ids.forEach((_, n) => expect(text.split(`ran n${String(n)}`)).toHaveLength(2));
    expect(text).not.toContain(odd);
  });

  it('what finished before the fault is neither asked nor run again', async () => {
    const played = await open({ protocol });
    server.enqueue(
      of.calls([{ name: 'run', args: { command: 'one' } }], { text: 'I run.' }),
      of.cut(['zig', 'zag']),
      of.error(503, { message: 'busy' }),
      of.text('all ', 'well'),
    );
    await turn(played);
    const { bench } = played;
    expect(bench.ran).toEqual(['run one']);
    expect(server.requests).toHaveLength(4);
    expect(bench.entries('step_start')).toMatchObject([{ step: 1 }, { step: 2 }, { step: 2 }, { step: 2 }]);
    for (const index of [1, 2, 3]) {
      const text = server.requests[index]?.text ?? '';
      expect(text).toContain('ran one');
      expect(text).not.toContain('zigzag');
      expect(violationsOf[protocol](text)).toEqual([]);
    }
    expect(await rows(bench)).toEqual([
      'user "go"',
      'assistant "I run." run({"command":"one"})',
      'assistant "all well"',
    ]);
  });

  it('D5: a stop in mid-stream keeps the text, marked, and out of the next request', async () => {
    const played = await open({ protocol });
    const held = of.hold(['zig', 'zag']);
    server.enqueue(held);
    await played.bench.send('go');
    await expect.poll(() => played.bench.session.growing()?.text).toBe('zigzag');
    await played.bench.do({ type: 'stop' });
    expect(await rows(played.bench)).toEqual(['user "go"', 'incomplete stopped "zigzag"']);
    expect(await server.requests[0]?.closed).toBe(true);
    server.enqueue(of.text('fine'));
    await turn(played, 'and now?');
    expectCarries(
      protocol,
      1,
      { name: '', reply: () => held, failure: {}, text: 'zigzag' },
      'go',
      'and now?',
    );
  });
});

const reasonOf = ({ failure }: Fault): string => (failure.kind === 'network' ? 'connection' : 'error');

/** A port that nobody listens at. */
async function freePort(): Promise<number> {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  await new Promise((resolve) => listening.close(resolve));
  return port;
}
