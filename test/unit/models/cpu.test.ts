import { describe, it, expect } from 'vitest';
import { reply } from '../../model-server/index.js';
import { attempt, chat, parts } from './attempt.js';

const CHUNK = 1400;

/** Serves bytes in network-sized chunks without a network. */
const fetchOf = (bytes: Uint8Array): typeof globalThis.fetch => {
  let at = 0;
  return () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(at, at + CHUNK));
        at += CHUNK;
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
};

describe('long arguments', () => {
  // Far above what it costs (half a second here, goal under one): parsing all for each delta would cost minutes.
  it('D12: 400 KB of arguments in 20-byte deltas are read once, not once a delta', async () => {
    const content = 'x'.repeat(400_000);
    const { steps } = reply.calls([{ name: 'write', args: { path: 'a.txt', content }, fragment: 20 }]);
    const text = steps.map((step) => (step.do === 'write' ? step.text : '')).join('');
    const before = process.cpuUsage();
    const { events, last } = await attempt(
      chat('http://127.0.0.1:9/v1', { fetch: fetchOf(Buffer.from(text)) }),
    );
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    process.stdout.write(`D12: ${seconds.toFixed(2)} s CPU for ${events.length} events\n`);
    expect(last).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    expect(parts(events)).toMatchObject([{ input: { content } }]);
    expect(seconds).toBeLessThan(10);
  }, 60_000);
});
