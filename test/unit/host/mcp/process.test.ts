import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/host/clock.js';
import { windowsProgram } from '../../../../src/host/editor/shell.js';
import { connect } from '../../../../src/host/mcp/connect.js';
import { CallError } from '../../../../src/host/mcp/connection.js';
import { buildBench, eventually, processesWith, type Bench } from '../editor/supervised.js';
import { program } from './fake-server.js';
import { memoryAccount } from './oauth-server.js';

const call = {
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  longestMs: 60_000,
  onProgress: () => undefined,
};

describe.skipIf(process.platform !== 'linux')('a server that is a process', { timeout: 60_000 }, () => {
  let bench: Bench;
  let script: string;
  beforeAll(async () => {
    bench = await buildBench();
    script = path.join(bench.folder, 'server.cjs');
    await writeFile(script, program);
  });
  afterAll(() => bench.dispose());

  async function start(faults: string[] = [], over: { command?: string } = {}) {
    const said: string[] = [];
    const ended: string[] = [];
    const mark = `fake-${Math.random()}`;
    const env = { PATH: process.env['PATH'] ?? '', SEEN: mark };
    const command = over.command ?? process.execPath;
    const reach = {
      type: 'stdio' as const,
      program: { command, args: [script, ...faults], env, cwd: bench.folder },
    };
    const parts = {
      ...{ supervisor: bench.supervisor, clock: systemClock, env: process.env, version: '1' },
      ...{ roots: () => [], fetch: globalThis.fetch, account: memoryAccount() },
    };
    const events = {
      onTools: () => undefined,
      onEnded: (how: string) => ended.push(how),
      onSaid: (line: string) => said.push(line),
    };
    const running = () => processesWith(`SEEN=${mark}`);
    const work = connect(reach, parts, { signal: new AbortController().signal, events });
    return { work, said, ended, running, mark };
  }

  it('is talked with in its own environment and folder, and its errors are for the log', async () => {
    const { work, said, running, mark } = await start(['noise']);
    const connection = await work;
    expect(connection.tools.map(({ name }) => name)).toEqual(['echo', 'hang', 'die']);
    const { content } = await connection.call('echo', { a: 1 }, call);
    expect(content).toEqual([
      { type: 'text', text: JSON.stringify({ a: 1, cwd: bench.folder, SEEN: mark }) },
    ]);
    await eventually(() => said.includes('called echo'));
    await connection.close();
    expect(await running()).toEqual([]);
  });

  it('one that ends in a call is named with how it ended', async () => {
    const { work, ended } = await start();
    const connection = await work;
    await expect(connection.call('die', {}, call)).rejects.toMatchObject({
      trouble: 'ended',
      message: 'ended with exit code 7',
    });
    expect(ended).toEqual(['ended with exit code 7']);
  });

  it('one that is killed in a call is not waited for', async () => {
    const { work, said, running } = await start();
    const connection = await work;
    const hanging = connection.call('hang', {}, call).catch((error: unknown) => error);
    await eventually(() => said.includes('called hang'));
    for (const pid of await running()) process.kill(pid, 'SIGKILL');
    const error = await hanging;
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({ trouble: 'ended', message: 'was ended by SIGKILL' });
  });

  it('ends with all that it started, deaf or not, when it is closed', async () => {
    const { work, running } = await start(['deaf', 'child']);
    const connection = await work;
    await eventually(async () => (await running()).length === 2);
    await connection.close();
    expect(await running()).toEqual([]);
  });

  it('does not outlive the process that watches over it', async () => {
    const { work, running, ended } = await start(['deaf']);
    await work;
    const [pid] = await running();
    const supervisors = await processesWith('ELECTRON_RUN_AS_NODE=1');
    for (const one of supervisors) if (one !== pid) process.kill(one, 'SIGKILL');
    await eventually(() => ended.length > 0);
    await eventually(async () => (await running()).length === 0);
  });

  it('one that dies at once, or is no program, says why', async () => {
    const dying = await start(['dies']);
    await expect(dying.work).rejects.toThrow('it ended with exit code 3 before it answered');
    expect(dying.said).toContain('there is no database');
    const none = await start([], { command: 'no-such-program' });
    await expect(none.work).rejects.toThrow('there is no program "no-such-program"');
  });
});

describe('a program on Windows', () => {
  it('that is no .exe is started by cmd, with arguments as they were meant', () => {
    expect(windowsProgram({ file: 'node.exe', args: ['a b'] })).toEqual({ file: 'node.exe', args: ['a b'] });
    expect(windowsProgram({ file: 'npx', args: ['-y', 'a & b', 'say "hi"\\'] })).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', '"npx ^"-y^" ^"a^ ^&^ b^" ^"say^ \\^"hi\\^"\\\\^""'],
    });
  });
});
