/**
 * Everything that can go wrong with an answer, against a raw server, over both fetches: each fault is one request, the
 * right failure, and never a normal end.
 */
import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import { nodeFetch } from '../../../src/models/node-fetch.js';
import type { Failure } from '../../../src/shared/failure.js';
import { part, reply, startModelServer, type ModelServer, type Reply } from '../../model-server/index.js';
import { attempt, chat, ends, parts } from './attempt.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

interface Fault {
  name: string;
  reply: () => Reply;
  failure: Partial<Failure>;
  /** What had been streamed by then. */
  text: string;
}

const whole = [part.finish('stop'), part.done()];
const call = { name: 'read', args: { path: 'a.ts' } };

const faults: Fault[] = [
  // D1: an end of the bytes is no end of the answer.
  {
    name: 'D1: the connection breaks after three deltas',
    reply: () => reply.cut(['a', 'b', 'c']),
    text: 'abc',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: the body ends after two deltas',
    reply: () => reply.unfinished(['a', 'b']),
    text: 'ab',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: zero events',
    reply: () => reply.empty(),
    text: '',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: keepalives and an end',
    reply: () => reply.stream(part.comment(), part.comment()),
    text: '',
    failure: { kind: 'network' },
  },
  {
    name: 'D1: a whole tool call without an end',
    reply: () => reply.stream(part.role(), part.calls(call)),
    text: '',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: a whole tool call, then the connection breaks',
    reply: () => reply.stream(part.calls(call), part.break()),
    text: '',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: [DONE] without a finish reason',
    reply: () => reply.stream(part.text('a'), part.done()),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: the connection breaks between finish reason and [DONE]',
    reply: () => reply.stream(part.text('a'), part.finish('stop'), part.break()),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: the connection breaks behind usage that was counted before the finish reason',
    reply: () => reply.stream(part.text('a'), part.usage(), part.finish('stop'), part.break()),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D3: an error behind finish reason and usage, before [DONE]',
    reply: () =>
      reply.stream(
        part.text('a'),
        part.finish('stop'),
        part.usage(),
        part.frame({ error: { message: 'Overloaded', type: 'overloaded_error' } }),
      ),
    text: 'a',
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D1: the last frame is cut in its middle',
    reply: () => reply.stream(part.text('a'), part.raw('data: {"choices":[{"index":0,"delta":{},"finish_re')),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'the socket is reset before any header',
    reply: () => reply.reset(),
    text: '',
    failure: { kind: 'network', transient: true, code: 'ECONNRESET' },
  },
  {
    name: 'the connection breaks after the headers',
    reply: () => reply.stream(part.break()),
    text: '',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'a finish reason that is a failure',
    reply: () => reply.stream(part.text('a'), part.finish('error'), part.done()),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },

  {
    name: 'D1: tool calls are announced and none comes',
    reply: () => reply.stream(part.text('a'), part.finish('tool_calls'), part.done()),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },

  // D3: an error hides in a stream that began with 200.
  {
    name: 'D3: an error frame before [DONE]',
    reply: () => reply.errorInStream(['a'], { message: 'quota' }),
    text: 'a',
    failure: { kind: 'rate', transient: false },
  },
  {
    name: 'D3: an overloaded error in the stream',
    reply: () => reply.errorInStream(['a', 'b']),
    text: 'ab',
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D3: a rate limit in the stream',
    reply: () => reply.errorInStream([], { message: 'slow', code: 'rate_limit_exceeded' }),
    text: '',
    failure: { kind: 'rate', transient: true },
  },
  {
    name: 'D3: an error that is a text',
    reply: () => reply.errorInStream(['a'], 'kaputt'),
    text: 'a',
    failure: { kind: 'refused', transient: false, detail: '"kaputt"' },
  },
  {
    name: 'D3: an error frame, then a normal end',
    reply: () =>
      reply.stream(part.text('a'), part.frame({ error: { message: 'x', code: 502 } }), part.text('b'), whole),
    text: 'a',
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D3: an error beside choices',
    reply: () =>
      reply.stream(
        part.frame({
          error: { message: 'x', code: 502 },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        }),
        part.done(),
      ),
    text: '',
    failure: { kind: 'overloaded' },
  },
  {
    name: 'D3: an error of the choice',
    reply: () =>
      reply.stream(
        part.frame({ choices: [{ index: 0, delta: {}, error: { message: 'x', code: 429 } }] }),
        whole,
      ),
    text: '',
    failure: { kind: 'rate', transient: true },
  },
  {
    name: 'D3: a frame that is an error itself',
    reply: () =>
      reply.stream(
        part.frame({ object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }),
        part.done(),
      ),
    text: '',
    failure: { kind: 'refused', transient: false },
  },
  {
    name: 'D3: event: error without data',
    reply: () => reply.errorEvent(['a']),
    text: 'a',
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D3: event: error with data',
    reply: () => reply.errorEvent(['a'], { error: { type: 'overloaded_error', message: 'x' } }),
    text: 'a',
    failure: { kind: 'overloaded', transient: true, code: 'overloaded_error' },
  },
  {
    name: 'D3: event: error with text, then a normal end',
    reply: () => reply.stream(part.text('a'), part.raw('event: error\ndata: engine died\n\n'), whole),
    text: 'a',
    failure: { kind: 'refused', transient: false },
  },
  {
    name: 'D3: a page with 200',
    reply: () => reply.html(),
    text: '',
    failure: { kind: 'network', transient: false, action: 'open-settings' },
  },
  {
    name: 'D3: a page with 200 that claims to be a stream',
    reply: () =>
      reply.status(200, { 'content-type': 'text/event-stream' }, '<html>\n<p>portal</p>\n\n</html>'),
    text: '',
    failure: { kind: 'network', transient: false, detail: '<html> <p>portal</p> </html>' },
  },
  {
    name: 'D3: JSON with 200',
    reply: () => reply.status(200, {}, { choices: [{ message: { content: 'hi' } }] }),
    text: '',
    failure: { kind: 'network', transient: false },
  },
  {
    name: 'D3: an error as JSON with 200',
    reply: () => reply.status(200, {}, { error: { message: 'x', type: 'overloaded_error' } }),
    text: '',
    failure: { kind: 'overloaded', transient: true },
  },

  {
    name: 'a broken chunk',
    reply: () => reply.broken(['a']),
    text: 'a',
    failure: { kind: 'network', transient: true, detail: '{"id":"chatcmpl-1", broken' },
  },
  {
    name: 'a chunk that is no object',
    reply: () => reply.stream(part.text('a'), part.frame('7'), whole),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'a chunk that is no chat completion',
    reply: () => reply.stream(part.text('a'), part.frame({ hello: 1 }), whole),
    text: 'a',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'arguments that belong to no call',
    reply: () =>
      reply.stream(
        part.calls({ name: 'a', args: {} }, { name: 'b', args: {} }),
        part.delta({ tool_calls: [{ function: { arguments: '{"x":1}' } }] }),
        part.finish('tool_calls'),
        part.done(),
      ),
    text: '',
    failure: { kind: 'network' },
  },

  ...[
    [408, 'overloaded', true],
    [409, 'overloaded', true],
    [425, 'overloaded', true],
    [429, 'rate', true],
    [500, 'overloaded', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
    [400, 'refused', false],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'refused', false],
    [413, 'overflow', false],
    [422, 'refused', false],
    [307, 'refused', false],
  ].map(([status, kind, transient]): Fault => ({
    name: `status ${status}`,
    reply: () => reply.status(status as number, { location: 'http://127.0.0.1:9/' }),
    text: '',
    failure: { kind: kind as Failure['kind'], transient: transient as boolean, status: status as number },
  })),
  {
    name: 'E1: 429 with Retry-After',
    reply: () => reply.error(429, { message: 'slow down' }, { 'retry-after': '3' }),
    text: '',
    failure: { kind: 'rate', transient: true, retry_after_ms: 3000 },
  },
  {
    name: 'a 429 that is quota',
    reply: () => reply.error(429, { message: 'x', code: 'insufficient_quota' }, { 'retry-after': '3' }),
    text: '',
    failure: { kind: 'rate', transient: false },
  },
  {
    name: 'an error body that breaks off',
    reply: () => ({ status: 503, headers: {}, steps: [part.raw('{"error":{"mess'), part.break()] }),
    text: '',
    failure: { kind: 'overloaded', transient: true, status: 503 },
  },
];

for (const [title, fetch] of [
  ['node fetch', nodeFetch],
  ['global fetch', globalThis.fetch],
] as const) {
  describe(`a fault over ${title}`, () => {
    it.each(faults)('$name', async (fault) => {
      server.enqueue(fault.reply());
      const { events, text, failure } = await attempt(chat(server.url, { fetch }));
      expect(failure).toMatchObject(fault.failure);
      expect(ends(events)).toEqual(['failure']);
      expect(parts(events)).toEqual([]);
      expect(text).toBe(fault.text);
      expect(server.requests).toHaveLength(1);
    });

    it('D3: whatever comes after the end is ignored', async () => {
      server.enqueue(
        reply.stream(
          part.text('a'),
          part.finish('stop'),
          part.done(),
          part.text('b'),
          part.frame({ error: { message: 'late' } }),
          part.raw('data: {broken\n\n'),
        ),
      );
      const { events, text } = await attempt(chat(server.url, { fetch }));
      expect(ends(events)).toEqual(['finish']);
      expect(text).toBe('a');
    });

    it('ends at [DONE] although the server keeps the connection open', async () => {
      server.enqueue(reply.stream(part.text('a'), part.finish('stop'), part.done(), part.stall()));
      const { events } = await attempt(chat(server.url, { fetch }));
      expect(ends(events)).toEqual(['finish']);
      expect(await server.requests[0]?.closed).toBe(true);
    });

    it.each([
      ['a break', part.break()],
      ['silence', part.stall()],
    ])('takes a finish reason and the usage for the whole, though %s follows', async (_, more) => {
      server.enqueue(
        reply.stream(part.text('a'), part.calls(call), part.finish('tool_calls'), part.usage(), more),
      );
      const { events, last } = await attempt(chat(server.url, { fetch }));
      expect(last).toMatchObject({ type: 'finish', reason: 'tool_calls', usage: { total_tokens: 18 } });
      expect(parts(events)).toHaveLength(2);
    });

    it('takes a finish reason and an orderly end of the body for the whole', async () => {
      server.enqueue(reply.stream(part.text('a'), part.finish('stop')));
      expect((await attempt(chat(server.url, { fetch }))).last).toMatchObject({
        type: 'finish',
        reason: 'stop',
      });
    });

    it('nothing listens: says so, names the address, opens the settings', async () => {
      const gone = await startModelServer();
      await gone.close();
      const { events, failure } = await attempt(chat(gone.url, { fetch }));
      expect(ends(events)).toEqual(['failure']);
      expect(failure).toMatchObject({
        kind: 'network',
        transient: true,
        code: 'ECONNREFUSED',
        action: 'open-settings',
      });
      expect(failure?.message).toContain(gone.url);
    });

    it('D10: one byte a chunk, in the middle of every character', async () => {
      server.enqueue(reply.chopped(reply.text('修', '🔥 é', '修'), 1));
      const { text, last } = await attempt(chat(server.url, { fetch }));
      expect(text).toBe('修🔥 é修');
      expect(last).toMatchObject({ type: 'finish' });
    });

    it('D11: keepalives reach onBytes at once and give no event', async () => {
      const held = reply.hold([]);
      held.steps = [part.comment(), part.comment(), ...held.steps];
      server.enqueue(held);
      const seen = new AbortController();
      let bytes = 0;
      const events: string[] = [];
      const reading = (async () => {
        const options = { signal: seen.signal, onBytes: () => void (bytes += 1) };
        for await (const event of chat(server.url, { fetch }).attempt(hello, options))
          events.push(event.type);
      })();
      await held.reached;
      await expect.poll(() => bytes).toBeGreaterThan(0);
      expect(events.filter((type) => type !== 'response' && type !== 'start')).toEqual([]);
      held.release();
      await reading;
      expect(events.at(-1)).toBe('finish');
    });

    it('D11: a stalled stream ends as soon as the signal says so, and the server sees it', async () => {
      server.enqueue(reply.stall(['a']));
      const stop = new AbortController();
      const { events, failure, text } = await attempt(chat(server.url, { fetch }), hello, {
        signal: stop.signal,
        onEvent: (event) => event.type === 'text' && stop.abort(new Error('any reason')),
      });
      expect(failure).toMatchObject({ kind: 'cancelled', transient: false });
      expect(ends(events)).toEqual(['failure']);
      expect(text).toBe('a');
      expect(await server.requests[0]?.closed).toBe(true);
    });

    it('D14: stops before the first header, too', async () => {
      server.enqueue(reply.silent());
      const stop = new AbortController();
      const running = attempt(chat(server.url, { fetch }), hello, { signal: stop.signal });
      const seen = await server.request(1);
      stop.abort();
      expect((await running).failure).toMatchObject({ kind: 'cancelled' });
      expect(await seen.closed).toBe(true);
    });
  });
}

const hello = {
  system: '',
  messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'hello' }] }],
  tools: [],
};

describe('stopping', () => {
  it('sends nothing when the signal has fired before', async () => {
    const { failure, events } = await attempt(chat(server.url), hello, { signal: AbortSignal.abort() });
    expect(failure).toMatchObject({ kind: 'cancelled' });
    expect(events).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
  });

  it('does not depend on a fetch that listens to the signal', async () => {
    const deaf: typeof globalThis.fetch = () => new Promise(() => undefined);
    const stop = new AbortController();
    const running = attempt(chat(server.url, { fetch: deaf }), hello, { signal: stop.signal });
    stop.abort();
    expect((await running).failure).toMatchObject({ kind: 'cancelled' });
  });

  it('lets go of the connection when nobody reads on', async () => {
    server.enqueue(reply.stall(['a', 'b']));
    const options = { signal: new AbortController().signal, onBytes: () => undefined };
    for await (const event of chat(server.url).attempt(hello, options)) if (event.type === 'text') break;
    expect(await server.requests[0]?.closed).toBe(true);
  });

  it('a secret store that fails is a failure, not a throw', async () => {
    const model = chat(server.url, { key: () => Promise.reject(new Error('the keyring is locked')) });
    const { failure } = await attempt(model);
    expect(failure?.message).toContain('the keyring is locked');
    expect(server.requests).toHaveLength(0);
  });
});
