import { expect, it } from 'vitest';
import type { ServerConfig } from '../../../../src/host/mcp/config.js';
import type { ServerState } from '../../../../src/host/mcp/server.js';
import { stateLines, type Told } from '../../../../src/host/mcp/state-lines.js';

const http: ServerConfig = {
  type: 'http',
  url: 'https://mcp.example.com/t0ken/mcp?key=secret-1',
  headers: { Authorization: 'Bearer secret-2' },
};
const stdio: ServerConfig = {
  type: 'stdio',
  command: '/opt/bin/server',
  args: ['--token', 'secret-3'],
  env: { KEY: 'secret-4' },
};

const told = (...all: [ServerConfig, ServerState][]): Told =>
  ({
    list: () =>
      all.map(([config, state], index) => ({
        known: { name: `s${String(index)}`, file: 'mcp.json', config },
        server: { state, tools: [] },
      })),
    unasked: [],
    problems: [],
  }) as unknown as Told;

it('tells how each server is and why it failed, and nothing that may be secret', () => {
  const lines = stateLines(
    told(
      [http, { kind: 'failed', why: 'it answered 500' }],
      [stdio, { kind: 'ended', why: 'exit code 7' }],
      [stdio, { kind: 'running' }],
      [stdio, { kind: 'off' }],
    ),
  );
  expect(lines).toEqual([
    's0 (http at https://mcp.example.com, named by mcp.json): could not be started (it answered 500), 0 tools',
    's1 (program server, named by mcp.json): ended (exit code 7), 0 tools',
    's2 (program server, named by mcp.json): running, 0 tools',
    's3 (program server, named by mcp.json): not needed yet, 0 tools',
  ]);
  expect(lines.join()).not.toMatch(/secret|t0ken/);
});

it('tells of servers that wait for a yes, and of files that are wrong; says so when there is none', () => {
  const known = { name: 'new', file: 'mcp.json', config: stdio } as Told['unasked'][number];
  expect(stateLines({ ...told(), unasked: [known], problems: ['mcp.json:3: no comma'] })).toEqual([
    'new (program server, named by mcp.json): waits for your yes',
    'mcp.json:3: no comma',
  ]);
  expect(stateLines(told())).toEqual(['None is configured.']);
});
