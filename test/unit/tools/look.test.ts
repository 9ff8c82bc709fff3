import { describe, expect, it } from 'vitest';
import { createTools } from '../../../src/tools/index.js';
import { call, prepare, refusal } from './call.js';
import { fakeWorkspace } from './fake-workspace.js';

describe('the tools a model is told about', () => {
  it('have fixed names and inputs', () => {
    const inputs = createTools().map(({ spec }) => [
      spec.name,
      Object.keys(spec.input_schema['properties'] ?? {}),
    ]);
    expect(inputs).toEqual([
      ['list', ['path']],
      ['read', ['path', 'start_line', 'end_line']],
      ['search', ['pattern', 'path', 'regex', 'max_results']],
      ['glob', ['pattern', 'path', 'max_results']],
      ['symbols', ['path', 'query']],
      ['references', ['path', 'symbol', 'line']],
      ['diagnostics', ['path']],
      ['edit', ['path', 'edits']],
      ['write', ['path', 'content']],
      ['run', ['command', 'cwd', 'timeout_ms']],
      ['background', ['id', 'action', 'timeout_ms']],
      ['fetch', ['url']],
      ['ask', ['question', 'options']],
      ['read_result', ['id', 'offset', 'limit']],
      ['todo', ['items']],
      ['subagent', ['task', 'agent', 'session', 'background']],
      ['finish', ['status', 'summary']],
    ]);
    for (const { spec } of createTools())
      expect(spec.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(createTools()[1]?.spec.input_schema['required']).toEqual(['path']);
  });

  it('look without asking, change and run only when asked', () => {
    const risks = createTools().map(({ spec, risk }) => `${spec.name}: ${risk}`);
    expect(risks).toEqual([
      'list: read',
      'read: read',
      'search: read',
      'glob: read',
      'symbols: read',
      'references: read',
      'diagnostics: read',
      'edit: write',
      'write: write',
      'run: run',
      'background: read',
      'fetch: net',
      'ask: read',
      'read_result: read',
      'todo: read',
      'subagent: read',
      'finish: read',
    ]);
  });

  it('C14: refuse an input that is incomplete or has unknown fields, and name what is wrong', async () => {
    const workspace = fakeWorkspace();
    expect(await refusal(workspace, 'read', {})).toMatch(/input of read is not valid.*path/);
    expect(await refusal(workspace, 'write', { path: 'a.ts' })).toMatch(/content/);
    expect(await refusal(workspace, 'edit', { path: 'a.ts', edits: [] })).toMatch(/edits/);
    expect(await refusal(workspace, 'read', { path: 'a', lines: 3 })).toMatch(/lines/);
    expect(await refusal(workspace, 'run', '{"command":"npm i"')).toMatch(/expected object/);
    expect(await refusal(workspace, 'run', { command: ' ' })).toMatch(/must not be blank/);
    expect(workspace.commands).toEqual([]);
  });

  it('take null for a field that is not given', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\n' } });
    expect((await call(workspace, 'read', { path: 'a.ts', start_line: null, end_line: null })).content).toBe(
      'a\n',
    );
  });

  it.each(['list', 'read', 'search', 'edit', 'write', 'run'])(
    '%s refuses what lies outside, without a card',
    async (name) => {
      const inputs: Record<string, (path: string) => unknown> = {
        search: (path) => ({ pattern: 'a', path }),
        edit: (path) => ({ path, edits: [{ old_text: 'a', new_text: 'b' }] }),
        write: (path) => ({ path, content: 'a' }),
        run: (cwd) => ({ command: 'true', cwd }),
      };
      const inputOf = inputs[name] ?? ((path: string) => ({ path }));
      const workspace = fakeWorkspace({ links: { out: '/etc' } });
      for (const path of ['/etc/passwd', '../secret', 'src/../../secret', 'out/passwd']) {
        expect(await refusal(workspace, name, inputOf(path))).toContain('outside the workspace');
      }
    },
  );
});

describe('list', () => {
  it('gives folders first, then files with sizes', async () => {
    const workspace = fakeWorkspace({
      files: {
        'b.md': 'x'.repeat(1500),
        'src/a.ts': 'a',
        'a.txt': '',
        'node_modules/x/y.js': 'a',
        '.git/HEAD': 'a',
      },
      links: { link: '/workspace/src' },
    });
    const outcome = await call(workspace, 'list', {});
    expect(outcome.content.split('\n')).toEqual([
      '.git/',
      'node_modules/',
      'src/',
      'a.txt  0 B',
      'b.md  1.5 KB',
      'link  (symbolic link)',
    ]);
    expect(outcome.outcome).toBe('6 entries');
    expect(await prepare(workspace, 'list', {})).toMatchObject({ sentence: 'List workspace' });
  });

  it('says how many entries it leaves out', async () => {
    const files = Object.fromEntries(Array.from({ length: 620 }, (_, n) => [`f${n}`, '']));
    const outcome = await call(fakeWorkspace({ files }), 'list', { path: '.' });
    expect(outcome.content.split('\n')).toHaveLength(501);
    expect(outcome.content).toContain('[120 more entries not shown.');
  });

  it('lists the workspace folders when there are several', async () => {
    const workspace = fakeWorkspace({ folders: ['web', 'api'], files: { '/api/a.ts': 'a' } });
    expect((await call(workspace, 'list', {})).content).toBe('web/\napi/');
    expect((await call(workspace, 'list', { path: 'api' })).content).toBe('a.ts  1 B');
  });

  it('says that a folder is missing', async () => {
    expect(await call(fakeWorkspace(), 'list', { path: 'no' })).toMatchObject({
      is_error: true,
      content: 'There is no folder no.',
    });
  });
});

describe('read', () => {
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n + 1}`);
  const workspace = fakeWorkspace({
    files: { 'a.ts': 'one\ntwo\nthree', 'long.txt': `${lines.join('\n')}\n`, 'e.txt': '', 'w.txt': '\n \n' },
  });

  it('gives the whole text unchanged', async () => {
    expect(await call(workspace, 'read', { path: 'a.ts' })).toEqual({
      content: 'one\ntwo\nthree',
      is_error: false,
      outcome: '3 lines',
    });
  });

  it('gives a range and says of how many lines', async () => {
    const outcome = await call(workspace, 'read', { path: 'a.ts', start_line: 1, end_line: 2 });
    expect(outcome).toMatchObject({
      content: 'one\ntwo\n\n[Lines 1–2 of 3 of a.ts. Read on with start_line 3.]',
      outcome: '2 lines',
    });
    const prepared = await prepare(workspace, 'read', { path: 'a.ts', start_line: 1, end_line: 2 });
    expect(prepared).toMatchObject({ sentence: 'Read a.ts 1–2' });
  });

  it('stops at its cap and says how to read on', async () => {
    const first = await call(workspace, 'read', { path: 'long.txt' });
    expect(first.content).toContain(
      'line 2000\n\n[Lines 1–2000 of 5000 of long.txt. Read on with start_line 2001.]',
    );
    const last = await call(workspace, 'read', { path: 'long.txt', start_line: 4001 });
    expect(last.content).toMatch(/^line 4001\n/);
    expect(last.content).toContain('line 5000\n\n[Lines 4001–5000 of 5000 of long.txt.]');
  });

  it('cuts a huge line visibly and never inside a character', async () => {
    const huge = fakeWorkspace({ files: { 'a.json': `a${'🔥'.repeat(200_000)}` } });
    const { content } = await call(huge, 'read', { path: 'a.json' });
    expect(content.isWellFormed()).toBe(true);
    expect(content).toContain('The line has 400,001 characters and is cut here');
    expect(content.length).toBeLessThan(270_000);
  });

  it('never answers with blank text', async () => {
    expect((await call(workspace, 'read', { path: 'e.txt' })).content).toBe('[e.txt is empty.]');
    expect((await call(workspace, 'read', { path: 'w.txt' })).content).toBe(
      '[w.txt has only white space: 2 lines.]',
    );
  });

  it('reads the unsaved text of an open editor and says so', async () => {
    const open = fakeWorkspace({ files: { 'a.ts': 'disk' }, dirty: { 'a.ts': 'typed' } });
    expect((await call(open, 'read', { path: 'a.ts' })).content).toContain(
      'typed\n\n[a.ts has unsaved changes',
    );
  });

  it('refuses binary files and says that a text is not UTF-8', async () => {
    const odd = fakeWorkspace({
      files: { 'a.png': Uint8Array.of(1, 0), 'b.txt': Uint8Array.of(0x61, 0xe9) },
    });
    expect(await call(odd, 'read', { path: 'a.png' })).toMatchObject({
      is_error: true,
      content: 'a.png is a binary file.',
    });
    expect((await call(odd, 'read', { path: 'b.txt' })).content).toContain(
      'a\uFFFD\n\n[b.txt is not valid in its encoding',
    );
  });

  it('refuses a range behind the end or upside down', async () => {
    expect(await call(workspace, 'read', { path: 'a.ts', start_line: 9 })).toMatchObject({
      is_error: true,
      content: expect.stringContaining('has 3 lines'),
    });
    expect(await refusal(workspace, 'read', { path: 'a.ts', start_line: 3, end_line: 2 })).toContain(
      'before start_line',
    );
  });
});

describe('search', () => {
  const workspace = fakeWorkspace({
    files: { 'a.ts': 'foo(1)\nbar\n', 'src/b.ts': 'foo(2)\n' + 'x'.repeat(900) },
  });

  it('gives one line a hit', async () => {
    expect(await call(workspace, 'search', { pattern: 'foo(' })).toEqual({
      content: 'a.ts:1: foo(1)\nsrc/b.ts:1: foo(2)',
      is_error: false,
      outcome: '2 hits',
    });
    expect((await call(workspace, 'search', { pattern: 'f.o', path: 'src', regex: true })).content).toBe(
      'src/b.ts:1: foo(2)',
    );
  });

  it('says that there is nothing, that there is more, and that a line is cut', async () => {
    expect(await call(workspace, 'search', { pattern: 'nope' })).toMatchObject({
      outcome: 'no hits',
      is_error: false,
    });
    const limited = await call(workspace, 'search', { pattern: 'foo', max_results: 1 });
    expect(limited).toMatchObject({
      outcome: '1+ hits',
      content: expect.stringContaining('more than 1 hit'),
    });
    expect((await call(workspace, 'search', { pattern: 'xxx' })).content).toMatch(/x{300} \[…\]$/);
  });

  it('names a pattern that is no regular expression', async () => {
    const outcome = await call(workspace, 'search', { pattern: '(', regex: true });
    expect(outcome).toMatchObject({
      is_error: true,
      content: expect.stringContaining('not a regular expression'),
    });
  });
});
