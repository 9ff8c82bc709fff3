import { afterEach, beforeEach, describe, it, expect } from 'vitest';
import { createModels, type ModelsParts } from '../../../src/models/registry.js';
import type { Clock, Model } from '../../../src/ports.js';
import { isFailure, type Failure } from '../../../src/shared/failure.js';
import { replies, reply, startModelServer, type ModelServer } from '../../model-server/index.js';
import { attempt, realClock } from './attempt.js';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

/** Never sends anything: remote hosts are only named in these tests. */
const noNetwork: typeof globalThis.fetch = () =>
  Promise.reject(Object.assign(new Error('there is no network'), { code: 'ENOTFOUND' }));

const models = (providers: Record<string, unknown>, parts: Partial<ModelsParts> = {}) =>
  createModels({
    providers: () => providers,
    key: () => Promise.resolve(undefined),
    fetch: noNetwork,
    clock: realClock,
    local: [],
    ...parts,
  });
const local = (extra: object = {}) => ({ kind: 'openai-compatible', baseUrl: server.url, ...extra });
const remote = (extra: object = {}) => ({
  kind: 'openai-compatible',
  baseUrl: 'https://api.acme.test/v1',
  ...extra,
});
const named = (outcome: Model | Failure): string =>
  isFailure(outcome) ? `failure: ${outcome.message}` : `${outcome.info.provider}/${outcome.info.id}`;
const failed = (outcome: Model | Failure): Failure => {
  if (!isFailure(outcome)) throw new Error(`found ${named(outcome)}`);
  return outcome;
};

describe('a model by name', () => {
  it('is found, and answers', async () => {
    server.enqueue(reply.text('hi'));
    const found = await models({ acme: local() }).resolve('acme/m-1');
    if (isFailure(found)) throw new Error(found.message);
    expect(found.info).toEqual({ provider: 'acme', id: 'm-1', label: 'm-1 (acme)', local: true });
    expect((await attempt(found)).text).toBe('hi');
    expect(server.requests[0]?.body.model).toBe('m-1');
  });

  it('carries what the settings state about it', async () => {
    const listed = {
      id: 'm-1',
      contextWindow: 8000,
      maxOutput: 500,
      reasoning: 'high',
      images: false,
      tools: true,
    };
    const found = await models({ acme: remote({ models: [listed] }) }).resolve('acme/m-1');
    expect(found).toMatchObject({ info: { ...listed, local: false } });
  });

  it('may have slashes in its id, and its provider in its name', async () => {
    const all = { 'open/router': remote(), open: remote() };
    expect(named(await models(all).resolve('open/router/anthropic/claude'))).toBe(
      'open/router/anthropic/claude',
    );
    expect(await models(all).resolve('open/router/anthropic/claude')).toMatchObject({
      info: { provider: 'open/router', id: 'anthropic/claude' },
    });
    expect(await models(all).resolve('open/x')).toMatchObject({ info: { provider: 'open', id: 'x' } });
  });

  it('is the demo without any settings', async () => {
    expect(named(await models({}).resolve('demo/tour'))).toBe('demo/tour');
  });

  it('of a local server needs no settings', async () => {
    server.enqueue(reply.text('hi'));
    const found = await models(
      {},
      { local: [{ name: 'ollama', title: 'Ollama', baseUrl: server.url }] },
    ).resolve('ollama/llama3');
    if (isFailure(found)) throw new Error(found.message);
    expect((await attempt(found)).text).toBe('hi');
  });

  it('of the host comes from its source', async () => {
    const found = await models({}).resolve('demo/tour');
    if (isFailure(found)) throw new Error(found.message);
    const source = {
      provider: 'vscode',
      resolve: (id: string) => Promise.resolve({ ...found, info: { ...found.info, id } }),
      list: () => Promise.resolve([]),
    };
    expect(await models({}, { extra: [source] }).resolve('vscode/copilot/gpt')).toMatchObject({
      info: { id: 'copilot/gpt' },
    });
  });

  it.each([
    ['nobody/m', { acme: remote() }, 'open-settings', /no provider "nobody".*acme/],
    ['nobody/m', {}, 'open-settings', /no provider "nobody"/],
    [
      'acme/other',
      { acme: remote({ models: [{ id: 'm-1' }, { id: 'm-2' }] }) },
      'select-model',
      /no model "other".*m-1, m-2/,
    ],
    ['acme', { acme: remote() }, 'select-model', /provider\/model/],
    ['acme/', { acme: remote() }, 'select-model', /provider\/model/],
    ['demo/other', {}, 'select-model', /demo\/tour/],
    ['acme/m', { acme: { kind: 'google', baseUrl: 'x' } }, 'open-settings', /no http address.*v1beta/],
    ['acme/m', { acme: { kind: 'openai-compatible' } }, 'open-settings', /no base URL/],
    ['acme/m', { acme: remote({ baseUrl: 'ftp://x' }) }, 'open-settings', /no http address/],
    ['acme/m', { acme: remote({ baseUrl: 'api.acme.test' }) }, 'open-settings', /no http address/],
    ['acme/m', { acme: remote({ headers: { 'X Title': 'Bough' } }) }, 'open-settings', /header "X Title"/],
    ['acme/m', { acme: remote({ headers: { 'X-A': 'a\nb' } }) }, 'open-settings', /header "X-A"/],
    ['acme/m', { acme: { kind: 'gopher' } }, 'open-settings', /bough\.providers\.acme\.kind/],
    ['acme/m', { acme: 'x' }, 'open-settings', /bough\.providers\.acme/],
    ['acme/m', { acme: remote({ models: [{}] }) }, 'open-settings', /bough\.providers\.acme\.models\.0\.id/],
  ])('%s of %j opens %s and says why', async (wanted, providers, action, message) => {
    const failure = failed(await models(providers).resolve(wanted));
    expect(failure).toMatchObject({ action, transient: false });
    expect(failure.message).toMatch(message);
  });

  it('asks for the key of the provider and of the origin, each time', async () => {
    server.script(() => reply.text('hi'));
    const asked: string[] = [];
    const key = (provider: string, origin: string) => (
      asked.push(`${provider} ${origin}`),
      Promise.resolve(`sk-key-${asked.length}`)
    );
    const found = await models({ acme: local() }, { key }).resolve('acme/m');
    if (isFailure(found)) throw new Error(found.message);
    await attempt(found);
    await attempt(found);
    const origin = new URL(server.url).origin;
    expect(asked).toEqual([`acme ${origin}`, `acme ${origin}`]);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer sk-key-1',
      'Bearer sk-key-2',
    ]);
  });

  it('reads the settings anew each time', async () => {
    const providers: Record<string, unknown> = {};
    const all = models(providers);
    expect(isFailure(await all.resolve('acme/m'))).toBe(true);
    providers['acme'] = remote();
    expect(named(await all.resolve('acme/m'))).toBe('acme/m');
  });

  it('reaches hosts on this machine over node:http and others by the given fetch', async () => {
    server.enqueue(reply.text('hi'));
    const near = await models({ acme: local() }).resolve('acme/m');
    const far = await models({ acme: remote() }).resolve('acme/m');
    if (isFailure(near) || isFailure(far)) throw new Error('not found');
    expect((await attempt(near)).text).toBe('hi');
    expect((await attempt(far)).failure).toMatchObject({ code: 'ENOTFOUND', transient: false });
  });
});

describe('auto', () => {
  const keyOf =
    (...names: string[]) =>
    (provider: string) =>
      Promise.resolve(names.includes(provider) ? 'sk-test-key' : undefined);

  it('is the demo when nothing is configured, or nothing has a key', async () => {
    expect(named(await models({}).resolve('auto'))).toBe('demo/tour');
    expect(named(await models({ acme: remote({ models: [{ id: 'm' }] }) }).resolve('auto'))).toBe(
      'demo/tour',
    );
  });

  it('is the first configured provider that has a key or is on this machine', async () => {
    const all = {
      a: remote({ models: [{ id: 'm-a' }] }),
      b: remote({ models: [{ id: 'm-b' }] }),
      c: local({ models: [{ id: 'm-c' }] }),
    };
    expect(named(await models(all).resolve('auto'))).toBe('c/m-c');
    expect(named(await models(all, { key: keyOf('b') }).resolve('auto'))).toBe('b/m-b');
    expect(named(await models(all, { key: keyOf('a', 'b') }).resolve('auto'))).toBe('a/m-a');
  });

  it('asks a server that lists no models, once, and keeps its first', async () => {
    server.models(['first', 'second']);
    const all = models({ acme: local() });
    expect(named(await all.resolve('auto'))).toBe('acme/first');
    server.models(['second', 'first']);
    expect(named(await all.resolve('auto'))).toBe('acme/first');
    expect(server.others).toEqual(['GET /v1/models']);
  });

  it('passes by what is set up wrongly, and tells it when nothing else works', async () => {
    const wrong = { bad: { kind: 'openai-compatible' } };
    expect(named(await models({ ...wrong, good: local() }).resolve('auto'))).toBe('good/scripted');
    expect(failed(await models(wrong).resolve('auto')).message).toContain('"bad" has no base URL');
  });

  it.each([
    ['refuses the key', () => reply.status(401), 'set-key'],
    ['has no such list', () => reply.status(404, {}, 'not found'), 'open-settings'],
    [
      'answers with a page',
      () => reply.status(200, { 'content-type': 'text/html' }, '<html></html>'),
      'open-settings',
    ],
    ['has no models', () => reply.status(200, {}, { data: [] }), 'select-model'],
    ['breaks', () => reply.status(503), undefined],
  ])('says so when the server %s', async (_name, answer, action) => {
    server.models(answer());
    const failure = failed(await models({ acme: local() }).resolve('auto'));
    expect(failure.action).toBe(action);
    expect(failure.message).toContain('acme');
  });

  it('does not wait long for a server that never answers', async () => {
    server.models(reply.silent());
    const waits: number[] = [];
    const clock: Clock = { ...realClock, after: (ms, fire) => (waits.push(ms), realClock.after(20, fire)) };
    const failure = failed(await models({ acme: local() }, { clock }).resolve('auto'));
    expect(failure).toMatchObject({ kind: 'network', transient: true, code: 'ETIMEDOUT' });
    expect(waits).toEqual([5000]);
  });

  it('says that nothing listens', async () => {
    const gone = await startModelServer();
    await gone.close();
    const failure = failed(await models({ acme: local({ baseUrl: gone.url }) }).resolve('auto'));
    expect(failure).toMatchObject({ code: 'ECONNREFUSED', action: 'open-settings' });
  });
});

describe('the list', () => {
  const ids = async (...args: Parameters<typeof models>) =>
    (await models(...args).list()).map(({ provider, id }) => `${provider}/${id}`);

  it('has configured models, asked ones, those of the host, and the demo last', async () => {
    server.models(['x', 'y']);
    const source = {
      provider: 'vscode',
      resolve: () => Promise.reject(new Error('not asked')),
      list: () => Promise.resolve([{ provider: 'vscode', id: 'gpt', label: 'GPT' }]),
    };
    expect(
      await ids({ acme: remote({ models: [{ id: 'm' }] }), near: local() }, { extra: [source] }),
    ).toEqual(['acme/m', 'near/x', 'near/y', 'vscode/gpt', 'demo/tour']);
  });

  it('offers local servers that answer, with their address, and says nothing of others', async () => {
    server.models(['llama3']);
    const gone = await startModelServer();
    await gone.close();
    const offered = await models(
      {},
      {
        local: [
          { name: 'ollama', title: 'Ollama', baseUrl: server.url },
          { name: 'vllm', title: 'vLLM', baseUrl: gone.url },
        ],
      },
    ).list();
    expect(offered.map(({ label }) => label)).toEqual([
      `llama3 (Ollama, ${server.url})`,
      'Built-in demo (not a language model)',
    ]);
  });

  it('does not offer a server twice that is configured already', async () => {
    server.models(['llama3']);
    const local1 = [{ name: 'ollama', title: 'Ollama', baseUrl: server.url }];
    expect(await ids({ mine: local() }, { local: local1 })).toEqual(['mine/llama3', 'demo/tour']);
    expect(server.others).toHaveLength(1);
  });

  it('logs why a provider has nothing to offer', async () => {
    const told: string[] = [];
    server.models(reply.status(401));
    const log = (_level: string, text: string) => void told.push(text);
    expect(await ids({ near: local(), bad: { kind: 'gopher' } }, { log })).toEqual(['demo/tour']);
    expect(told.join('\n')).toMatch(/bad\.kind[\s\S]*No models of "near".*API key/);
  });

  it('comes with those that cannot be listed, and why', async () => {
    server.models(reply.status(401));
    const { models: listed, failing } = await models({ near: local(), bad: { kind: 'gopher' } }).offer();
    expect(listed.map(({ id }) => id)).toEqual(['tour']);
    expect(failing).toEqual([
      { provider: 'bad', message: expect.stringContaining('bad.kind') as string },
      { provider: 'near', message: expect.stringContaining('API key') as string },
    ]);
  });

  it('comes with a server at a usual port that answers and is in trouble, not with another program there', async () => {
    const ollama = [{ name: 'ollama', title: 'Ollama', baseUrl: server.url }];
    server.models(reply.status(500));
    expect((await models({}, { local: ollama }).offer()).failing).toEqual([
      { provider: 'Ollama', message: expect.stringContaining('500') as string },
    ]);
    server.models(reply.status(404));
    expect((await models({}, { local: ollama }).offer()).failing).toEqual([]);
  });
});

describe('a kind', () => {
  const listed = {
    'openai-compatible': ['a', 'text-embedding-3'],
    openai: ['a'],
    anthropic: ['a'],
    google: ['a'],
  };
  const lists: Record<'openai-compatible' | 'openai' | 'anthropic' | 'google', object> = {
    'openai-compatible': { data: [{ id: 'a' }, { id: 'text-embedding-3' }] },
    openai: { data: [{ id: 'a' }, { id: 'text-embedding-3' }, { id: 'gpt-image-1' }] },
    anthropic: { data: [{ type: 'model', id: 'a', display_name: 'A' }], has_more: false },
    google: {
      models: [
        { name: 'models/a', supportedGenerationMethods: ['generateContent'] },
        { name: 'models/embedding', supportedGenerationMethods: ['embedContent'] },
      ],
    },
  };
  const speech = {
    'openai-compatible': 'chat',
    openai: 'responses',
    anthropic: 'messages',
    google: 'gemini',
  } as const;
  const keyHeaders = {
    'openai-compatible': ['authorization', 'Bearer sk-key-1'],
    openai: ['authorization', 'Bearer sk-key-1'],
    anthropic: ['x-api-key', 'sk-key-1'],
    google: ['x-goog-api-key', 'sk-key-1'],
  } as const;
  const every = Object.keys(speech) as (keyof typeof speech)[];

  it.each(every)('%s lists its models with its key, and answers', async (kind) => {
    const seen: { url: string; headers: Headers }[] = [];
    const remembering: typeof globalThis.fetch = (url, init) => {
      seen.push({ url: new Request(url).url, headers: new Headers(init?.headers) });
      return Promise.resolve(Response.json(lists[kind]));
    };
    const [name, value] = keyHeaders[kind];
    const all = models(
      { acme: { kind, baseUrl: 'https://api.acme.test/v1' } },
      { fetch: remembering, key: () => Promise.resolve('sk-key-1') },
    );
    const found = (await all.list()).flatMap(({ provider, id }) => (provider === 'acme' ? [id] : []));
    expect(found).toEqual(listed[kind]);
    expect(seen[0]?.url).toMatch(/^https:\/\/api\.acme\.test\/v1\/models/);
    expect(seen[0]?.headers.get(name)).toBe(value);
    server.enqueue(replies[speech[kind]].text('hi'));
    const near = await models({ near: { kind, baseUrl: server.url } }).resolve('near/a');
    if (isFailure(near)) throw new Error(near.message);
    expect((await attempt(near)).text).toBe('hi');
  });

  it.each([
    ['openai', 'https://api.openai.com'],
    ['anthropic', 'https://api.anthropic.com'],
    ['google', 'https://generativelanguage.googleapis.com'],
  ])('%s needs no base URL; its key is bound to its own origin', async (kind, origin) => {
    const asked: string[] = [];
    const sent: string[] = [];
    const all = models(
      { acme: { kind } },
      {
        key: (provider, at) => (asked.push(`${provider} ${at}`), Promise.resolve('sk-key-1')),
        fetch: (url) => (
          sent.push(new URL(new Request(url).url).origin),
          Promise.resolve(new Response('', { status: 401 }))
        ),
      },
    );
    const found = await all.resolve('acme/m');
    if (isFailure(found)) throw new Error(found.message);
    expect((await attempt(found)).failure).toMatchObject({ kind: 'auth', action: 'set-key' });
    expect(asked).toEqual([`acme ${origin}`]);
    expect(sent).toEqual([origin]);
  });

  it.each([
    ['openai', 'responses service'],
    ['anthropic', 'messages service'],
    ['google', 'Gemini service'],
  ])('%s says which service is missing at a wrong address', async (kind, service) => {
    server.enqueue(reply.status(404, {}, '404 page not found'));
    const found = await models({ near: { kind, baseUrl: server.url } }).resolve('near/a');
    if (isFailure(found)) throw new Error(found.message);
    const { failure } = await attempt(found);
    expect(failure).toMatchObject({ action: 'open-settings' });
    expect(failure?.message).toContain(service);
  });
});
