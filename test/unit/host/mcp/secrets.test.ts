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
      program([], { API_KEY: 'k3y-0f-mine', githubToken: 'aB3dE6gH', PASSWORD: 'two w0rds!' }),
      ['k3y-0f-mine', 'aB3dE6gH', 'two w0rds!'],
    ],
    [program([], { PASSPHRASE: 'correct-horse-battery-staple' }), ['correct-horse-battery-staple']],
    [program([], { TOKEN: 'qwhzkfjpxvbnmtrw' }), ['qwhzkfjpxvbnmtrw']],
    [program([], { PLAIN: '0123456789abcdef' }), ['0123456789abcdef']],
    [program([], { DB: 'postgres://me:p%40ssw0rd1@host/db' }), ['p@ssw0rd1', 'p%40ssw0rd1']],
    [program(['--api-key', 'k1-5x9-q', '--token=k2-5x9-q', '-v']), ['k1-5x9-q', 'k2-5x9-q']],
    [program(['https://host/mcp?api_key=k3-5x9-q&page=2']), ['k3-5x9-q']],
    [program([], { HOOK_SECRET: 'https://hooks/T0/Zk3xQ9LmP2vR7tYw' }), ['Zk3xQ9LmP2vR7tYw']],
    [http('https://host/s/Zk3xQ9LmP2vR7tYw/mcp'), ['Zk3xQ9LmP2vR7tYw']],
    [
      http('https://host/mcp?token=t0k3n-in-it', {
        Authorization: 'Bearer 4bc-d3f-gh1',
        Accept: 'x/y',
        'X-Trace': '0123456789abcdef0',
      }),
      ['t0k3n-in-it', 'Bearer 4bc-d3f-gh1', '4bc-d3f-gh1', '0123456789abcdef0'],
    ],
    [
      http('https://host/mcp', {
        'Proxy-Authorization': 'Basic bWU6cDRzc3cwcmQ=',
        'x-api-key': 'k4-5x9-q',
        Cookie: 'sid=s3ss10n-1d; theme=dark',
      }),
      [
        ...['Basic bWU6cDRzc3cwcmQ=', 'bWU6cDRzc3cwcmQ=', 'k4-5x9-q'],
        ...['sid=s3ss10n-1d; theme=dark', 's3ss10n-1d'],
      ],
    ],
  ])('%#: finds them', (config, words) => {
    expect(secretsOf(config)).toEqual(words);
  });

  it('takes no header for a secret that names none, and no ordinary word whatever its name', () => {
    const headers = {
      'X-MCP-Toolsets': 'pull_requests',
      'X-GitHub-Api-Version': '2022-11-28',
      'X-Project': 'payments-service',
      'X-Team': 'blue',
      'X-Auth-Method': 'client_credentials',
      'X-Auth-Request-User': 'jane.doe@payments.example.com',
      Authorization: 'Bearer token',
      Cookie: 'theme=dark',
    };
    expect(secretsOf(http('https://api.example.com/pull_requests?token=production', headers))).toEqual([]);
    const env = {
      AUTH: 'true',
      PASS: 'dev',
      TOKEN_TYPE: 'oauth2-bearer',
      AUTH_FLOW: 'clientCredentials',
      TOKEN_LIMIT: '100000000',
      TOKEN_URL: 'https://auth.example.com/oauth/token',
      KEY_FILE: 'secrets/service-key.json',
      DB_PASSWORD: 'postgres',
      DATABASE: 'postgres://postgres:postgres@localhost/payments',
      API_KEY: 'abc1234',
    };
    expect(secretsOf(program(['--auth', 'disabled', '--token=required'], env))).toEqual([]);
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
