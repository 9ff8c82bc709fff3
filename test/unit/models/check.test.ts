// A server is asked before its model is chosen: what is wrong is said, and where it answers instead.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { baseUrlOf } from '../../../src/models/check.js';
import { createModels } from '../../../src/models/registry.js';
import { isFailure } from '../../../src/shared/failure.js';
import { realClock } from './attempt.js';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

/** Answers each path with a status and a text; all others with 404. */
async function serve(paths: Record<string, [number, string]>): Promise<string> {
  const server = createServer((request, response) => {
    const [status, text] = paths[request.url ?? ''] ?? [404, '404 page not found'];
    response.writeHead(status, { connection: 'close' }).end(text);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const listOf = (...ids: string[]): [number, string] => [
  200,
  JSON.stringify({ data: ids.map((id) => ({ id })) }),
];

const checks = (baseUrl: string, models?: { id: string }[]) =>
  createModels({
    providers: () => ({ acme: { kind: 'openai-compatible', baseUrl, ...(models && { models }) } }),
    key: () => Promise.resolve(undefined),
    fetch: () => Promise.reject(new Error('there is no network')),
    clock: realClock,
    local: [],
  });

const wrong = async (baseUrl: string, id = 'm-1', models?: { id: string }[]) =>
  checks(baseUrl, models).check({ provider: 'acme', id });

describe('a model is tried before it is chosen', () => {
  it('nothing is wrong', async () => {
    const url = await serve({ '/v1/models': listOf('m-1', 'm-2:latest') });
    expect(await wrong(`${url}/v1`)).toEqual({ failure: null });
    expect(await wrong(`${url}/v1/`, 'm-2')).toEqual({ failure: null });
  });

  it('no such model: the server says what it has', async () => {
    const url = await serve({ '/v1/models': listOf('m-1', 'm-2') });
    const { failure } = await wrong(`${url}/v1`, 'm-3');
    expect(failure).toMatchObject({ action: 'select-model' });
    expect(failure?.message).toContain('"acme" has no model "m-3". It has: m-1, m-2.');
    // What the person wrote into the settings is believed, with a doubt.
    const stated = await wrong(`${url}/v1`, 'm-3', [{ id: 'm-3' }]);
    expect(stated.failure).toBeNull();
    expect(stated.doubt?.message).toContain('has no model "m-3"');
  });

  it('a path that is not the right one: where it answers instead', async () => {
    const url = await serve({ '/v1/models': listOf('m-1') });
    for (const path of ['', '/', '/api']) {
      const { failure, elsewhere } = await wrong(`${url}${path}`);
      expect(elsewhere).toBe(`${url}/v1`);
      expect(failure?.message).toContain(`but at ${url}/v1`);
    }
    const page = await serve({ '/models': [200, '<!doctype html><p>Hello'], '/v1/models': [401, '{}'] });
    expect((await wrong(page)).elsewhere).toBe(`${page}/v1`);
  });

  it('a web page instead of a list', async () => {
    const url = await serve({ '/v1/models': [200, '<!DOCTYPE html><title>Sign in</title>'] });
    const { failure, elsewhere } = await wrong(`${url}/v1`);
    expect(failure).toMatchObject({ action: 'open-settings' });
    expect(failure?.message).toContain('answered with a web page');
    expect(elsewhere).toBeUndefined();
  });

  it('a key is wanted', async () => {
    const url = await serve({ '/v1/models': [401, '{"error":{"message":"no key"}}'] });
    expect((await wrong(`${url}/v1`)).failure).toMatchObject({ kind: 'auth', action: 'set-key' });
  });

  it('nobody answers', async () => {
    const url = await serve({});
    await new Promise((done) => servers.pop()?.close(done));
    const { failure } = await wrong(`${url}/v1`);
    expect(failure).toMatchObject({ kind: 'network', action: 'open-settings' });
    expect(failure?.message).toContain(url);
  });

  it('a server without a list: a model that the settings name is taken, any other is not', async () => {
    const url = await serve({});
    expect(await wrong(`${url}/v1`, 'm-1', [{ id: 'm-1' }])).toEqual({ failure: null });
    expect((await wrong(`${url}/v1`)).failure).toMatchObject({ code: 'no-list' });
  });

  it('the demo and models of other extensions are not asked', async () => {
    const models = checks('http://127.0.0.1:1/v1');
    expect(await models.check({ provider: 'demo', id: 'tour' })).toEqual({ failure: null });
    expect(await models.check({ provider: 'vscode', id: 'x' })).toEqual({ failure: null });
  });

  it('an address is asked as it was typed', async () => {
    const url = await serve({ '/v1/models': listOf('m-1') });
    const models = checks('http://127.0.0.1:1/v1');
    expect((await models.checkAddress(`${url}/v1`, undefined)).found).toEqual(['m-1']);
    const elsewhere = await models.checkAddress(url, undefined);
    expect(isFailure(elsewhere.found)).toBe(true);
    expect(elsewhere.elsewhere).toBe(`${url}/v1`);
  });
});

describe('an address as people type it', () => {
  it.each([
    ['127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1'],
    [' http://localhost:11434/v1/ ', 'http://localhost:11434/v1'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
    ['http://localhost:8080/v1/models', 'http://localhost:8080/v1'],
    ['http://localhost:8080', 'http://localhost:8080'],
  ])('%s', (typed, wanted) => expect(baseUrlOf(typed)).toBe(wanted));

  it.each(['', 'http://', 'two words', 'http://me:secret@host/v1', 'http://host/v1?key=x', 'ftp://host'])(
    'is none: %s',
    (typed) => expect(baseUrlOf(typed)).toBeUndefined(),
  );
});
