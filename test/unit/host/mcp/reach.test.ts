import { describe, expect, it } from 'vitest';
import { parseMcpConfig } from '../../../../src/host/mcp/config.js';
import { createReach, type ReachParts } from '../../../../src/host/mcp/reach.js';
import type { Known } from '../../../../src/host/mcp/servers.js';
import { isFailure } from '../../../../src/shared/failure.js';

function world(over: Partial<ReachParts> = {}) {
  const stored = new Map<string, string>();
  const asked: string[] = [];
  const hidden: string[] = [];
  const reach = createReach({
    env: { PATH: '/bin', VSCODE_PID: '1', GONE: 'x', NODE_OPTIONS: '--inspect' },
    home: '/home/me',
    folders: () => ({ app: '/projects/app' }),
    readFile: () => Promise.resolve('FROM_FILE=1\nDB_PASSWORD=0f-the-f1le\nBOTH=file\n'),
    secrets: {
      get: (name) => Promise.resolve(stored.get(name)),
      store: (name, value) => Promise.resolve(void stored.set(name, value)),
      delete: (name) => Promise.resolve(void stored.delete(name)),
    },
    ask: ({ id }) => {
      asked.push(id);
      return Promise.resolve(`given-${id}`);
    },
    hide: (words) => void hidden.push(...words),
    ...over,
  });
  return { reach, stored, asked, hidden };
}

function knownOf(servers: object, inputs: object[] = [], name = 'one'): Known {
  const parsed = parseMcpConfig(JSON.stringify({ servers, inputs }), 'mcp.json');
  const config = parsed.servers.find((server) => server.name === name)?.config;
  if (config === undefined) throw new Error(parsed.problems.join('\n'));
  return {
    ...{ id: `user\n${name}`, scope: 'user', file: 'mcp.json', folder: undefined },
    ...{ name, config, inputs: parsed.inputs, hash: 'h' },
  };
}

const nothing = (): void => undefined;
const password = [{ type: 'promptString', id: 'key', password: true }];

describe('how a server is reached', () => {
  it('gets its environment from the window, its file and its configuration, in this order', async () => {
    const { reach, hidden } = world();
    const config = {
      command: '~/bin/x',
      args: ['a'],
      env: { BOTH: 'own', GONE: null },
      envFile: '.env',
      cwd: 'sub',
    };
    expect(await reach.reach(knownOf({ one: config }), nothing)).toEqual({
      type: 'stdio',
      program: {
        command: '/home/me/bin/x',
        args: ['a'],
        cwd: '/projects/app/sub',
        env: { PATH: '/bin', FROM_FILE: '1', DB_PASSWORD: '0f-the-f1le', BOTH: 'own' },
      },
    });
    expect(hidden).toContain('0f-the-f1le');
  });

  it('asks for an input once, keeps it, and hides a password before anything else', async () => {
    const { reach, asked, hidden, stored } = world();
    const config = { one: { url: 'https://x/mcp', headers: { 'X-Key': '${input:key}' } } };
    let asks = 0;
    for (let round = 0; round < 2; round += 1) {
      const reached = await reach.reach(knownOf(config, password), () => (asks += 1));
      expect(reached).toMatchObject({ type: 'http', headers: { 'X-Key': 'given-key' } });
    }
    expect(asked).toEqual(['key']);
    expect(asks).toBe(1);
    expect(hidden).toContain('given-key');
    expect([...stored]).toEqual([['mcp-input:user:key', 'given-key']]);
    await reach.forget(knownOf(config, password));
    expect(stored.size).toBe(0);
  });

  it('two servers that need the same ask for it once', async () => {
    const { reach, asked } = world();
    const config = {
      one: { command: 'x', args: ['${input:key}'] },
      two: { command: 'y', args: ['${input:key}'] },
    };
    await Promise.all([
      reach.reach(knownOf(config, password), nothing),
      reach.reach(knownOf(config, password, 'two'), nothing),
    ]);
    expect(asked).toEqual(['key']);
  });

  it.each([
    [{ command: 'x', args: ['${input:other}'] }, 'has no input "other"'],
    [{ command: 'x', cwd: '${workspaceFolder:gone}' }, 'no such folder'],
    [{ url: 'ftp://x' }, 'no http address'],
    [{ command: 'x', args: ['${input:key}'] }, 'nothing was given'],
    [{ command: 'x', envFile: 'none' }, 'cannot be read (ENOENT)'],
  ])('%j fails with why', async (config, why) => {
    const { reach } = world({
      ask: () => Promise.resolve(undefined),
      readFile: () => Promise.reject(new Error('ENOENT')),
    });
    const reached = await reach.reach(knownOf({ one: config }, password), nothing);
    expect(isFailure(reached) && reached.message).toContain(why);
  });
});
