import { describe, expect, it } from 'vitest';
import { parseMcpConfig } from '../../../../src/host/mcp/config.js';

const parse = (content: string) => parseMcpConfig(content, '.vscode/mcp.json');

describe('mcp.json', () => {
  it('names servers of both kinds, in JSON with comments and trailing commas', () => {
    const { servers, inputs, problems } = parse(`\uFEFF{
      // The person's own.
      "inputs": [
        { "type": "promptString", "id": "key", "description": "The key", "password": true },
        { "type": "pickString", "id": "stage", "options": ["test", { "label": "Live", "value": "live" }] },
      ],
      "servers": {
        "memory": { "type": "stdio", "command": "npx", "args": ["-y", "memory", 7], "env": { "KEY": "\${input:key}", "PORT": 80, "HOME": null }, "envFile": ".env", "cwd": "sub", "dev": {} },
        "remote": { "type": "http", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer x" } },
        /* Neither says its type. */
        "plain": { "command": "server" },
        "address": { "url": "http://127.0.0.1:1/mcp", "oauth": { "clientId": "known" } },
        "old": { "type": "sse", "url": "http://127.0.0.1:1/sse" },
      },
    }`);
    expect(problems).toEqual([]);
    expect(servers).toEqual([
      {
        name: 'memory',
        config: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'memory', '7'],
          env: { KEY: '${input:key}', PORT: '80', HOME: null },
          envFile: '.env',
          cwd: 'sub',
        },
      },
      {
        name: 'remote',
        config: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
      },
      { name: 'plain', config: { type: 'stdio', command: 'server', args: [], env: {} } },
      {
        name: 'address',
        config: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {}, clientId: 'known' },
      },
      { name: 'old', config: { type: 'sse', url: 'http://127.0.0.1:1/sse', headers: {} } },
    ]);
    expect(inputs).toEqual([
      { type: 'promptString', id: 'key', description: 'The key', password: true },
      { type: 'pickString', id: 'stage', options: ['test', 'live'] },
    ]);
  });

  it('one wrong server hides no other, and says what is wrong with it', () => {
    const { servers, problems } = parse(`{ "servers": {
      "none": {}, "list": [], "kind": { "type": "carrier-pigeon" }, "args": { "command": "x", "args": "y" },
      "good": { "command": "x" } } , "inputs": [{ "id": "k", "type": "command" }, 3] }`);
    expect(servers.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toHaveLength(6);
    expect(problems[0]).toContain('.vscode/mcp.json: the server "none" cannot be used: command: ');
    expect(problems[2]).toContain('its type is "carrier-pigeon", not "stdio", "http" or "sse".');
    expect(problems[4]).toContain('the input "k" cannot be used');
  });

  it.each([
    ['{ "servers": {\n "a": { "command": "x" }\n "b": {} } }', 'line 3 is not valid JSON'],
    ['[]', 'no object'],
    ['{ "servers": [] }', '"servers" is no object'],
    ['{ "mcpServers": {} }', 'format calls them'],
  ])('runs nothing of what it cannot read: %s', (content, why) => {
    const { servers, problems } = parse(content);
    expect(servers).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(why)]);
  });

  it.each(['', '  \n', '{}', '// nothing yet\n{ "servers": {} }'])(
    'is no trouble when empty: %j',
    (content) => {
      expect(parse(content)).toEqual({ servers: [], inputs: [], problems: [] });
    },
  );
});
