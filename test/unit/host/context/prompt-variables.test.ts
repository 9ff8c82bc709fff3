import { describe, expect, it } from 'vitest';
import { expandVariables, type PromptVariables } from '../../../../src/host/context/prompt-variables.js';

const variables = (over: Partial<PromptVariables> = {}): PromptVariables => ({
  selection: 'const a = 1;',
  file: 'src/ui/app.test.ts',
  workspaceFolder: '/w/app',
  input: (name) => Promise.resolve(`<${name}>`),
  ...over,
});

describe('variables of a prompt file', () => {
  it('stand for the editor and the workspace', async () => {
    const text =
      '${file} ${fileBasename} ${fileBasenameNoExtension} ${fileDirname} ${workspaceFolderBasename}: ${selection}';
    expect(await expandVariables(text, variables())).toBe(
      'src/ui/app.test.ts app.test.ts app.test src/ui app: const a = 1;',
    );
  });

  it('are asked for once each, with their hint', async () => {
    const asked: (string | undefined)[][] = [];
    const input: PromptVariables['input'] = (name, hint) => {
      asked.push([name, hint]);
      return Promise.resolve('$& ${file}');
    };
    const text = await expandVariables('${input:name:Which one?} and ${input:name}', variables({ input }));
    expect(asked).toEqual([['name', 'Which one?']]);
    // What the person gives is text: nothing in it is looked for.
    expect(text).toBe('$& ${file} and $& ${file}');
  });

  it('stay where they say nothing, and end it all when the person does not go on', async () => {
    const none = variables({ selection: undefined, file: undefined });
    expect(await expandVariables('${selection} ${file} ${env:HOME} ${unknown} $x', none)).toBe(
      '${selection} ${file} ${env:HOME} ${unknown} $x',
    );
    const input = () => Promise.resolve(undefined);
    expect(await expandVariables('${input:x}', variables({ input }))).toBeUndefined();
  });
});
