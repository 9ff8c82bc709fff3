/** What an @ finds among the files of a folder. */
import { expect, it, vi } from 'vitest';
import { globMatcher } from '../../../src/host/editor/glob.js';
import { findFiles } from '../../../src/host/files.js';

const folder = vi.hoisted(() => ({ files: [] as string[] }));

vi.mock('vscode', () => ({
  workspace: { workspaceFolders: [{}], asRelativePath: (path: string) => path },
}));
vi.mock('../../../src/host/editor/files-matching.js', () => ({
  filesMatching: (include: string, _exclude: string, most: number) => {
    const isWanted = globMatcher(include);
    if (typeof isWanted !== 'function') throw new Error(isWanted.message);
    return Promise.resolve(folder.files.filter((file) => isWanted(file)).slice(0, most));
  },
}));

it('finds what lies in folders of that name, after files of that name', async () => {
  folder.files = ['src/greet.js', 'src/deep/a/b.js', 'lib/resrc.md', 'README.md', '.vscode/mcp.json'];
  expect(await findFiles('src')).toEqual(['lib/resrc.md', 'src/greet.js', 'src/deep/a/b.js']);
  expect(await findFiles('SRC/')).toEqual(['src/greet.js', 'src/deep/a/b.js']);
  expect(await findFiles('src/de')).toEqual(['src/deep/a/b.js']);
  expect(await findFiles('.vs')).toEqual(['.vscode/mcp.json']);
  expect(await findFiles('re')).toEqual(['README.md', 'lib/resrc.md', 'src/greet.js']);
  expect(await findFiles('')).toHaveLength(5);
});

it('finds a file of that name, however many lie in a folder of that name', async () => {
  const many = Array.from({ length: 300 }, (_, number) => `api/${number}.ts`);
  folder.files = [...many, 'somewhere/further/down/api.ts'];
  expect((await findFiles('api')).slice(0, 2)).toEqual(['somewhere/further/down/api.ts', 'api/0.ts']);
});
