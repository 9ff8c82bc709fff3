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
import { replies, startModelServer, type ModelServer, type Protocol } from '../../model-server/index.js';
import { faults, type Fault } from '../models/fault-table.js';
import {
  gaps,
  open as openWire,
  play,
  rows,
  shownWait,
  turn,
  types,
  violationsOf,
  type Played,
  type World,
} from './wire-bench.js';
import { quickly } from '../runs.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const open = (world: Omit<World, 'url'> & { url?: string }): Promise<Played> =>
  openWire({ url: server.url, ...world });

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

describe.each(quickly(Object.keys(replies) as Protocol[], 4))('%s', (protocol) => {
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
