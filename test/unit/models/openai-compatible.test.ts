/** What is sent and what comes back when all goes well. */
import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import type { ModelRequest } from '../../../src/ports.js';
import { part, reply, startModelServer, type ModelServer } from '../../model-server/index.js';
import { attempt, chat, ends, parts, user } from './attempt.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const call = (call_id: string, name: string, input: unknown) => ({
  type: 'tool_call' as const,
  call_id,
  name,
  input,
});

const history: ModelRequest = {
  system: 'Be brief.',
  tools: [
    {
      name: 'read',
      description: 'Reads.',
      input_schema: { type: 'object', properties: { path: { type: 'string' } } },
    },
  ],
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'look' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'hmm' },
        { type: 'text', text: 'I look.' },
        call('c1', 'read', { path: 'a.ts' }),
        call('c2', 'read', {}),
      ],
    },
    {
      role: 'tool',
      parts: [
        { call_id: 'c1', name: 'read', content: 'text', is_error: false },
        { call_id: 'c2', name: 'read', content: 'no path', is_error: true },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
  ],
};

describe('the request', () => {
  it('sends system, history, tools and what the model states', async () => {
    server.enqueue(reply.text('ok'));
    await attempt(chat(server.url, { info: { maxOutput: 500, reasoning: 'low' } }), history);
    const { body } = server.requests[0] ?? {};
    expect(body).toEqual({
      model: 'scripted',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 500,
      reasoning_effort: 'low',
      tools: [
        {
          type: 'function',
          function: { name: 'read', description: 'Reads.', parameters: history.tools[0]?.input_schema },
        },
      ],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'look' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } },
            { id: 'c2', type: 'function', function: { name: 'read', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'text' },
        { role: 'tool', tool_call_id: 'c2', content: 'no path' },
        { role: 'user', content: 'go on' },
      ],
    });
  });

  it('states nothing that nobody stated', async () => {
    server.enqueue(reply.text('ok'));
    await attempt(chat(server.url), { ...user('hi'), system: ' ' });
    expect(Object.keys(server.requests[0]?.body ?? {}).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
    ]);
    expect(server.requests[0]?.body.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('turns reasoning off only when asked to', async () => {
    server.enqueue(reply.text('ok'));
    await attempt(chat(server.url, { info: { reasoning: 'off' } }));
    expect(server.requests[0]?.body.reasoning_effort).toBe('none');
  });

  it('sends the key as a bearer token, and no auth header without one', async () => {
    server.enqueue(reply.text('ok'), reply.text('ok'));
    await attempt(chat(server.url, { apiKey: 'sk-test-1', headers: { 'x-team': 'blue' } }));
    await attempt(chat(server.url));
    const [first, second] = server.requests;
    expect(first?.headers).toMatchObject({ authorization: 'Bearer sk-test-1', 'x-team': 'blue' });
    expect(second?.headers).not.toHaveProperty('authorization');
    expect(second?.headers).not.toHaveProperty('x-team');
  });

  it('asks for the key at each attempt', async () => {
    server.enqueue(reply.status(401), reply.text('ok'));
    const keys = [undefined, 'sk-late-key'];
    const model = chat(server.url, { key: () => Promise.resolve(keys.shift()) });
    expect((await attempt(model)).failure?.message).toContain('none is set');
    expect((await attempt(model)).failure).toBeUndefined();
    expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer sk-late-key' });
  });

  it('takes a base URL with and without a slash at its end', async () => {
    server.enqueue(reply.text('ok'));
    await attempt(chat(`${server.url}/`));
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('follows no redirect, so that neither key nor prompt goes elsewhere', async () => {
    const other = await startModelServer();
    server.enqueue(reply.status(307, { location: `${other.url}/chat/completions` }));
    const { failure } = await attempt(chat(server.url, { apiKey: 'sk-test-1', fetch: globalThis.fetch }));
    expect(failure).toMatchObject({ kind: 'refused', action: 'open-settings' });
    expect(failure?.message).toContain(other.url);
    expect(other.requests).toHaveLength(0);
    await other.close();
  });

  it('sends images, and says so to the model when it takes none', async () => {
    const request = (mime: string): ModelRequest => ({
      ...user(''),
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'see' },
            {
              type: mime.startsWith('image') ? 'image' : 'file',
              mime,
              name: 'x',
              bytes: new Uint8Array([1, 2, 3]),
            },
          ],
        },
      ],
    });
    server.script(() => reply.text('ok'));
    await attempt(chat(server.url), request('image/png'));
    await attempt(chat(server.url, { info: { images: false } }), request('image/png'));
    await attempt(chat(server.url), request('application/zip'));
    const sent = server.requests.map(({ body }) => (body.messages[1]?.content as unknown[])[1]);
    expect(sent[0]).toEqual({ type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } });
    expect(sent[1]).toEqual({
      type: 'text',
      text: '[The attachment "x" (image/png, 3 bytes) was not sent: this model takes no such files.]',
    });
    expect(sent[2]).toMatchObject({ text: expect.stringContaining('application/zip') });
  });

  it('C11: reasoning goes back to the servers that need it, empty too, and to no other', async () => {
    server.script(() => reply.text('ok'));
    const bare: ModelRequest = {
      ...history,
      messages: history.messages.map((message) =>
        message.role === 'assistant'
          ? { ...message, parts: message.parts.filter(({ type }) => type === 'tool_call') }
          : message,
      ),
    };
    const echoing = chat(server.url, { info: { id: 'deepseek-reasoner' } });
    await attempt(chat(server.url), history);
    await attempt(echoing, history);
    await attempt(echoing, bare);
    const told = server.requests.map(({ body }) => body.messages[2]);
    expect(told[0]).not.toHaveProperty('reasoning_content');
    expect(told[1]).toMatchObject({ reasoning_content: 'hmm' });
    expect(told[2]).toMatchObject({ reasoning_content: '', content: null });
  });

  it('C10: opaque metadata of a call comes back where it came from', async () => {
    const signed = { name: 'read', arguments: '{"path":"a"}' };
    server.enqueue(
      reply.stream(
        part.delta({
          tool_calls: [
            { index: 0, id: 'g1', function: signed, extra_content: { google: { thought_signature: 'SIG' } } },
          ],
        }),
        part.finish('tool_calls'),
        part.done(),
      ),
      reply.text('ok'),
    );
    const [received] = parts((await attempt(chat(server.url))).events);
    if (received?.type !== 'tool_call') throw new Error('no call came');
    const { provider_metadata } = received;
    await attempt(chat(server.url), {
      ...user('x'),
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'x' }] },
        {
          role: 'assistant',
          parts: [{ ...call('g1', 'read', { path: 'a' }), ...(provider_metadata && { provider_metadata }) }],
        },
        { role: 'tool', parts: [{ call_id: 'g1', name: 'read', content: 'y', is_error: false }] },
      ],
    });
    expect(server.requests[1]?.body.messages[2]?.tool_calls?.[0]).toEqual({
      id: 'g1',
      type: 'function',
      function: signed,
      extra_content: { google: { thought_signature: 'SIG' } },
    });
  });
});

describe('the answer', () => {
  it('gives deltas as they come, whole parts at the end, and usage with what was cached', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 80 },
    };
    server.enqueue(
      reply.stream(
        part.role(),
        part.reasoning('th', 'ink'),
        part.text('Hel', 'lo'),
        part.finish('stop'),
        part.usage(usage),
        part.done(),
      ),
    );
    const { events } = await attempt(chat(server.url));
    expect(events).toEqual([
      { type: 'response', status: 200 },
      { type: 'start', part: 'reasoning' },
      { type: 'reasoning', delta: 'th' },
      { type: 'reasoning', delta: 'ink' },
      { type: 'start', part: 'text' },
      { type: 'text', delta: 'Hel' },
      { type: 'text', delta: 'lo' },
      {
        type: 'part',
        part: {
          type: 'reasoning',
          text: 'think',
          provider_metadata: { compat: { field: 'reasoning_content' } },
        },
      },
      { type: 'part', part: { type: 'text', text: 'Hello' } },
      {
        type: 'finish',
        reason: 'stop',
        usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120, cache_read_tokens: 80 },
      },
    ]);
  });

  it('takes what a server says a request cost, and nothing that is no price', async () => {
    for (const [cost, kept] of [
      [0.0123, { cost: 0.0123 }],
      [-1, {}],
      ['0.01', {}],
    ] as const) {
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost };
      server.enqueue(reply.stream(part.text('a'), part.finish('stop'), part.usage(usage), part.done()));
      const last = (await attempt(chat(server.url))).events.at(-1);
      expect(last).toMatchObject({ type: 'finish' });
      expect(last?.type === 'finish' ? last.usage : undefined).toEqual({
        ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
        ...kept,
      });
    }
  });

  it('does without usage', async () => {
    server.enqueue(reply.stream(part.text('a'), part.finish('stop'), part.done()));
    expect((await attempt(chat(server.url))).last).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('keeps the usage of an attempt that failed after it was told', async () => {
    server.enqueue(reply.stream(part.text('a'), part.usage(), part.break()));
    expect((await attempt(chat(server.url))).last).toMatchObject({
      type: 'failure',
      usage: { input_tokens: 11, output_tokens: 7 },
    });
  });

  it('gives calls with their raw text and its value, several in order', async () => {
    server.enqueue(
      reply.calls(
        [
          { name: 'read', args: { path: 'ä.ts' }, fragment: 3 },
          { name: 'list', raw: '' },
        ],
        { text: 'I look.' },
      ),
    );
    const { events, last } = await attempt(chat(server.url));
    expect(last).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    expect(parts(events)).toEqual([
      { type: 'text', text: 'I look.' },
      {
        type: 'tool_call',
        provider_call_id: 'call_1',
        name: 'read',
        raw_input: '{"path":"ä.ts"}',
        input: { path: 'ä.ts' },
      },
      { type: 'tool_call', provider_call_id: 'call_2', name: 'list', raw_input: '', input: {} },
    ]);
    const shown = events.flatMap((event) =>
      event.type === 'tool_input' && event.index === 0 ? [event.delta] : [],
    );
    expect(shown.join('')).toBe('{"path":"ä.ts"}');
    expect(shown.length).toBeGreaterThan(3);
  });

  it.each([
    ['{"path":"a.ts","content":"xx', 'length', 'length'],
    ['{"path":"a.ts","content":"xx', 'tool_calls', 'tool_calls'],
    ['{"commands":["npm i","npm t"', 'tool_calls', 'tool_calls'],
    ['{"a":1} trailing', 'tool_calls', 'tool_calls'],
    ["{'a':1}", 'tool_calls', 'tool_calls'],
  ])('C14: arguments %s with finish %s stay as they came, without a value', async (raw, finish, reason) => {
    server.enqueue(reply.calls([{ name: 'write', raw }], { finish }));
    const { events, last } = await attempt(chat(server.url));
    expect(last).toMatchObject({ type: 'finish', reason });
    expect(parts(events)).toEqual([
      { type: 'tool_call', provider_call_id: 'call_1', name: 'write', raw_input: raw },
    ]);
  });

  it('C12: calls that share an id, or have none, stay two calls', async () => {
    server.enqueue(
      reply.calls([
        { name: 'a', id: 'same' },
        { name: 'b', id: 'same' },
        { name: 'c', id: '' },
        { name: 'd', id: null },
      ]),
    );
    const { events } = await attempt(chat(server.url));
    expect(parts(events)).toMatchObject([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }]);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['model_length', 'length'],
    ['STOP', 'stop'],
    ['something_new', 'other'],
  ])('finish reason %s is %s', async (raw, reason) => {
    server.enqueue(reply.stream(part.text('a'), part.finish(raw), part.done()));
    expect((await attempt(chat(server.url))).last).toEqual({ type: 'finish', reason });
  });

  it('passes over keepalives, frames without data and `error: null`', async () => {
    server.enqueue(
      reply.stream(
        part.comment(),
        part.raw('data:\n\n'),
        part.raw('event: ping\n\n'),
        part.frame({ error: null, choices: [{ index: 0, delta: { content: 'a' } }] }),
        part.text('b'),
        part.comment(),
        part.finish('stop'),
        part.done(),
      ),
    );
    const { events, text } = await attempt(chat(server.url));
    expect(ends(events)).toEqual(['finish']);
    expect(text).toBe('ab');
  });

  it('of several answers side by side takes the one that began, with its end alone', async () => {
    const choice = (index: number, content: string, finish_reason: string | null = null) => ({
      index,
      delta: { content },
      finish_reason,
    });
    server.enqueue(
      reply.stream(
        part.frame({ choices: [choice(0, 'a'), choice(1, 'X')] }),
        part.frame({ choices: [choice(1, 'Y', 'length')] }),
        part.frame({ choices: [choice(1, 'Z'), choice(0, 'b')] }),
        part.frame({ choices: [choice(0, 'c', 'stop')] }),
        part.done(),
      ),
      reply.stream(part.frame({ choices: [choice(1, 'Y', 'stop'), choice(0, 'a')] }), part.done()),
      reply.stream(
        part.frame({ choices: [choice(0, 'a')] }),
        part.frame({ choices: [choice(1, 'Y', 'stop')] }),
        part.done(),
      ),
    );
    const first = await attempt(chat(server.url));
    expect([first.text, first.last]).toEqual(['abc', { type: 'finish', reason: 'stop' }]);
    expect((await attempt(chat(server.url))).text).toBe('Y');
    // The end of another answer is not the end of this one.
    expect((await attempt(chat(server.url))).failure).toMatchObject({ kind: 'network', transient: true });
  });

  it('takes a stream whatever its content type claims, except a page', async () => {
    for (const type of ['text/plain', 'application/json', 'application/octet-stream']) {
      server.enqueue({ ...reply.text('ok'), headers: { 'content-type': type } });
      expect((await attempt(chat(server.url))).text).toBe('ok');
    }
  });
});
