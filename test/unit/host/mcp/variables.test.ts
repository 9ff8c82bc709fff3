import { describe, expect, it } from 'vitest';
import type { StdioServer } from '../../../../src/host/mcp/config.js';
import { parseEnvFile, resolveServer, type VariableFacts } from '../../../../src/host/mcp/variables.js';
import { isFailure } from '../../../../src/shared/failure.js';

const asked: string[] = [];
const facts: VariableFacts = {
  folder: '/projects/app',
  folders: { app: '/projects/app', lib: '/projects/lib' },
  home: '/home/me',
  env: { TOKEN: 'from-env', TRICK: '${input:other}' },
  separator: '/',
  input: (id) => {
    asked.push(id);
    return Promise.resolve(`<${id}>`);
  },
};
const server = (over: Partial<StdioServer>): StdioServer => ({
  type: 'stdio',
  command: 'x',
  args: [],
  env: {},
  ...over,
});

describe('variables', () => {
  it('are put in wherever a text stands, each input asked for once', async () => {
    const resolved = await resolveServer(
      server({
        command: '${workspaceFolder}/run',
        args: ['${workspaceFolder:lib}${/}x', '${userHome}', '${input:key}', 'a ${input:key} b'],
        env: { T: '${env:TOKEN}', NONE: '${env:MISSING}', GONE: null },
        cwd: '${workspaceFolder}',
      }),
      facts,
    );
    expect(resolved).toEqual(
      server({
        command: '/projects/app/run',
        args: ['/projects/lib/x', '/home/me', '<key>', 'a <key> b'],
        env: { T: 'from-env', NONE: '', GONE: null },
        cwd: '/projects/app',
      }),
    );
    expect(asked).toEqual(['key']);
  });

  it('a value brings in no other variable', async () => {
    const resolved = await resolveServer(server({ args: ['${env:TRICK}'] }), facts);
    expect(resolved).toMatchObject({ args: ['${input:other}'] });
    expect(asked).not.toContain('other');
  });

  it.each(['command:rm', 'workspaceFolder:nowhere', 'file'])('"%s" fails with its name', async (name) => {
    const resolved = await resolveServer(server({ args: [`\${${name}}`] }), facts);
    expect(isFailure(resolved) && resolved.message).toContain(`\${${name}} cannot be put in`);
  });

  it('a file of variables that was made to take long takes no time', { timeout: 2000 }, () => {
    const spaces = ' '.repeat(100_000);
    expect(parseEnvFile(`A=a${spaces}b\nB=b${spaces}# c`)).toEqual({ A: `a${spaces}b`, B: 'b' });
  });

  it('a file of variables is read as others read it', () => {
    const content =
      '\uFEFFA=1\n# note\nexport B = two words # note\n\nC="x # y\\n z"\nD=\'it is\'\nE=\nno line\r\nF=a=b\r\n';
    expect(parseEnvFile(content)).toEqual({
      A: '1',
      B: 'two words',
      C: 'x # y\n z',
      D: 'it is',
      E: '',
      F: 'a=b',
    });
  });
});
