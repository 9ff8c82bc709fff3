/** Someone else's model server, so that ours is not the only one who says how the protocol looks. */
import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import { LLMock } from '@copilotkit/aimock';
import { attempt, chat, ends, parts, user } from './attempt.js';

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, logLevel: 'silent' });
  await mock.start();
});
afterEach(() => mock.stop());

const model = () => chat(`${mock.url}/v1`, { info: { id: 'gpt-4o' } });

describe('aimock', () => {
  it('answers with text and usage', async () => {
    mock.onMessage('hello', {
      content: 'Hello from somebody else 🔥',
      usage: { prompt_tokens: 9, completion_tokens: 4 },
    });
    const { events, text, last } = await attempt(model(), user('hello'));
    expect(text).toBe('Hello from somebody else 🔥');
    expect(ends(events)).toEqual(['finish']);
    expect(last).toMatchObject({ reason: 'stop', usage: { input_tokens: 9, output_tokens: 4 } });
  });

  it('answers with reasoning', async () => {
    mock.onMessage('think', { content: '42', reasoning: 'long and hard' });
    const { events } = await attempt(model(), user('think'));
    expect(parts(events)).toMatchObject([
      { type: 'reasoning', text: 'long and hard' },
      { type: 'text', text: '42' },
    ]);
  });

  it('calls tools, and takes their results', async () => {
    mock.on(
      { userMessage: 'read', hasToolResult: false },
      { toolCalls: [{ name: 'read', arguments: '{"path":"a.ts"}', id: 'call_a' }] },
    );
    mock.onToolResult('call_a', { content: 'It says x.' });
    const first = await attempt(model(), user('read'));
    expect(first.last).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    expect(parts(first.events)).toMatchObject([
      { type: 'tool_call', provider_call_id: 'call_a', name: 'read', input: { path: 'a.ts' } },
    ]);
    const second = await attempt(model(), {
      ...user('read'),
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'read' }] },
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', call_id: 'call_a', name: 'read', input: { path: 'a.ts' } }],
        },
        { role: 'tool', parts: [{ call_id: 'call_a', name: 'read', content: 'x', is_error: false }] },
      ],
    });
    expect(second.text).toBe('It says x.');
  });

  it('is rate limited', async () => {
    mock.onMessage('again', {
      error: { message: 'Rate limited', type: 'rate_limit_error' },
      status: 429,
      retryAfter: 7,
    });
    const { events, failure } = await attempt(model(), user('again'));
    expect(failure).toMatchObject({ kind: 'rate', transient: true, status: 429, retry_after_ms: 7000 });
    expect(ends(events)).toEqual(['failure']);
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('loses the connection in the middle', async () => {
    mock.onMessage(
      'drop',
      { content: 'a long answer that never arrives whole' },
      { chunkSize: 4, truncateAfterChunks: 3 },
    );
    const { events, failure } = await attempt(model(), user('drop'));
    expect(failure).toMatchObject({ kind: 'network', transient: true });
    expect(ends(events)).toEqual(['failure']);
    expect(parts(events)).toEqual([]);
  });
});
