import { describe, expect, it } from 'vitest';
import type { FoundSymbol, Problem, WorkspacePath } from '../../../src/ports.js';
import { call, prepare, refusal } from './call.js';
import { fakeWorkspace } from './fake-workspace.js';

const folder = { name: 'workspace', path: '/workspace', uri: 'file:///workspace' };
const place = (shown: string): WorkspacePath => ({ uri: `file:///workspace/${shown}`, shown, folder });
const problem = (over: Partial<Problem> = {}): Problem => ({
  path: place('a.ts'),
  line: 3,
  severity: 'error',
  message: "Cannot find name 'x'.",
  source: 'ts 2304',
  ...over,
});

describe('glob', () => {
  const files = { 'src/a.ts': '', 'src/deep/b.ts': '', 'src/deep/c.md': '', 'd.ts': '' };

  it('finds by path, by name alone, and below a folder', async () => {
    const workspace = fakeWorkspace({ files });
    expect(await call(workspace, 'glob', { pattern: 'src/**/*.ts' })).toEqual({
      content: 'src/a.ts\nsrc/deep/b.ts',
      is_error: false,
      outcome: '2 files',
    });
    expect((await call(workspace, 'glob', { pattern: '*.ts' })).content).toBe(
      'd.ts\nsrc/a.ts\nsrc/deep/b.ts',
    );
    expect((await call(workspace, 'glob', { pattern: '*.md', path: 'src' })).content).toBe('src/deep/c.md');
    expect(await prepare(workspace, 'glob', { pattern: '*.md', path: 'src' })).toMatchObject({
      sentence: 'Find files *.md in src',
      risk: 'read',
    });
  });

  it('says that there are none, or more', async () => {
    const workspace = fakeWorkspace({ files });
    expect(await call(workspace, 'glob', { pattern: '*.rs' })).toMatchObject({ outcome: 'no files' });
    const some = await call(workspace, 'glob', { pattern: '**/*', max_results: 1 });
    expect(some).toMatchObject({ outcome: '1+ files' });
    expect(some.content).toMatch(/^d\.ts\n\[There are more than 1 file\./);
    expect(await refusal(workspace, 'glob', { pattern: '*', path: '../x' })).toContain('outside');
  });
});

describe('diagnostics', () => {
  it('lists errors first, each with its place and who found it', async () => {
    const found = [problem({ severity: 'warning', message: 'Unused.', source: 'eslint' }), problem()];
    const workspace = fakeWorkspace({
      files: { 'a.ts': 'x\n' },
      language: { freshProblems: () => Promise.resolve({ problems: found, isSure: true }) },
    });
    expect(await call(workspace, 'diagnostics', { path: 'a.ts' })).toEqual({
      content: "a.ts:3: error: Cannot find name 'x'. (ts 2304)\na.ts:3: warning: Unused. (eslint)",
      is_error: false,
      outcome: '1 error, 1 warning',
    });
  });

  it('says what it cannot know', async () => {
    const late = fakeWorkspace({
      files: { 'a.ts': 'x\n' },
      language: { freshProblems: () => Promise.resolve({ problems: [], isSure: false }) },
    });
    expect((await call(late, 'diagnostics', { path: 'a.ts' })).content).toContain('answered in time');
    const unseen = fakeWorkspace({
      files: { 'a.ts': 'x\n' },
      language: { freshProblems: () => Promise.resolve({ problems: [], isSure: true, isInTab: false }) },
    });
    expect((await call(unseen, 'diagnostics', { path: 'a.ts' })).content).toContain('It is open in no tab');
    expect((await call(late, 'diagnostics', {})).content).toContain('Only files that a language service');
    expect(await call(late, 'diagnostics', { path: 'none.ts' })).toMatchObject({ is_error: true });
  });
});

describe('an edit', () => {
  const edit = (old_text: string, new_text: string) => ({ path: 'a.ts', edits: [{ old_text, new_text }] });
  const looks = (...seen: Problem[][]) => {
    const rest = [...seen];
    return {
      freshProblems: () => Promise.resolve({ problems: rest.shift() ?? [], isSure: true }),
    };
  };

  it('names the problems it brought, wherever the old ones moved to', async () => {
    const old = problem({ message: 'Old.' });
    const moved = { ...old, line: 9 };
    const brought = problem({ line: 1, message: 'Brought.\nBecause.' });
    const workspace = fakeWorkspace({
      files: { 'a.ts': 'one\n' },
      language: looks([old], [moved, brought, problem({ severity: 'hint' })]),
    });
    const { content, outcome, is_error } = await call(workspace, 'edit', edit('one', 'two'));
    expect(content).toMatch(/Problems that this change brought:\na\.ts:1: error: Brought\. … \(ts 2304\)$/);
    expect(content).not.toContain('Old.');
    expect([outcome, is_error]).toEqual(['+1 −1 · 1 error', false]);
  });

  it('says nothing when it brought none, and takes none of a new file for old', async () => {
    const workspace = fakeWorkspace({
      files: { 'a.ts': 'one\n' },
      language: looks([problem()], [problem()]),
    });
    expect((await call(workspace, 'edit', edit('one', 'two'))).content).not.toContain('Problems');
    const created = fakeWorkspace({ language: looks([problem()]) });
    const { content } = await call(created, 'write', { path: 'a.ts', content: 'x\n' });
    expect(content).toContain('Problems that this change brought');
  });
});

describe('symbols and references', () => {
  const outline: FoundSymbol[] = [
    { path: place('a.ts'), line: 1, name: 'Basket', kind: 'class', depth: 0 },
    { path: place('a.ts'), line: 2, name: 'total', kind: 'method', depth: 1 },
  ];

  it('tell the outline of a file, and where a name is defined', async () => {
    const workspace = fakeWorkspace({
      files: { 'a.ts': '' },
      language: {
        symbols: () => Promise.resolve(outline),
        findSymbols: () =>
          Promise.resolve([{ ...(outline[1] as FoundSymbol), depth: 0, container: 'Basket' }]),
      },
    });
    expect((await call(workspace, 'symbols', { path: 'a.ts' })).content).toBe(
      'class Basket · line 1\n  method total · line 2',
    );
    expect((await call(workspace, 'symbols', { query: 'tot' })).content).toBe(
      'a.ts:2: method total in Basket',
    );
    expect(await refusal(workspace, 'symbols', {})).toContain('either the path of a file or a query');
    expect(await refusal(workspace, 'symbols', { path: 'a.ts', query: 'b' })).toContain('not both');
  });

  it('say where no service knows more, and what is elsewhere', async () => {
    const workspace = fakeWorkspace({
      files: { 'a.ts': '' },
      language: {
        references: () =>
          Promise.resolve({
            of: { line: 2, name: 'total' },
            hits: [{ path: place('b.ts'), line: 7, text: 'total();' }],
            outside: 2,
          }),
      },
    });
    expect((await call(workspace, 'symbols', { path: 'a.ts' })).content).toContain('Read it, or use search');
    expect(await call(workspace, 'references', { path: 'a.ts', symbol: 'total' })).toMatchObject({
      content: expect.stringMatching(
        /^total, as on line 2 of a\.ts:\nb\.ts:7: total\(\);\n\[2 more places/,
      ) as string,
      outcome: '1 reference',
    });
    expect(await refusal(workspace, 'references', { path: 'a.ts' })).toContain('Give the symbol, the line');
    expect(await refusal(workspace, 'references', { path: '/etc/passwd', line: 1 })).toContain('outside');
  });
});
