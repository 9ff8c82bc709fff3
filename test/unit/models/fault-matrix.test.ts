/**
 * Every fault over every wire protocol: one attempt is one request, ends once, as the right failure with the server's
 * hint, and gives no whole part. What may pass by itself, and when, is the agent's to act on.
 */
import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import {
  part,
  replies,
  startModelServer,
  type ModelServer,
  type Protocol,
  type Reply,
} from '../../model-server/index.js';
import { attempt, chat, clockAt, ends, parts, realClock, user } from './attempt.js';
import { faults, kindOf, now } from './fault-table.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const clock = clockAt(now);

describe.each(Object.keys(replies) as Protocol[])('%s', (protocol) => {
  const of = replies[protocol];
  const model = (options: Parameters<typeof chat>[1] = {}) =>
    chat(server.url, { kind: kindOf[protocol], clock, ...options });

  it.each(faults)('$name', async (fault) => {
    server.enqueue(fault.reply(of, protocol));
    const { events, text, failure } = await attempt(model());
    expect(failure).toMatchObject(fault.failure);
    expect(ends(events)).toEqual(['failure']);
    expect(parts(events)).toEqual([]);
    expect(text).toBe(fault.text ?? '');
    expect(server.requests).toHaveLength(1);
    if (fault.isFinal) expect(failure?.transient).toBe(!fault.isFinal(protocol));
    if (fault.hint !== undefined) {
      expect(failure?.retry_after_ms).toBe(fault.hint === 'none' ? undefined : fault.hint);
    }
  });

  it('names neither a key nor a path of ours in what it says', async () => {
    server.enqueue(of.error(401, { message: 'bad key sk-secret-12345678' }));
    const { failure } = await attempt(model({ apiKey: 'sk-secret-12345678' }));
    expect(JSON.stringify(failure)).not.toContain('sk-secret-12345678');
    expect(failure).toMatchObject({ kind: 'auth', action: 'set-key' });
  });

  it('no name, no server, no way there', async () => {
    const codes = [
      ['ENOTFOUND', false],
      ['EAI_AGAIN', true],
      ['ECONNREFUSED', true],
      ['ECONNRESET', true],
      ['ETIMEDOUT', true],
      ['UND_ERR_CONNECT_TIMEOUT', true],
      ['SELF_SIGNED_CERT_IN_CHAIN', false],
    ] as const;
    for (const [code, transient] of codes) {
      let asked = 0;
      const fetch: typeof globalThis.fetch = () => {
        asked += 1;
        return Promise.reject(
          new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }),
        );
      };
      const { events, failure } = await attempt(model({ fetch }));
      expect(failure).toMatchObject({ kind: 'network', code, transient });
      expect(ends(events)).toEqual(['failure']);
      expect(asked).toBe(1);
    }
  });

  it('ignores what comes behind the end: text, an error, rubbish, a reset', async () => {
    const more = replies[protocol].told({ content: [{ text: ['late'] }] }).steps;
    server.enqueue(
      of.followed(['a'], ...more, part.break()),
      of.followed(['a'], of.wire.errorFrame({ message: 'late' }), part.break()),
      of.followed(['a'], part.raw('data: {broken\n\n')),
      of.followed(['a'], part.break()),
    );
    for (let n = 0; n < 4; n += 1) {
      const { events, text } = await attempt(model());
      expect(ends(events)).toEqual(['finish']);
      expect(text).toBe('a');
      expect(parts(events)).toMatchObject([{ type: 'text', text: 'a' }]);
    }
  });

  it('D1: tells what the protocol calls the end from what only stands before it', async () => {
    const { steps } = of.text('a');
    const last = steps.length - 1;
    // All but the end itself: [DONE], response.completed, message_stop, the frame with the finish reason.
    const before = steps.slice(0, last);
    // Of a chat completion all that there is has come with the usage; the others have no such rule.
    const isWhole = protocol === 'chat';
    server.enqueue(
      { ...of.text('a'), steps: [...before, part.break()] },
      { ...of.text('a'), steps: before },
      { ...of.text('a'), steps: [...before, of.wire.errorFrame({ message: 'late' })] },
      { ...of.text('a'), steps: [...steps, part.break()] },
    );
    for (const end of [isWhole, isWhole, false, true]) {
      const { events, text, failure } = await attempt(model({ clock: realClock }));
      expect(ends(events)).toEqual([end ? 'finish' : 'failure']);
      expect(failure === undefined).toBe(end);
      expect(text).toBe('a');
    }
  });

  it('does not wait behind the end for a server that keeps the connection open', async () => {
    server.enqueue(of.followed(['a'], part.stall()));
    expect(ends((await attempt(model())).events)).toEqual(['finish']);
    expect(await server.requests[0]?.closed).toBe(true);
  });

  it.each([
    ['before the headers', () => of.silent()],
    ['in mid-stream', () => of.stall(['a'])],
    ['with pings only', () => of.pings(3, 'stall')],
  ])('a stall %s ends when the watchdog says so', async (_where, stalled) => {
    server.enqueue(stalled());
    const stop = new AbortController();
    const running = attempt(model(), user('hi'), { signal: stop.signal });
    const seen = await server.request(1);
    stop.abort();
    const { events, failure } = await running;
    expect(failure).toMatchObject({ kind: 'cancelled', transient: false });
    expect(ends(events)).toEqual(['failure']);
    expect(await seen.closed).toBe(true);
  });

  it('D11: pings reach onBytes at once and give no event', async () => {
    const held = of.hold([]);
    held.steps = [of.wire.ping(), of.wire.ping(), ...held.steps];
    server.enqueue(held);
    let bytes = 0;
    const content: string[] = [];
    const reading = (async () => {
      const options = { signal: new AbortController().signal, onBytes: () => void (bytes += 1) };
      for await (const event of model().attempt(user('hi'), options)) {
        if (event.type !== 'response' && event.type !== 'start') content.push(event.type);
      }
    })();
    await held.reached;
    await expect.poll(() => bytes).toBeGreaterThan(0);
    expect(content).toEqual([]);
    held.release();
    await reading;
    expect(content.at(-1)).toBe('finish');
  });

  it('D10: one byte per chunk splits no character, and surrogates that came apart come together', async () => {
    server.enqueue(of.chopped(of.text('修🔥', ' é'), 1));
    const whole = await attempt(model());
    expect(whole.text).toBe('修🔥 é');
    expect(ends(whole.events)).toEqual(['finish']);
    server.enqueue(of.text('\ud83d', '\udd25!'));
    const split = await attempt(model());
    expect(parts(split.events)).toMatchObject([{ type: 'text', text: '🔥!' }]);
  });

  it('C14: arguments cut by length stay what came, and the reason says so', async () => {
    server.enqueue(of.calls([{ name: 'write', raw: '{"path":"a.ts","content":"xx' }], { finish: 'length' }));
    const { events, last } = await attempt(model());
    expect(last).toMatchObject({ type: 'finish', reason: 'length' });
    expect(parts(events)).toMatchObject([
      { type: 'tool_call', name: 'write', raw_input: '{"path":"a.ts","content":"xx' },
    ]);
    expect(parts(events)[0]).not.toHaveProperty('input');
  });

  it('C12: calls with the same, an empty and an odd id stay what they are', async () => {
    const odd = 'fc:1/ä ' + 'x'.repeat(80);
    const ids = ['same', 'same', '', odd];
    server.enqueue(of.calls(ids.map((id, n) => ({ name: `tool_${n}`, args: { n }, id }))));
    const { events, last } = await attempt(model());
    expect(last).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    expect(parts(events)).toMatchObject(ids.map((_, n) => ({ name: `tool_${n}`, input: { n } })));
  });

  it('gives the text, then the calls, and usage with what was cached', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 80 } };
    const calls = [{ name: 'read', args: { path: 'ä' } }, { name: 'list' }];
    server.enqueue(of.calls(calls, { text: 'I look.', usage }));
    const { events, last } = await attempt(model());
    expect(parts(events)).toMatchObject([
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', name: 'read', input: { path: 'ä' } },
      { type: 'tool_call', name: 'list', input: {} },
    ]);
    expect(last).toMatchObject({
      type: 'finish',
      reason: 'tool_calls',
      usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120, cache_read_tokens: 80 },
    });
  });

  it('keeps the usage that a failed answer had told', async () => {
    const told: Record<Protocol, Reply> = {
      chat: of.told({ content: [{ text: ['a'] }] }, part.usage(), part.break()),
      responses: of.told(
        { content: [{ text: ['a'] }] },
        part.frame({
          type: 'response.failed',
          sequence_number: 9,
          response: {
            error: { code: 'server_error', message: 'x' },
            usage: { input_tokens: 11, output_tokens: 7 },
          },
        }),
      ),
      messages: of.told(
        { content: [{ text: ['a'] }] },
        part.frame({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 7 } }),
        part.break(),
      ),
      gemini: of.told(
        { content: [{ text: ['a'] }] },
        part.frame({ usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7 } }),
        part.break(),
      ),
    };
    server.enqueue(told[protocol]);
    const { last, events } = await attempt(model());
    expect(last).toMatchObject({ type: 'failure', usage: { input_tokens: 11, output_tokens: 7 } });
    expect(parts(events)).toEqual([]);
  });

  it('does without usage', async () => {
    server.enqueue(of.calls([{ name: 'read' }], { usage: null }));
    expect((await attempt(model())).last).toMatchObject({ type: 'finish', reason: 'tool_calls' });
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ] as const)('says that it ended by %s', async (reason, expected) => {
    server.enqueue(of.told({ content: [{ text: ['a'] }], end: { reason } }));
    expect((await attempt(model())).last).toMatchObject({ type: 'finish', reason: expected });
  });

  it('sends the key in the header of the protocol, and no such header without one', async () => {
    server.script(() => of.text('ok'));
    const names = ['authorization', 'x-api-key', 'x-goog-api-key'];
    const sent = async (options: Parameters<typeof chat>[1]) => {
      await attempt(model(options));
      const headers = server.requests.at(-1)?.headers ?? {};
      return names.flatMap((name) =>
        headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`],
      );
    };
    const expected = { chat: 0, responses: 0, messages: 1, gemini: 2 }[protocol];
    const value = expected === 0 ? 'Bearer sk-test-key' : 'sk-test-key';
    expect(await sent({ apiKey: 'sk-test-key' })).toEqual([`${names[expected]}: ${value}`]);
    expect(await sent({})).toEqual([]);
    expect(await sent({ headers: { Authorization: 'Basic eA==' } })).toEqual(['authorization: Basic eA==']);
  });

  it('takes no key and no address from the environment', async () => {
    const names = ['OPENAI', 'ANTHROPIC', 'GOOGLE_GENERATIVE_AI'];
    for (const name of names) process.env[`${name}_API_KEY`] = 'sk-of-the-environment';
    try {
      server.enqueue(of.text('ok'));
      expect(ends((await attempt(model())).events)).toEqual(['finish']);
      expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('sk-of-the-environment');
    } finally {
      for (const name of names) delete process.env[`${name}_API_KEY`];
    }
  });
});
