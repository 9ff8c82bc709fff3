import { describe, expect, it } from 'vitest';
import { CallError, type Connect, type Connection } from '../../../../src/host/mcp/connection.js';
import { McpServers, type Known, type Source } from '../../../../src/host/mcp/servers.js';
import type { Prepared, ToolContext } from '../../../../src/ports.js';
import { isFailure, toolFailure, type Failure } from '../../../../src/shared/failure.js';
import { FakeClock, idle } from '../../agent/fake-clock.js';

interface Fake {
  connection: Connection;
  end: (how: string) => void;
  change: (names: string[]) => void;
  isClosed: boolean;
}

const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } });

function world(sources: Source[]) {
  const clock = new FakeClock();
  const logged: string[] = [];
  const unasked: string[][] = [];
  const failed: string[] = [];
  const fakes: Fake[] = [];
  const errors: unknown[] = [];
  const signedOut: string[] = [];
  let allowed: Record<string, string> = {};
  const faked: {
    call: Connection['call'];
    reach: (known: Known, onAsk: () => void) => Promise<Failure | undefined>;
    connect: () => Promise<void>;
  } = {
    call: () => Promise.resolve({ content: [{ type: 'text', text: 'done' }] }),
    reach: () => Promise.resolve(undefined),
    connect: () => Promise.resolve(),
  };
  const connect: Connect = async (_reach, _parts, { events }) => {
    await faked.connect();
    const fake: Fake = {
      connection: {
        tools: [tool('echo')],
        call: (...args) => faked.call(...args),
        close: () => {
          fake.isClosed = true;
          return Promise.resolve();
        },
      },
      end: events.onEnded,
      change: (names) => {
        fake.connection.tools = names.map(tool);
        events.onTools(fake.connection.tools);
      },
      isClosed: false,
    };
    fakes.push(fake);
    return fake.connection;
  };
  const servers = new McpServers({
    sources: () => Promise.resolve(sources),
    allowed: {
      read: () => allowed,
      write: (all) => {
        allowed = all;
        return Promise.resolve();
      },
    },
    serverParts: (known) => ({
      reach: async (onAsk) =>
        (await faked.reach(known, onAsk)) ?? { type: 'http', url: 'http://127.0.0.1:1', headers: {} },
      load: () => Promise.resolve({ connect, signIn: () => Promise.resolve() }),
      connectParts: {} as never,
      onSignedOut: (why) => signedOut.push(why),
    }),
    clock,
    onUnasked: (all) => unasked.push(all.map(({ name }) => name)),
    onFailed: (name, why) => failed.push(`${name}: ${why}`),
    onError: (error) => errors.push(error),
    log: (_level, text) => logged.push(text),
  });
  const names = () => servers.tools().map(({ spec }) => spec.name);
  const call = async (name = 'mcp_one_echo', signal = new AbortController().signal) => {
    const found = servers.tools().find(({ spec }) => spec.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    const context = { signal, report: () => undefined } as unknown as ToolContext;
    const prepared = await found.prepare({ a: 1 }, context);
    if (isFailure(prepared)) throw new Error(prepared.message);
    return { prepared, outcome: await found.run(prepared, context) };
  };
  return { servers, clock, sources, logged, unasked, failed, fakes, errors, faked, names, call };
}

const user = (config: object): Source => ({
  scope: 'user',
  file: 'your mcp.json',
  text: JSON.stringify({ servers: config }),
});
const folder = (config: object): Source => ({
  ...user(config),
  scope: 'file:///work',
  file: '.vscode/mcp.json',
  folder: '/work',
});
const one = { one: { command: 'x' } };

describe('servers of a window', () => {
  it('none starts before a request, then each once', async () => {
    const { servers, fakes, names } = world([user(one)]);
    await servers.look();
    expect(fakes).toHaveLength(0);
    await Promise.all([servers.prepare(), servers.prepare()]);
    await servers.prepare();
    expect(fakes).toHaveLength(1);
    expect(names()).toEqual(['mcp_one_echo']);
  });

  it('those of a folder wait for a yes to exactly what they are', async () => {
    const { servers, sources, unasked, fakes, names } = world([folder(one)]);
    await servers.prepare();
    await servers.prepare();
    expect(fakes).toHaveLength(0);
    expect(unasked).toEqual([['one']]);
    const [known] = servers.unasked;
    if (known !== undefined) await servers.allow(known);
    await servers.prepare();
    expect(names()).toEqual(['mcp_one_echo']);

    sources[0] = folder({ one: { command: 'x', args: ['--all'] } });
    await servers.prepare();
    expect(fakes[0]?.isClosed).toBe(true);
    expect(names()).toEqual([]);
    expect(unasked).toEqual([['one'], ['one']]);
    sources[0] = folder(one);
    await servers.prepare();
    expect(names()).toEqual(['mcp_one_echo']);
    sources.length = 0;
    await servers.prepare();
    expect(names()).toEqual([]);
    expect(fakes.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('each call is asked about, whatever the server says, and a rule is for this tool as it is configured', async () => {
    const first = world([user(one)]);
    const second = world([user({ one: { command: 'y' } })]);
    const prepared: Prepared[] = [];
    for (const { servers, call } of [first, second]) {
      await servers.prepare();
      prepared.push((await call()).prepared);
    }
    expect(prepared[0]).toMatchObject({
      tool: 'mcp_one_echo',
      risk: 'run',
      sentence: 'Call echo of the MCP server "one"',
    });
    expect(prepared[0]?.subject).toMatch(/^one echo /);
    expect(prepared[0]?.subject).not.toBe(prepared[1]?.subject);
  });

  it('one that ended by itself keeps its tools, and starts again with a call', async () => {
    const { servers, fakes, names, call } = world([user(one)]);
    await servers.prepare();
    fakes[0]?.end('was ended by SIGKILL');
    expect(servers.list()[0]?.server.state).toEqual({ kind: 'ended', why: 'was ended by SIGKILL' });
    expect(names()).toEqual(['mcp_one_echo']);
    expect((await call()).outcome).toEqual({ content: 'done', is_error: false });
    expect(fakes).toHaveLength(2);
  });

  it('a call that is lost with its server is an error that names it', async () => {
    const { servers, faked, fakes, call } = world([user(one)]);
    await servers.prepare();
    faked.call = () => {
      fakes[0]?.end('was ended by SIGKILL');
      return Promise.reject(new CallError('ended', 'was ended by SIGKILL'));
    };
    const { outcome } = await call();
    expect(outcome.is_error).toBe(true);
    expect(outcome.content).toContain(
      'The MCP server "one" was lost during the call of echo: it was ended by SIGKILL.',
    );
  });

  it('a session that the server forgot is begun again, and the call made once more', async () => {
    const { servers, faked, fakes, call } = world([user(one)]);
    await servers.prepare();
    let calls = 0;
    faked.call = () => {
      calls += 1;
      return calls === 1
        ? Promise.reject(new CallError('lost', 'Session not found'))
        : Promise.resolve({ content: [{ type: 'text', text: 'again' }] });
    };
    expect((await call()).outcome.content).toBe('again');
    expect(fakes).toHaveLength(2);
    expect(fakes[0]?.isClosed).toBe(true);
  });

  it('keeps the tools of a server that is started again, and a request waits for it', async () => {
    const { servers, faked, names } = world([user(one)]);
    await servers.prepare();
    expect(names()).toEqual(['mcp_one_echo']);
    let open = (): void => undefined;
    faked.connect = () => new Promise((resolve) => (open = resolve));
    const again = servers.list()[0]?.server.restart();
    expect([servers.list()[0]?.server.state.kind, names()]).toEqual(['starting', ['mcp_one_echo']]);
    let isReady = false;
    const request = servers.prepare().then(() => (isReady = true));
    await idle();
    expect(isReady).toBe(false);
    open();
    await Promise.all([again, request]);
    expect([servers.list()[0]?.server.state.kind, names()]).toEqual(['running', ['mcp_one_echo']]);
  });

  it('one that cannot start is said once, and waits for the person', async () => {
    const { servers, faked, failed, names, fakes } = world([user(one)]);
    faked.connect = () => Promise.reject(new Error('there is no program "x"'));
    await servers.prepare();
    await idle();
    await servers.prepare();
    expect(failed).toEqual(['one: there is no program "x"']);
    expect(names()).toEqual([]);
    faked.connect = () => Promise.resolve();
    await servers.prepare();
    expect(fakes).toHaveLength(0);
    await servers.list()[0]?.server.restart();
    expect(names()).toEqual(['mcp_one_echo']);
  });

  it('one that is started again while it starts is started again', async () => {
    const { servers, faked, names, fakes } = world([user(one)]);
    let go: () => void = () => undefined;
    faked.connect = () => new Promise((resolve) => (go = resolve));
    const server = () => servers.list()[0]?.server;
    await servers.look();
    const first = server()?.start();
    await idle();
    const late = go;
    faked.connect = () => Promise.resolve();
    const second = await server()?.restart();
    expect(isFailure(second)).toBe(false);
    late();
    expect(isFailure(await first)).toBe(true);
    expect(names()).toEqual(['mcp_one_echo']);
    expect(fakes.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  it('one that the person stopped stays stopped', async () => {
    const { servers, names, fakes } = world([user(one)]);
    await servers.prepare();
    await servers.list()[0]?.server.stop();
    await servers.prepare();
    expect(names()).toEqual([]);
    expect(fakes.map(({ isClosed }) => isClosed)).toEqual([true]);
  });

  it('a request waits for a slow server for a while, once, and not for one that asks the person', async () => {
    const { servers, faked, clock, names } = world([user({ one: { command: 'x' }, two: { command: 'y' } })]);
    let go: () => void = () => undefined;
    faked.connect = () => new Promise((resolve) => (go = resolve));
    faked.reach = ({ name }, onAsk) => {
      if (name === 'one') return Promise.resolve(undefined);
      onAsk();
      return new Promise(() => undefined);
    };
    let isReady = false;
    const first = servers.prepare().then(() => (isReady = true));
    await idle();
    expect(isReady).toBe(false);
    await clock.advance(20_000);
    await first;
    // The next one does not wait again.
    await servers.prepare();
    expect(names()).toEqual([]);
    go();
    await idle();
    expect(names()).toEqual(['mcp_one_echo']);
    expect(clock.pending).toBe(0);
  });

  it('what it needs and does not get is why it did not start', async () => {
    const { servers, faked, failed } = world([user(one)]);
    faked.reach = () => Promise.resolve(toolFailure('no-input', 'it needs "key", and nothing was given.'));
    await servers.prepare();
    await idle();
    expect(failed).toEqual(['one: it needs "key", and nothing was given.']);
  });

  it('another list of tools is another list of tools', async () => {
    const { servers, fakes, names } = world([user(one)]);
    await servers.prepare();
    fakes[0]?.change(['more', 'less']);
    expect(names()).toEqual(['mcp_one_more', 'mcp_one_less']);
  });

  it('Stop does not wait for a server that starts', async () => {
    const { servers, fakes, faked, call } = world([user(one)]);
    await servers.prepare();
    fakes[0]?.end('has ended');
    faked.connect = () => new Promise(() => undefined);
    const stop = new AbortController();
    const work = call('mcp_one_echo', stop.signal);
    await idle();
    stop.abort();
    expect((await work).outcome.content).toContain('was stopped before');
  });

  it('a file that cannot be read, or a keyring that fails, ends no turn', async () => {
    const { servers, failed, faked } = world([
      { ...folder(one), unreadable: 'it is a folder' },
      user({ two: { command: 'x' } }),
    ]);
    faked.reach = () => Promise.reject(new Error('the keyring is locked'));
    await servers.prepare();
    await idle();
    expect(servers.problems).toEqual([
      '.vscode/mcp.json cannot be read (it is a folder). No server of it runs.',
    ]);
    expect(failed).toEqual(['two: the keyring is locked']);
  });

  it('configuration that is wrong is logged once for what it is', async () => {
    const { servers, logged } = world([user({ bad: {} })]);
    await servers.prepare();
    await servers.prepare();
    expect(logged).toHaveLength(1);
    expect(servers.problems[0]).toContain('the server "bad" cannot be used');
  });
});
