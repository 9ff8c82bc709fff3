import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byLine } from '../../../../src/host/editor/by-line.js';
import {
  findRipgrep,
  parseHit,
  ripgrepArguments,
  ripgrepPlaces,
  searchWithRipgrep,
  type TextSearch,
} from '../../../../src/host/editor/ripgrep.js';
import { patternOf, scanText } from '../../../../src/host/editor/scan.js';
import { isFailure } from '../../../../src/shared/failure.js';

const search = (over: Partial<TextSearch> = {}): TextSearch => ({
  pattern: 'needle',
  regex: false,
  target: '',
  maxResults: 100,
  ...over,
});
const match = (file: object, lines: object, line_number: number) =>
  `${JSON.stringify({ type: 'match', data: { path: file, lines, line_number, absolute_offset: 0, submatches: [] } })}\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'bough-search-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program that answers like ripgrep: prints and ends as it is told. */
async function fakeRipgrep(name: string, script: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `#!${process.execPath}\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

describe('ripgrep', () => {
  it('is looked for in every layout VS Code has had', async () => {
    const places = ripgrepPlaces('/app', 'linux', 'x64').map((place) => place.split(path.sep).join('/'));
    expect(places).toEqual([
      '/app/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg',
      '/app/node_modules/@vscode/ripgrep/bin/rg',
      '/app/node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/linux-x64/rg',
      '/app/node_modules.asar.unpacked/@vscode/ripgrep/bin/rg',
    ]);
    expect(ripgrepPlaces('/app', 'win32', 'x64')[1]).toMatch(/rg\.exe$/);
    expect(await findRipgrep(folder)).toBeUndefined();
    const unpacked = path.join(folder, 'node_modules.asar.unpacked/@vscode/ripgrep/bin');
    await mkdir(unpacked, { recursive: true });
    await writeFile(path.join(unpacked, process.platform === 'win32' ? 'rg.exe' : 'rg'), '', { mode: 0o755 });
    expect(await findRipgrep(folder)).toContain('node_modules.asar.unpacked');
  });

  it('gets the pattern and the target as plain values, whatever they look like', () => {
    expect(ripgrepArguments(search({ pattern: '--files', target: '-x' })).slice(-4)).toEqual([
      '--regexp',
      '--files',
      '--',
      './-x',
    ]);
    expect(ripgrepArguments(search())).toContain('--fixed-strings');
    expect(ripgrepArguments(search({ regex: true }))).not.toContain('--fixed-strings');
    expect(ripgrepArguments(search())).toContain('!**/node_modules/**');
    expect(ripgrepArguments(search({ target: 'node_modules/x' }))).not.toContain('!**/node_modules/**');
  });

  it('hits are read, also from bytes that are not UTF-8 and from Windows', () => {
    expect(parseHit(match({ text: './src/a.ts' }, { text: '\tneedle\r\n' }, 7))).toEqual({
      relative: 'src/a.ts',
      line: 7,
      text: '\tneedle',
    });
    expect(parseHit(match({ text: '.\\src\\a.ts' }, { bytes: '6WZvbwo=' }, 1))).toEqual({
      relative: 'src/a.ts',
      line: 1,
      text: '\uFFFDfoo',
    });
    expect(parseHit('{"type":"begin","data":{"path":{"text":"a"}}}')).toBeNull();
  });

  describe.skipIf(process.platform === 'win32')('as a process', () => {
    const signal = new AbortController().signal;
    const hit = (n: number) => match({ text: `./f${n}` }, { text: `needle \u2028 ä${n}\n` }, n);

    it('gives hits in order and says when there are more', async () => {
      const ripgrep = await fakeRipgrep(
        'hits',
        `for (const line of ${JSON.stringify([1, 2, 3].map(hit))}) process.stdout.write(line);`,
      );
      const all = await searchWithRipgrep(ripgrep, folder, search({ maxResults: 3 }), signal);
      expect(all).toEqual({
        hits: [1, 2, 3].map((n) => ({ relative: `f${n}`, line: n, text: `needle \u2028 ä${n}` })),
        more: false,
      });
      expect(await searchWithRipgrep(ripgrep, folder, search({ maxResults: 2 }), signal)).toMatchObject({
        hits: [{}, {}],
        more: true,
      });
    });

    it('is ended when there are enough hits', async () => {
      const ripgrep = await fakeRipgrep(
        'endless',
        `const line = ${JSON.stringify(hit(1))}; const more = () => process.stdout.write(line.repeat(100), more); more();`,
      );
      expect(await searchWithRipgrep(ripgrep, folder, search({ maxResults: 5 }), signal)).toMatchObject({
        more: true,
      });
    });

    it('is ended by Stop', async () => {
      const controller = new AbortController();
      const ripgrep = await fakeRipgrep('hangs', `setInterval(() => {}, 1000);`);
      const found = searchWithRipgrep(ripgrep, folder, search(), controller.signal);
      controller.abort();
      expect(await found).toMatchObject({ kind: 'cancelled' });
      expect(await searchWithRipgrep(ripgrep, folder, search(), controller.signal)).toMatchObject({
        kind: 'cancelled',
      });
    });

    it('names a wrong pattern, its own failure, and files it could not read', async () => {
      const wrong = await fakeRipgrep(
        'wrong',
        `process.stderr.write('rg: regex parse error:\\n    (\\n    ^\\nerror: unclosed group\\n'); process.exitCode = 2;`,
      );
      expect(await searchWithRipgrep(wrong, folder, search(), signal)).toMatchObject({
        code: 'bad-pattern',
        message: expect.stringContaining('unclosed group'),
      });
      const broken = await fakeRipgrep(
        'broken',
        `process.stderr.write('rg: unrecognized flag --x\\n'); process.exitCode = 2;`,
      );
      expect(await searchWithRipgrep(broken, folder, search(), signal)).toMatchObject({
        code: 'search-failed',
        message: expect.stringContaining('unrecognized flag'),
      });
      const partly = await fakeRipgrep(
        'partly',
        `process.stdout.write(${JSON.stringify(hit(1))}); process.stderr.write('rg: ./b: Permission denied (os error 13)\\nrg: ./c: Permission denied (os error 13)\\n'); process.exitCode = 2;`,
      );
      const found = await searchWithRipgrep(partly, folder, search(), signal);
      expect(found).toMatchObject({
        hits: [{}],
        note: 'Not everything could be searched: ./b: Permission denied (os error 13) and 1 more.',
      });
      expect(await searchWithRipgrep('/no/such/rg', folder, search(), signal)).toMatchObject({
        code: 'no-search',
      });
    });
  });
});

describe('lines of a stream', () => {
  it('A5: are split at LF only, however the bytes are cut', () => {
    const bytes = new TextEncoder().encode('a\u2028b\u0085c\r\nä🔥\n\nlast\n');
    for (let size = 1; size < 8; size += 1) {
      const lines: string[] = [];
      const take = byLine((line) => lines.push(line));
      for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
      expect(lines).toEqual(['a\u2028b\u0085c\r', 'ä🔥', 'last']);
    }
  });
});

describe('the scan that stands in', () => {
  it('finds lines by text or expression, and names a wrong expression', () => {
    const plain = patternOf('a.c(', false);
    const regex = patternOf('^b.*z$', true);
    if (isFailure(plain) || isFailure(regex)) throw new Error('both are patterns');
    expect(scanText('f', 'abc(\r\na.c(\nbxz\n', plain, 10)).toEqual([
      { relative: 'f', line: 2, text: 'a.c(' },
    ]);
    expect(scanText('f', 'bz\nno\nbxz', regex, 10).map(({ line }) => line)).toEqual([1, 3]);
    expect(scanText('f', 'bz\nbz\nbz', regex, 2)).toHaveLength(2);
    expect(patternOf('(', true)).toMatchObject({ code: 'bad-pattern' });
  });
});
