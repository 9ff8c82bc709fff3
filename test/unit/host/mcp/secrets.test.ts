import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '../../../../src/host/mcp/config.js';
import { secretsOf } from '../../../../src/host/mcp/secrets.js';

const program = (args: string[], env: Record<string, string> = {}): ServerConfig => ({
  type: 'stdio',
  command: 'npx',
  args,
  env,
});
const http = (url: string, headers: Record<string, string> = {}): ServerConfig => ({
  type: 'http',
  url,
  headers,
});

describe('secrets of a configuration', () => {
  it.each([
    [
      program([], { API_KEY: 'short', githubToken: 'abc', PASSWORD: 'two words' }),
      ['short', 'abc', 'two words'],
    ],
    [program([], { PLAIN: '0123456789abcdef' }), ['0123456789abcdef']],
    [program([], { DB: 'postgres://me:p%40ss@host/db' }), ['p@ss', 'p%40ss']],
    [program(['--api-key', 'k1', '--token=k2', '-v']), ['k1', 'k2']],
    [program(['https://host/mcp?api_key=k3&page=2']), ['k3']],
    [
      http('https://host/mcp?token=t', { Authorization: 'Bearer abc', Accept: 'x/y', 'X-Team': 'blue' }),
      ['t', 'Bearer abc', 'abc', 'blue'],
    ],
  ])('%#: finds them', (config, words) => {
    expect(secretsOf(config)).toEqual(words);
  });

  it('leaves words alone that files are full of', () => {
    const env = {
      AUTHOR: 'Jane Doe',
      KEYBOARD: 'qwerty',
      GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json',
      NODE_ENV: 'production',
      REGION: 'us-east-1',
      URL: 'https://example.com/a/b',
    };
    const args = [
      '-y',
      '@modelcontextprotocol/server-memory@2026.8.31',
      'mcp-server-postgres-v2',
      '--port=8080',
      '/work',
    ];
    expect(secretsOf(program(args, env))).toEqual([]);
    expect(secretsOf(http('https://example.com/mcp', { 'Content-Type': 'application/json' }))).toEqual([]);
  });
});
