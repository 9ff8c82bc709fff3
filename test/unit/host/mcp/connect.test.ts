import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/host/clock.js';
import { connect, connectOver } from '../../../../src/host/mcp/connect.js';
import { CallError, type CallOptions } from '../../../../src/host/mcp/connection.js';
import { eventually } from '../editor/supervised.js';
import { memoryAccount } from './oauth-server.js';
import { inMemory, Refused, usual, type Methods } from './fake-server.js';

const parts = { version: '1', roots: () => [{ uri: 'file:///work', name: 'work' }] };

async function connected(methods: Methods = {}) {
  const fake = inMemory({ ...usual, ...methods });
  const said: string[] = [];
  const ended: string[] = [];
  const lists: string[][] = [];
  const connection = await connectOver(() => fake.client, parts, {
    signal: new AbortController().signal,
    events: {
      onTools: (tools) => lists.push(tools.map(({ name }) => name)),
      onEnded: (how) => ended.push(how),
      onSaid: (line) => said.push(line),
    },
  });
  return { ...fake, connection, said, ended, lists };
}

const options = (over: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  longestMs: 60_000,
  onProgress: () => undefined,
  ...over,
});

const troubleOf = async (work: Promise<unknown>): Promise<CallError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CallError)) throw new Error('it did not fail as a call fails', { cause: error });
  return error;
};

it.each([
  [403, {}],
  [401, { Authorization: 'Bearer mine' }],
])('a server over HTTP that answers %i to %j: says what to do', async (status, headers) => {
  const server = createServer((_request, response) => {
    response
      .writeHead(status, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1/x"' })
      .end('no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
    const events = { onTools: () => undefined, onEnded: () => undefined, onSaid: () => undefined };
    const connecting = connect(
      { type: 'http', url, headers },
      { ...parts, supervisor: '', clock: systemClock, env: {}, fetch, account: memoryAccount() },
      { signal: new AbortController().signal, events },
    );
    await expect(connecting).rejects.toThrow(
      /refuses what it is reached with \(it answered 40\d\).*"headers" in mcp\.json/,
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('a connection', () => {
  it('tells the key of an iteration beside what it asks for, and nothing where there is none', async () => {
    const { connection } = await connected({
      'tools/call': ({ _meta }) => ({ content: [{ type: 'text', text: JSON.stringify(_meta) }] }),
    });
    const told = async (over: Parameters<typeof options>[0]): Promise<string> =>
      JSON.stringify(await connection.call('echo', {}, options(over)));
    expect(await told({ operationKey: 'goal-1-2' })).toContain(
      String.raw`\"bough/operation-key\":\"goal-1-2\"`,
    );
    expect(await told({})).not.toContain('operation-key');
  });

  it('lists tools, calls them, tells progress and its roots', async () => {
    const { connection, send, heard } = await connected({
      'tools/call': ({ arguments: input, _meta }) => {
        const { progressToken } = (_meta ?? {}) as { progressToken?: unknown };
        void send({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 4, message: 'on it' },
        });
        return { content: [{ type: 'text', text: JSON.stringify(input) }], isError: true };
      },
    });
    expect(connection.tools).toEqual([
      { name: 'echo', description: 'Says it again', inputSchema: { type: 'object', properties: {} } },
    ]);
    const progress: string[] = [];
    const result = await connection.call(
      'echo',
      { a: 1 },
      options({ onProgress: (text) => progress.push(text) }),
    );
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"a":1}' }], isError: true });
    expect(progress).toEqual(['1 of 4 on it\n']);
    void send({ id: 'r1', method: 'roots/list' });
    await eventually(() => heard.some(({ id, method }) => id === 'r1' && method === undefined));
    expect(heard.find(({ id }) => id === 'r1')).toMatchObject({ result: { roots: parts.roots() } });
  });

  it.each(['sampling/createMessage', 'elicitation/create'])('refuses %s, and says so', async (method) => {
    const { send, heard, said } = await connected();
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 1 };
    void send({ id: 'r1', method, params: { ...params, message: 'Who?', requestedSchema: {} } });
    await eventually(() => heard.some(({ id, method: asked }) => id === 'r1' && asked === undefined));
    expect(heard.find(({ id }) => id === 'r1')).toMatchObject({ error: { code: -32_601 } });
    expect(said.join()).toContain(`asked for ${method}`);
  });

  it('hears of another list of tools', async () => {
    let name = 'one';
    const { send, lists, connection } = await connected({
      'tools/list': () => ({ tools: [{ name, inputSchema: { type: 'object' } }] }),
    });
    name = 'two';
    void send({ method: 'notifications/tools/list_changed' });
    await eventually(() => lists.length > 0);
    expect(lists).toEqual([['two']]);
    expect(connection.tools.map((tool) => tool.name)).toEqual(['two']);
  });

  it('a server without tools is one with none', async () => {
    const { connection } = await connected({
      initialize: () => ({
        protocolVersion: '2025-06-18',
        capabilities: {},
        serverInfo: { name: 'x', version: '1' },
      }),
      'tools/list': () => {
        throw new Refused('there is no such method');
      },
    });
    expect(connection.tools).toEqual([]);
  });

  it('a call that is not answered in time is cancelled at the server', async () => {
    const { connection, heard } = await connected({ 'tools/call': () => undefined });
    const error = await troubleOf(connection.call('echo', {}, options({ timeoutMs: 20 })));
    expect(error.trouble).toBe('timeout');
    const call = heard.find(({ method }) => method === 'tools/call');
    await eventually(() => heard.some(({ method }) => method === 'notifications/cancelled'));
    const cancel = heard.find(({ method }) => method === 'notifications/cancelled');
    expect(cancel?.params).toMatchObject({ requestId: call?.id });
  });

  it('Stop cancels a call at the server', async () => {
    const { connection, heard } = await connected({ 'tools/call': () => undefined });
    const stop = new AbortController();
    const work = troubleOf(connection.call('echo', {}, options({ signal: stop.signal })));
    await eventually(() => heard.some(({ method }) => method === 'tools/call'));
    stop.abort();
    expect((await work).trouble).toBe('stopped');
    await eventually(() => heard.some(({ method }) => method === 'notifications/cancelled'));
  });

  it("a server's refusal is told as it is", async () => {
    const { connection } = await connected({
      'tools/call': () => {
        throw new Refused('no such tool');
      },
    });
    const error = await troubleOf(connection.call('echo', {}, options()));
    expect(error.trouble).toBe('refused');
    expect(error.message).toContain('no such tool');
  });

  it('a server that goes ends its calls, and is said to be gone once', async () => {
    const { connection, close, ended } = await connected({ 'tools/call': () => undefined });
    const work = troubleOf(connection.call('echo', {}, options()));
    await close();
    expect((await work).trouble).toBe('ended');
    expect(ended).toEqual(['closed the connection']);
  });

  it('closed by us is not said to have ended', async () => {
    const { connection, ended } = await connected();
    await connection.close();
    expect(ended).toEqual([]);
  });
});
