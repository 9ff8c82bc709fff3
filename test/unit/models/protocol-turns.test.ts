/** What is the protocols' own: signatures that go back, marks for the cache, words that libraries must not take amiss. */
import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import type { ModelMessage, ModelRequest, ToolSpec } from '../../../src/ports.js';
import type { Kind } from '../../../src/models/kinds.js';
import {
  part,
  replies,
  startModelServer,
  type ModelServer,
  type Protocol,
  type Reply,
} from '../../model-server/index.js';
import { countMarks } from '../../protocols/messages.js';
import { attempt, chat, ends, parts, user, type Attempted } from './attempt.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

type Sent = Record<string, unknown>;
const body = (n: number): Sent => JSON.parse(server.requests[n]?.text ?? '{}') as Sent;
const tools: ToolSpec[] = ['list', 'read'].map((name) => ({
  name,
  description: 'Reads.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
}));

/** The conversation when the parts that came were answered. */
const answered = ({ events }: Attempted): ModelRequest => {
  const received = parts(events).map((one, n) =>
    one.type === 'tool_call'
      ? {
          type: 'tool_call' as const,
          call_id: one.provider_call_id ?? `id${n}`,
          name: one.name,
          input: one.input,
          ...(one.provider_metadata && { provider_metadata: one.provider_metadata }),
        }
      : one,
  );
  const results = received.flatMap((one) =>
    one.type === 'tool_call'
      ? [{ call_id: one.call_id, name: one.name, content: 'text', is_error: false }]
      : [],
  );
  const messages: ModelMessage[] = [
    ...user('look').messages,
    { role: 'assistant', parts: received },
    ...(results.length > 0 ? [{ role: 'tool' as const, parts: results }] : []),
    ...user('go on').messages,
  ];
  return { system: 'Be brief.', tools, messages };
};

/** Answers once, sends what came back again, and gives both. */
const twice = async (kind: Kind, reply: Reply, id: string) => {
  server.enqueue(reply, reply);
  const model = chat(server.url, { kind, info: { id, reasoning: 'low' } });
  const first = await attempt(model, { ...user('look'), tools });
  await attempt(model, answered(first));
  return { first, sent: body(1) };
};

const thinking = (protocol: Protocol): Reply =>
  replies[protocol].told({
    content: [
      { reasoning: ['hm', 'm'], signature: 'U0lHTkVE' },
      { text: ['I look.'] },
      { calls: [{ name: 'read', args: { path: 'a' } }] },
    ],
    end: { reason: 'tool_calls' },
  });

describe('responses', () => {
  it('stores nothing, and sends sealed reasoning back with what it led to', async () => {
    const { first, sent } = await twice('openai', thinking('responses'), 'gpt-5.1');
    expect(parts(first.events)).toMatchObject([
      {
        type: 'reasoning',
        text: 'hmm',
        provider_metadata: { openai: { itemId: 'rs_0', reasoningEncryptedContent: 'U0lHTkVE' } },
      },
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', name: 'read' },
    ]);
    expect(sent).toMatchObject({ store: false, stream: true, include: ['reasoning.encrypted_content'] });
    expect(sent['input']).toMatchObject([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user' },
      {
        type: 'reasoning',
        id: 'rs_0',
        encrypted_content: 'U0lHTkVE',
        summary: [{ type: 'summary_text', text: 'hmm' }],
      },
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call_output', output: 'text' },
      { role: 'user' },
    ]);
    expect(sent['tools']).toMatchObject([{ strict: false }, { strict: false }]);
  });

  it('keeps reasoning that has no summary', async () => {
    const reply = replies.responses.told({
      content: [{ reasoning: [] }, { calls: [{ name: 'read' }] }],
      end: { reason: 'tool_calls' },
    });
    const { sent } = await twice('openai', reply, 'gpt-5.1');
    expect(sent['input']).toMatchObject([
      {},
      {},
      { type: 'reasoning', encrypted_content: 'SIGNED', summary: [] },
      { type: 'function_call' },
      { type: 'function_call_output' },
      {},
    ]);
  });

  it.each([
    ['with its error', { error: { code: 'rate_limit_exceeded', message: 'slow' } }, 'rate', true],
    ['without a word', { error: null }, 'overloaded', true],
    ['for its prompt', { error: { code: 'invalid_prompt', message: 'bad prompt' } }, 'refused', false],
  ])('failed %s is a failure', async (_name, response, kind, transient) => {
    server.enqueue(
      replies.responses.told(
        { content: [] },
        part.frame({ type: 'response.failed', sequence_number: 3, response }),
      ),
    );
    const { failure, events } = await attempt(chat(server.url, { kind: 'openai' }));
    expect(failure).toMatchObject({ kind, transient });
    expect(ends(events)).toEqual(['failure']);
  });

  it('says what a refusal is', async () => {
    const delta = {
      type: 'response.refusal.delta',
      item_id: 'msg_0',
      output_index: 0,
      content_index: 0,
      delta: 'no',
    };
    const { steps } = replies.responses.told({
      content: [{ text: [part.frame(delta)] }],
      end: { reason: 'stop' },
    });
    server.enqueue({ ...replies.responses.empty(), steps });
    const { last, text } = await attempt(chat(server.url, { kind: 'openai' }));
    expect(text).toBe('no');
    expect(last).toMatchObject({ type: 'finish', reason: 'content_filter' });
  });

  it('a call that was begun and never done is a failure, though the response completes', async () => {
    const { steps } = replies.responses.told({ content: [{ calls: [{ name: 'read' }] }], isOpen: true });
    const done = replies.responses.text('x').steps.slice(-1);
    server.enqueue({ ...replies.responses.empty(), steps: [...steps, ...done] });
    const { failure, events } = await attempt(chat(server.url, { kind: 'openai' }));
    expect(failure).toMatchObject({ kind: 'network', transient: true });
    expect(parts(events)).toEqual([]);
  });
});

describe('messages', () => {
  it('C8: thinking comes with its signature and goes back as it came', async () => {
    const { first, sent } = await twice('anthropic', thinking('messages'), 'claude-sonnet-4-5');
    expect(parts(first.events)[0]).toEqual({
      type: 'reasoning',
      text: 'hmm',
      provider_metadata: { anthropic: { signature: 'U0lHTkVE' } },
    });
    expect(sent['thinking']).toMatchObject({ type: 'enabled' });
    expect((sent['messages'] as Sent[])[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hmm', signature: 'U0lHTkVE' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', name: 'read', input: { path: 'a' } },
      ],
    });
  });

  it('a signature that stands alone in the log is enough; thinking of another protocol is not sent', async () => {
    server.script(() => replies.messages.text('ok'));
    const reasoning = (extra: object): ModelRequest => ({
      ...user(''),
      messages: [
        ...user('a').messages,
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 't', ...extra },
            { type: 'text', text: 'b' },
          ],
        },
        ...user('c').messages,
      ],
    });
    const model = chat(server.url, { kind: 'anthropic' });
    await attempt(model, reasoning({ signature: 'S' }));
    await attempt(model, reasoning({ provider_metadata: { google: { thoughtSignature: 'S' } } }));
    const sent = [0, 1].map((n) => (body(n)['messages'] as { content: Sent[] }[])[1]?.content);
    expect(sent[0]).toMatchObject([{ type: 'thinking', signature: 'S' }, { type: 'text' }]);
    expect(sent[1]).toMatchObject([{ type: 'text' }]);
    expect(sent[1]).toHaveLength(1);
  });

  it('answers calls of another model without thinking, which would be missed', async () => {
    server.script(() => replies.messages.text('ok'));
    const request: ModelRequest = {
      system: '',
      tools,
      messages: [
        ...user('a').messages,
        { role: 'assistant', parts: [{ type: 'tool_call', call_id: 'c1', name: 'read', input: {} }] },
        { role: 'tool', parts: [{ call_id: 'c1', name: 'read', content: 'x', is_error: true }] },
      ],
    };
    await attempt(
      chat(server.url, { kind: 'anthropic', info: { id: 'claude-sonnet-4-5', reasoning: 'high' } }),
      request,
    );
    expect(body(0)['thinking']).not.toMatchObject({ type: 'enabled' });
    expect((body(0)['messages'] as { content: Sent[] }[])[2]?.content).toMatchObject([{ is_error: true }]);
  });

  it('marks system, tools and the last two turns of the user for the cache', async () => {
    server.script(() => replies.messages.text('ok'));
    const turn = (text: string): ModelMessage[] => [
      ...user(text).messages,
      { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] },
    ];
    const messages = [...turn('1'), ...turn('2'), ...turn('3'), ...user('4').messages];
    await attempt(chat(server.url, { kind: 'anthropic' }), { system: 'Be brief.', tools, messages });
    const sent = body(0);
    const marks = (sent['messages'] as Sent[]).map(countMarks);
    expect(countMarks(sent['system'])).toBe(1);
    expect((sent['tools'] as Sent[]).map(countMarks)).toEqual([0, 1]);
    expect(marks).toEqual([0, 0, 0, 0, 1, 0, 1]);
    expect(countMarks(sent)).toBe(4);
    expect(sent['max_tokens']).toBe(32_000);
  });

  it('passes over events and deltas that are new', async () => {
    const fresh = [
      part.frame({ type: 'something_new', x: 1 }),
      part.frame({ type: 'content_block_delta', index: 0, delta: { type: 'news_delta', news: 'x' } }),
    ];
    server.enqueue(
      replies.messages.told({ content: [{ text: ['a', ...fresh, 'b'] }], end: { reason: 'stop' } }),
    );
    const { events, text } = await attempt(chat(server.url, { kind: 'anthropic' }));
    expect(ends(events)).toEqual(['finish']);
    expect(text).toBe('ab');
  });

  it('is not complete with a stop reason alone', async () => {
    const { steps } = replies.messages.text('a');
    server.enqueue({ ...replies.messages.empty(), steps: steps.slice(0, -1) });
    const { failure } = await attempt(chat(server.url, { kind: 'anthropic' }));
    expect(failure).toMatchObject({ kind: 'network', transient: true });
  });

  it('a call whose block never stops is a failure, though the message does', async () => {
    const { steps } = replies.messages.told({ content: [{ calls: [{ name: 'read' }] }], isOpen: true });
    const done = replies.messages.text('x').steps.slice(-2);
    server.enqueue({ ...replies.messages.empty(), steps: [...steps, ...done] });
    const { failure, events } = await attempt(chat(server.url, { kind: 'anthropic' }));
    expect(failure).toMatchObject({ kind: 'network', transient: true });
    expect(parts(events)).toEqual([]);
  });
});

describe('Gemini', () => {
  it('C10: signatures come with their part and go back with it', async () => {
    const { first, sent } = await twice('google', thinking('gemini'), 'gemini-3-pro-preview');
    expect(parts(first.events)).toMatchObject([
      { type: 'reasoning', text: 'hmm' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', provider_metadata: { google: { thoughtSignature: 'SIGNED' } } },
    ]);
    const contents = sent['contents'] as { role: string; parts: Sent[] }[];
    expect(contents[1]?.parts.at(-1)).toMatchObject({
      functionCall: { name: 'read', args: { path: 'a' } },
      thoughtSignature: 'SIGNED',
    });
    expect(contents[2]?.parts).toMatchObject([{ functionResponse: { name: 'read' } }]);
    expect(sent['generationConfig']).toMatchObject({ thinkingConfig: { includeThoughts: true } });
  });

  it('a signature of text stays with the text, though it comes behind it', async () => {
    server.enqueue(
      replies.gemini.told(
        { content: [{ text: ['a', 'b'] }] },
        part.frame({
          candidates: [
            {
              content: { role: 'model', parts: [{ text: '', thoughtSignature: 'S' }] },
              finishReason: 'STOP',
            },
          ],
        }),
      ),
    );
    const { events } = await attempt(chat(server.url, { kind: 'google' }));
    expect(parts(events)).toEqual([
      { type: 'text', text: 'ab', provider_metadata: { google: { thoughtSignature: 'S' } } },
    ]);
  });

  it('a finish reason with every frame ends nothing before the last one', async () => {
    const piece = (text: string) =>
      part.frame({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] });
    server.enqueue(replies.gemini.told({ content: [] }, piece('a'), piece('b'), piece('c')));
    const { text, events } = await attempt(chat(server.url, { kind: 'google' }));
    expect(text).toBe('abc');
    expect(ends(events)).toEqual(['finish']);
  });

  it('of several candidates takes the one that began', async () => {
    const candidate = (index: number | undefined, text: string, more: object = {}) => ({
      ...(index !== undefined && { index }),
      content: { role: 'model', parts: [{ text }] },
      ...more,
    });
    server.enqueue(
      replies.gemini.told(
        { content: [] },
        part.frame({ candidates: [candidate(undefined, 'a'), candidate(1, 'X')] }),
        part.frame({ candidates: [candidate(1, 'Y', { finishReason: 'MAX_TOKENS' })] }),
        part.frame({ candidates: [candidate(1, 'Z'), candidate(0, 'b', { finishReason: 'STOP' })] }),
      ),
    );
    const { text, last } = await attempt(chat(server.url, { kind: 'google' }));
    expect([text, last]).toMatchObject(['ab', { type: 'finish', reason: 'stop' }]);
  });

  it('counts what is told behind the finish reason', async () => {
    server.enqueue(
      replies.gemini.told(
        { content: [{ text: ['a'] }], end: { reason: 'stop', usage: null } },
        part.frame({
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 3 },
        }),
      ),
    );
    const { last } = await attempt(chat(server.url, { kind: 'google' }));
    expect(last).toMatchObject({ usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 } });
  });

  it('never sends a second request for the rest of a long answer', async () => {
    server.enqueue(
      replies.gemini.told(
        { content: [{ text: ['a'] }] },
        part.frame({
          candidates: [
            {
              content: { role: 'model', parts: [{ text: 'b' }] },
              finishReason: 'CONTINUATION',
              continuationToken: 'T',
            },
          ],
        }),
      ),
    );
    const { last, text } = await attempt(chat(server.url, { kind: 'google' }));
    expect(text).toBe('ab');
    expect(last).toMatchObject({ type: 'finish', reason: 'length' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }, 'refused', false],
    [
      'a call that went wrong',
      { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      'network',
      true,
    ],
  ])('%s is a failure', async (_name, frame, kind, transient) => {
    server.enqueue(replies.gemini.told({ content: [] }, part.frame(frame)));
    const { failure, events } = await attempt(chat(server.url, { kind: 'google' }));
    expect(failure).toMatchObject({ kind, transient });
    expect(ends(events)).toEqual(['failure']);
  });
});
