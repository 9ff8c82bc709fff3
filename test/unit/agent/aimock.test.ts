/** Whole turns against somebody else's model server, in all four protocols: our own must not be the only one who says how they look. */
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Protocol } from '../../model-server/index.js';
import { gaps, open, rows, turn, types, type Played } from './wire-bench.js';

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0, logLevel: 'silent' });
  await mock.start();
});
afterEach(() => mock.stop());

const paths: Record<Protocol, string> = {
  chat: '/v1',
  responses: '/v1',
  messages: '/v1',
  gemini: '/v1beta',
};

describe.each(Object.keys(paths) as Protocol[])('aimock, %s', (protocol) => {
  const start = (): Promise<Played> => open({ protocol, url: `${mock.url}${paths[protocol]}` });

  it('a text, and a second turn on it', async () => {
    mock.onMessage('go', { content: 'Hello from somebody else 修🔥' });
    mock.onMessage('and now?', { content: 'Still here.' });
    const played = await start();
    await turn(played);
    await turn(played, 'and now?');
    expect(await rows(played.bench)).toEqual([
      'user "go"',
      'assistant "Hello from somebody else 修🔥"',
      'user "and now?"',
      'assistant "Still here."',
    ]);
    expect(mock.getRequests()).toHaveLength(2);
    expect(played.bench.entries('usage')).toHaveLength(2);
  });

  it('calls, their results, and the answer', async () => {
    mock.on(
      { userMessage: 'go', hasToolResult: false },
      {
        toolCalls: [
          { name: 'read', arguments: '{"path":"a.txt"}' },
          { name: 'run', arguments: '{"command":"one"}' },
        ],
      },
    );
    mock.on({ hasToolResult: true }, { content: 'It says so.' });
    const played = await start();
    await turn(played);
    expect(played.bench.ran).toEqual(['read a.txt', 'run one']);
    expect((await rows(played.bench)).at(-1)).toBe('assistant "It says so."');
    const second = JSON.stringify(mock.getRequests()[1]?.body);
    expect(second).toContain('what stands in it');
    expect(second).toContain('ran one');
  });

  it('E1: limits, then answers', async () => {
    mock.onMessage('go', { content: 'At last.' });
    for (let n = 0; n < 2; n++) {
      mock.nextRequestError(429, { message: 'Slow down', type: 'rate_limit_error' });
    }
    const played = await start();
    await turn(played);
    expect(mock.getRequests()).toHaveLength(3);
    for (const gap of gaps(played.spans)) expect(gap).toBeGreaterThanOrEqual(250);
    expect(types(played.bench).at(-1)).toBe('turn_end completed');
    expect(played.waits.map(({ kind, attempt }) => `${kind} ${String(attempt)}`)).toEqual([
      'retry 1',
      'retry 2',
    ]);
  });

  it('E1: says when it may be asked again', async () => {
    mock.onMessage('go', {
      error: { message: 'Rate limited', type: 'rate_limit_error' },
      status: 429,
      retryAfter: 7,
    });
    const played = await start();
    await turn(played);
    for (const gap of gaps(played.spans)) expect(gap).toBeGreaterThanOrEqual(7_000);
    expect(played.bench.session.failure()).toMatchObject({ kind: 'rate', status: 429 });
  });

  it('D1: loses the connection in the middle, again and again: the last text stays, the next request has none of it', async () => {
    // Without a pause between its pieces it takes back what it has not sent yet.
    mock.onMessage(
      /^go$/,
      { content: `zigzag ${'and a long answer that never arrives whole '.repeat(4)}` },
      { chunkSize: 8, truncateAfterChunks: 8, latency: 3 },
    );
    mock.onMessage(/and now/, { content: 'Fine.' });
    const played = await start();
    await turn(played);
    expect(mock.getRequests()).toHaveLength(6);
    expect((await rows(played.bench)).at(-1)).toMatch(/^incomplete connection "zigzag/);
    await turn(played, 'and now?');
    expect(JSON.stringify(mock.getRequests().at(-1)?.body)).not.toContain('zigzag');
    expect((await rows(played.bench)).at(-1)).toBe('assistant "Fine."');
  });

  it('refuses for good: asked once, with the reason', async () => {
    mock.onMessage('go', { error: { message: 'Nope', type: 'invalid_request_error' }, status: 400 });
    const played = await start();
    await turn(played);
    expect(mock.getRequests()).toHaveLength(1);
    expect(played.bench.session.failure()).toMatchObject({ kind: 'refused', transient: false });
  });
});
