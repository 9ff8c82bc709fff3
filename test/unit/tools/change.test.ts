import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/shared/failure.js';
import { countChanges, showChanged } from '../../../src/tools/changed-lines.js';
import { applyEdits } from '../../../src/tools/replace.js';
import { call, contextOf, prepare, refusal, tool } from './call.js';
import { fakeWorkspace, sha256 } from './fake-workspace.js';

const edit = (old_text: string, new_text: string, file = 'a.ts') => ({
  path: file,
  edits: [{ old_text, new_text }],
});

describe('counting changed lines', () => {
  it('a last line without its line break is the same line', () => {
    expect(countChanges('Lint.\nRun the tests.', 'Run the tests.\n')).toEqual({ added: 0, removed: 1 });
    expect(countChanges('a\nb', 'a\nb\nc\n')).toEqual({ added: 1, removed: 0 });
    expect(countChanges('a\r\nb', 'a\r\nb\r\n')).toEqual({ added: 0, removed: 0 });
    expect(countChanges('', 'a')).toEqual({ added: 1, removed: 0 });
    expect(showChanged('a\nb', 'a\nb\nc\n')).toBe('Lines 1–3 now:\na\nb\nc');
  });
});

describe('edit', () => {
  it('prepares without touching anything and names target, hash and proposal', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'one\ntwo\n' } });
    const prepared = await prepare(workspace, 'edit', edit('two', 'three'));
    expect(prepared).toMatchObject({
      sentence: 'Edit a.ts',
      risk: 'write',
      subject: 'a.ts',
      targets: [{ path: 'a.ts', hash: sha256('one\ntwo\n') }],
      proposal: [{ before: 'one\ntwo\n', after: 'one\nthree\n' }],
    });
    expect(workspace.applied).toEqual([]);
    expect(workspace.text('a.ts')).toBe('one\ntwo\n');
  });

  it('applies several edits at once, all against the file as it was', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\nb\nc\n' } });
    const edits = [
      { old_text: 'c', new_text: 'a' },
      { old_text: 'a', new_text: 'b' },
    ];
    const outcome = await call(workspace, 'edit', { path: 'a.ts', edits });
    expect(workspace.text('a.ts')).toBe('b\nb\na\n');
    expect(outcome).toMatchObject({ is_error: false, outcome: '+2 −2' });
    expect(outcome.changes).toHaveLength(1);
    expect(outcome.content).toContain('Lines 1–3 now:\nb\nb\na');
  });

  it('applies none when one does not match', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\nb\n' } });
    const edits = [
      { old_text: 'a', new_text: 'x' },
      { old_text: 'zzz', new_text: 'y' },
    ];
    expect(await refusal(workspace, 'edit', { path: 'a.ts', edits })).toContain(
      'old_text of edit 2 does not occur in a.ts',
    );
    expect(workspace.text('a.ts')).toBe('a\nb\n');
  });

  it('does not count all matches of a text that repeats itself for ever', { timeout: 2000 }, async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'ab'.repeat(200_000) } });
    expect(await refusal(workspace, 'edit', edit('ab'.repeat(20_000), 'b'))).toContain(
      'occurs at least 1,000 times (line',
    );
  });

  it('counts the matches of an ambiguous text and names their lines, overlapping ones too', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'x = 1\ny\nx = 1\n', 'b.ts': 'aaa' } });
    expect(await refusal(workspace, 'edit', edit('x = 1', 'z'))).toContain(
      'occurs 2 times (lines 1, 3) in a.ts',
    );
    expect(await refusal(workspace, 'edit', edit('aa', 'b', 'b.ts'))).toContain('occurs 2 times');
  });

  it('says that only white space differs, and what the file has', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'if (x) {\n\treturn 1;\n}\n' } });
    const message = await refusal(workspace, 'edit', edit('if (x) {\n    return 1;', 'y'));
    expect(message).toContain(
      'Lines 1–2 differ from it only in white space; the file has:\nif (x) {\n\treturn 1;',
    );
  });

  it('names the nearest line', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'first\nconst total = sum(values);\nlast\n' } });
    const message = await refusal(workspace, 'edit', edit('const totals = sum(value);', 'y'));
    expect(message).toContain('The nearest line is 2:\nconst total = sum(values);');
  });

  it('recognises a text that was escaped twice', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\n\tb\n' } });
    expect(await refusal(workspace, 'edit', edit('a\\n\\tb', 'y'))).toContain('escaped once too often');
  });

  it('refuses overlapping edits, edits that change nothing, and files that are not there', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'abcdef' } });
    const edits = [
      { old_text: 'abcd', new_text: '1' },
      { old_text: 'cdef', new_text: '2' },
    ];
    expect(await refusal(workspace, 'edit', { path: 'a.ts', edits })).toContain(
      'Edits 1 and 2 of a.ts overlap',
    );
    expect(await refusal(workspace, 'edit', edit('abc', 'abc'))).toContain('changes nothing');
    expect(await refusal(workspace, 'edit', edit('a', 'b', 'no.ts'))).toContain('Use write to create it');
  });

  it('keeps CRLF, and each line its own ending in a mixed file', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'one\r\ntwo\r\nthree\r\n', 'm.ts': 'a\nb\r\nc\n' } });
    await call(workspace, 'edit', edit('two\nthree', 'zwei\ndrei\nvier'));
    expect(workspace.text('a.ts')).toBe('one\r\nzwei\r\ndrei\r\nvier\r\n');
    await call(workspace, 'edit', edit('b\n', 'B\n', 'm.ts'));
    expect(workspace.text('m.ts')).toBe('a\nB\r\nc\n');
  });

  it('replaces what was found and nothing else, whatever the text', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '$&', '🔥'), maxLength: 12 });
    fc.assert(
      fc.property(piece, piece, piece, piece, (before, middle, after, now) => {
        const text = `${before}<<${middle}>>${after}`;
        const wanted = `<<${middle.replaceAll('\r\n', '\n')}>>`;
        fc.pre(wanted !== now.replaceAll('\r\n', '\n'));
        const edited = applyEdits('f', text, [{ old_text: wanted, new_text: now }]);
        expect(isFailure(edited)).toBe(false);
        if (isFailure(edited)) return;
        expect(edited.startsWith(before)).toBe(true);
        expect(edited.endsWith(after)).toBe(true);
        const replaced = edited.slice(before.length, edited.length - after.length);
        expect(replaced.replaceAll('\r\n', '\n')).toBe(now.replaceAll('\r\n', '\n'));
      }),
    );
  });

  it('refuses when the file changed after the approval was asked for', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'one\n' } });
    const prepared = await prepare(workspace, 'edit', edit('one', 'two'));
    if (isFailure(prepared)) throw new Error(prepared.message);
    workspace.set('a.ts', 'one!\n');
    const outcome = await tool('edit').run(prepared, contextOf(workspace));
    expect(outcome).toMatchObject({
      is_error: true,
      content: expect.stringContaining('changed after this was prepared'),
    });
    expect(workspace.text('a.ts')).toBe('one!\n');
  });

  it('refuses when the file became another while problems were asked for', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'one\n' } });
    const prepared = await prepare(workspace, 'edit', edit('one', 'two'));
    if (isFailure(prepared)) throw new Error(prepared.message);
    const freshProblems = () => {
      workspace.set('a.ts', 'one!\n');
      return Promise.resolve({ problems: [], isSure: true });
    };
    Object.assign(workspace.language, { freshProblems });
    const outcome = await tool('edit').run(prepared, contextOf(workspace));
    expect(outcome).toMatchObject({
      is_error: true,
      content: expect.stringContaining('changed after this was prepared') as unknown,
    });
    expect(workspace.text('a.ts')).toBe('one!\n');
  });

  it('edits an unsaved buffer, does not save it, and says so', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'disk\n' }, dirty: { 'a.ts': 'typed\n' } });
    const outcome = await call(workspace, 'edit', edit('typed', 'changed'));
    expect(workspace.text('a.ts')).toBe('disk\n');
    expect([...workspace.dirty.values()]).toEqual(['changed\n']);
    expect(outcome).toMatchObject({ is_error: false, outcome: '+1 −1 · not saved' });
    expect(outcome.content).toContain('NOT saved');
  });

  it('gives the text as it stands after format on save', async () => {
    const workspace = fakeWorkspace({
      files: { 'a.ts': 'let a = 1\n' },
      formatOnSave: (text) => text.replace('2\n', '2;\n'),
    });
    const outcome = await call(workspace, 'edit', edit('a = 1', 'a = 2'));
    expect(outcome.content).toContain('format on save');
    expect(outcome.content).toContain('Line 1 now:\nlet a = 2;');
    expect(outcome.changes?.[0]?.text).toBe('let a = 2;\n');
  });

  it('refuses a file whose bytes are not UTF-8 instead of damaging it', async () => {
    const workspace = fakeWorkspace({ files: { 'a.txt': Uint8Array.of(0x61, 0xe9, 0x62) } });
    expect(await refusal(workspace, 'edit', edit('a', 'b', 'a.txt'))).toContain('not valid UTF-8');
  });

  it('is an error when the editor could not save, and says where the change stands', async () => {
    const failSave = 'VS Code could not save a.ts: the change stands in the editor and NOT on disk.';
    const workspace = fakeWorkspace({ files: { 'a.ts': 'one\n' }, failSave });
    const outcome = await call(workspace, 'edit', edit('one', 'two'));
    expect(outcome).toMatchObject({ is_error: true, content: failSave, outcome: 'not saved' });
    expect(outcome.changes).toHaveLength(1);
  });

  it('changes nothing after Stop', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'one\n' } });
    const outcome = await call(workspace, 'edit', edit('one', 'two'), { signal: AbortSignal.abort() });
    expect(outcome.is_error).toBe(true);
    expect(workspace.text('a.ts')).toBe('one\n');
  });
});

describe('write', () => {
  it('creates a file and says how many lines', async () => {
    const workspace = fakeWorkspace();
    const prepared = await prepare(workspace, 'write', { path: 'src/new/a.ts', content: 'a\nb\n' });
    expect(prepared).toMatchObject({
      sentence: 'Create src/new/a.ts',
      targets: [{ hash: null }],
      proposal: [{ before: null }],
    });
    const outcome = await call(workspace, 'write', { path: 'src/new/a.ts', content: 'a\nb\n' });
    expect(workspace.text('src/new/a.ts')).toBe('a\nb\n');
    expect(outcome).toMatchObject({
      content: 'Created src/new/a.ts (+2 −0).',
      is_error: false,
      outcome: '+2 −0',
    });
    expect(outcome.changes?.[0]).toMatchObject({ before_bytes: null });
  });

  it('replaces a file, with the line endings it had', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\r\nb\r\n' } });
    const outcome = await call(workspace, 'write', { path: 'a.ts', content: 'a\nc\n' });
    expect(workspace.text('a.ts')).toBe('a\r\nc\r\n');
    expect(outcome.outcome).toBe('+1 −1');
  });

  it('writes nothing of what is there already, asks nobody about it, and says so', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\r\nb\r\n' } });
    const input = { path: 'a.ts', content: 'a\nb\n' };
    const prepared = await prepare(workspace, 'write', input);
    expect(prepared).toMatchObject({ risk: 'read', sentence: 'Write a.ts' });
    expect(prepared).not.toHaveProperty('proposal');
    const outcome = await call(workspace, 'write', input);
    expect(outcome).toEqual({
      content: expect.stringContaining('nothing had to be changed') as unknown,
      is_error: false,
      outcome: 'nothing to change',
    });
    expect(workspace.text('a.ts')).toBe('a\r\nb\r\n');
  });

  it('does not say so of a file that was changed meanwhile', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a\n' } });
    const prepared = await prepare(workspace, 'write', { path: 'a.ts', content: 'a\n' });
    if (isFailure(prepared)) throw new Error(prepared.message);
    await call(workspace, 'write', { path: 'a.ts', content: 'b\n' });
    const outcome = await tool('write').run(prepared, contextOf(workspace));
    expect(outcome).toMatchObject({ is_error: true });
    expect(outcome.content).toContain('changed after this was prepared');
  });

  it('refuses to write binary files and folders', async () => {
    const workspace = fakeWorkspace({
      files: { 'a.ts': 'a\n', 'b.png': Uint8Array.of(1, 0, 2), 'src/c.ts': '' },
    });
    expect(await refusal(workspace, 'write', { path: 'b.png', content: 'a\n' })).toContain('binary');
    expect(await refusal(workspace, 'write', { path: 'src', content: 'a\n' })).toContain('is a folder');
  });

  it('accepts an empty file', async () => {
    const workspace = fakeWorkspace();
    expect(await call(workspace, 'write', { path: 'empty', content: '' })).toMatchObject({
      is_error: false,
      outcome: '+0 −0',
    });
  });
});

describe('an untrusted folder', () => {
  it.each([
    ['edit', edit('a', 'b')],
    ['write', { path: 'a.ts', content: 'x' }],
    ['run', { command: 'true' }],
  ])('refuses %s with a sentence', async (name, input) => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a' }, trusted: false });
    expect(await refusal(workspace, name, input)).toContain('not trusted');
  });

  it('refuses a change that was prepared before the trust was withdrawn', async () => {
    const workspace = fakeWorkspace({ files: { 'a.ts': 'a' } });
    const prepared = await prepare(workspace, 'edit', edit('a', 'b'));
    if (isFailure(prepared)) throw new Error(prepared.message);
    workspace.trusted = false;
    expect((await tool('edit').run(prepared, contextOf(workspace))).is_error).toBe(true);
    expect(workspace.text('a.ts')).toBe('a');
  });
});
