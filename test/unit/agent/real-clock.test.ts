/** The same waits by the real clock and over real HTTP: the server itself sees how far apart the requests are. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultPolicy } from '../../../src/agent/retry.js';
import { createAgentSession } from '../../../src/agent/session.js';
import type { AgentSession, RetryPolicy } from '../../../src/agent/types.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { nodeFetch } from '../../../src/models/node-fetch.js';
import { createWireModel } from '../../../src/models/wire-model.js';
import type { ModelInfo } from '../../../src/ports.js';
import { replies, startModelServer, type ModelServer, type Protocol } from '../../model-server/index.js';
import { kindOf } from '../models/fault-table.js';
import { realClock } from '../models/attempt.js';
import { fakeWorkspace } from '../tools/fake-workspace.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

let lastId = 0;
const ids = {
  entry: () => (++lastId).toString(16).padStart(16, '0'),
  session: () => `s${String(++lastId)}`,
};

async function open(protocol: Protocol, retry: Partial<RetryPolicy> = {}): Promise<AgentSession> {
  const info: ModelInfo = { provider: 'p', id: 'm', label: 'M' };
  const model = createWireModel({
    kind: kindOf[protocol],
    info,
    baseUrl: server.url,
    key: () => Promise.resolve(undefined),
    fetch: nodeFetch,
    clock: realClock,
  });
  const log = await createMemoryStore({ clock: realClock, ids, producer: 'bough/test' }).create();
  return createAgentSession(log, {
    models: { resolve: () => Promise.resolve(model), list: () => Promise.resolve([info]) },
    tools: [],
    workspace: fakeWorkspace({ files: {} }),
    clock: realClock,
    ids,
    settings: () => ({
      retry: { ...defaultPolicy, ...retry },
      idleTimeout: 60_000,
      compactAt: 0.92,
      keepRecentTokens: 20_000,
      offloadBytes: 50_000,
      maxSteps: 200,
      maxContinuations: 30,
      maxCost: 0,
      maxDuration: 0,
      model: 'p/m',
    }),
    redact: { keys: (text) => text, tokens: (text) => text, begun: () => 0 },
    rules: { allows: () => false, describe: ({ subject }) => subject, remember: () => Promise.resolve(null) },
    surroundings: () =>
      Promise.resolve({ system: 'Linux', shell: 'sh', date: '2026-01-01', instructions: [] }),
    random: Math.random,
    log: () => undefined,
  });
}

const go = async (session: AgentSession): Promise<void> => {
  await session.dispatch({ type: 'send', text: 'go', mentions: [], mode: 'send' });
};

const gaps = (): number[] =>
  server.requests.slice(1).map(({ at }, index) => at - (server.requests[index]?.at ?? Infinity));

const rate = { message: 'slow down', type: 'rate_limit_error' };
const retryInfo = {
  error: {
    code: 429,
    message: 'slow down',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.7s' }],
  },
};

it.each([
  ['chat', 'seconds', () => replies.chat.error(429, rate, { 'retry-after': '1' }), 1_000],
  ['responses', 'ms', () => replies.responses.error(429, rate, { 'retry-after-ms': '600' }), 600],
  [
    'messages',
    'a date',
    // A date has whole seconds: the wait may be up to one shorter than it reads.
    () => replies.messages.error(429, rate, { 'retry-after': new Date(Date.now() + 2_000).toUTCString() }),
    900,
  ],
  ['gemini', 'what its body says', () => replies.gemini.status(429, {}, retryInfo), 700],
  ['chat', 'garbage', () => replies.chat.error(429, rate, { 'retry-after': 'soon' }), 250],
  ['messages', 'zero', () => replies.messages.error(529, rate, { 'retry-after': '0' }), 250],
] as const)(
  'E1 E2: %s waits as long as the server asked, twice: %s',
  async (protocol, _name, fault, least) => {
    const session = await open(protocol, { initialDelay: 10 });
    server.script((_request, index) => (index < 2 ? fault() : replies[protocol].text('well')));
    await go(session);
    await session.settled();
    expect(server.requests).toHaveLength(3);
    for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(least);
    expect(session.failure()).toBeNull();
  },
);

it('never asks twice within 250 ms, however often the person says now', async () => {
  const session = await open('chat');
  server.script((_request, index) =>
    index < 3 ? replies.chat.error(503, { message: 'busy' }) : replies.chat.text('well'),
  );
  await go(session);
  let isOver = false;
  const over = session.settled().then(() => (isOver = true));
  while (!isOver) {
    await session.dispatch({ type: 'retry_now' });
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 5))]);
  }
  expect(server.requests).toHaveLength(4);
  for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(250);
});
