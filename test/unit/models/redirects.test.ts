/** A key goes to the origin it was set for and nowhere else: no redirect is followed, whoever fetches, whatever is asked. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listModels } from '../../../src/models/catalog.js';
import { nodeFetch } from '../../../src/models/node-fetch.js';
import { isFailure } from '../../../src/shared/failure.js';
import {
  replies,
  reply,
  startModelServer,
  type ModelServer,
  type Protocol,
} from '../../model-server/index.js';
import { attempt, chat, realClock } from './attempt.js';
import { kindOf } from './fault-table.js';

let server: ModelServer;
let other: ModelServer;
beforeEach(async () => {
  [server, other] = await Promise.all([startModelServer(), startModelServer()]);
});
afterEach(() => Promise.all([server.close(), other.close()]));

const KEY = 'sk-test-planted-key-1234';
const fetchers = [
  ['node:http', nodeFetch],
  ['the global fetch', globalThis.fetch],
] as const;

describe.each(Object.keys(replies) as Protocol[])('%s', (protocol) => {
  const kind = kindOf[protocol];

  it.each(
    fetchers.flatMap(([name, fetch]) =>
      [301, 302, 303, 307, 308].map((code) => [name, code, fetch] as const),
    ),
  )(
    'over %s, a request that is redirected (%i) carries neither key nor prompt elsewhere',
    async (_name, code, fetch) => {
      other.script(() => replies[protocol].text('caught you'));
      server.enqueue(reply.status(code, { location: `${other.url}/chat/completions` }));
      const { failure, text } = await attempt(chat(server.url, { kind, fetch, apiKey: KEY }));
      expect(failure).toMatchObject({ kind: 'refused', transient: false, action: 'open-settings' });
      expect(JSON.stringify(failure)).not.toContain(KEY);
      expect(text).toBe('');
      expect(server.requests).toHaveLength(1);
      expect(JSON.stringify(server.requests[0]?.headers)).toContain(KEY);
      expect([other.requests, other.others]).toEqual([[], []]);
    },
  );

  it.each(fetchers)('over %s, the list of models neither', async (_name, fetch) => {
    server.models(reply.status(302, { location: `${other.url}/models` }));
    const found = await listModels({
      kind,
      provider: 'p',
      baseUrl: server.url,
      headers: {},
      key: KEY,
      fetch,
      clock: realClock,
      timeoutMs: 5_000,
    });
    expect(isFailure(found)).toBe(true);
    expect(JSON.stringify(found)).not.toContain(KEY);
    expect(server.others).toHaveLength(1);
    expect([other.requests, other.others]).toEqual([[], []]);
  });
});
