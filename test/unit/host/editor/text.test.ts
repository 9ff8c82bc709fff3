import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../src/host/editor/decode.js';
import { minimalChange } from '../../../../src/host/editor/minimal-change.js';
import { commandEnvironment, shellName, shellsFor } from '../../../../src/host/editor/shell.js';
import { locateVirtual } from '../../../../src/host/editor/virtual-paths.js';

describe('bytes', () => {
  it.each([
    ['UTF-8', [0xc3, 0xa4], { text: 'ä', valid: true, encoding: 'utf-8' }],
    ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0x61], { text: 'a', valid: true, encoding: 'utf-8' }],
    ['Latin-1', [0x61, 0xe4], { text: 'a\uFFFD', valid: false, encoding: 'utf-8' }],
    ['a cut character', [0x61, 0xf0, 0x9f, 0x94], { text: 'a\uFFFD', valid: false, encoding: 'utf-8' }],
    ['nothing', [], { text: '', valid: true, encoding: 'utf-8' }],
    ['a NUL', [0x61, 0], 'binary'],
    ['UTF-16, low byte first', [0xff, 0xfe, 0xe4, 0], { text: 'ä', valid: true, encoding: 'utf-16' }],
    ['UTF-16, high byte first', [0xfe, 0xff, 0, 0xe4], { text: 'ä', valid: true, encoding: 'utf-16' }],
    [
      'UTF-16 with half a character',
      [0xff, 0xfe, 0x3d, 0xd8],
      { text: '\uFFFD', valid: false, encoding: 'utf-16' },
    ],
  ])('%s', (_, bytes, expected) => {
    expect(decodeText(Uint8Array.from(bytes))).toEqual(expected);
  });
});

describe('the smallest change', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r\n', '\n', '🔥', '🔦'), maxLength: 12 });

  it('gives the new text and never cuts a character or a line ending', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { start, end, text: piece } = minimalChange(before, after);
        expect(before.slice(0, start) + piece + before.slice(end)).toBe(after);
        for (const part of [before.slice(0, start), piece, before.slice(end)])
          expect(part.isWellFormed()).toBe(true);
        for (const at of [start, end]) expect(before.slice(at - 1, at + 1)).not.toBe('\r\n');
      }),
    );
  });

  it('leaves alone what is the same', () => {
    expect(minimalChange('one\ntwo\nthree\n', 'one\n2\nthree\n')).toEqual({ start: 4, end: 7, text: '2' });
    expect(minimalChange('aaa', 'aaaa')).toEqual({ start: 3, end: 3, text: 'a' });
    expect(minimalChange('same', 'same')).toMatchObject({ text: '', start: 4, end: 4 });
  });
});

describe('what a command gets from us', () => {
  it('is the person’s environment without VS Code’s own', () => {
    const env = {
      PATH: '/bin',
      VSCODE_IPC_HOOK: 'x',
      vscode_nls: 'x',
      NODE_OPTIONS: 'x',
      ELECTRON_RUN_AS_NODE: '1',
      GONE: undefined,
      MY_VSCODE_: 'y',
    };
    expect(commandEnvironment(env)).toEqual({ PATH: '/bin', MY_VSCODE_: 'y' });
  });

  it('is the person’s shell, and one that runs something', () => {
    const files = (platform: NodeJS.Platform, env: Record<string, string>) =>
      shellsFor(platform, env).map(({ file }) => file);
    expect(files('linux', { SHELL: '/bin/zsh' })).toEqual(['/bin/zsh', '/bin/sh']);
    expect(files('darwin', {})).toEqual(['/bin/sh']);
    expect(files('linux', { SHELL: '/usr/sbin/nologin' })).toEqual(['/bin/sh']);
    expect(files('win32', { ComSpec: 'C:\\cmd.exe' })).toEqual(['pwsh.exe', 'C:\\cmd.exe']);
    expect(shellName('linux', { SHELL: '/usr/bin/fish' })).toBe('fish');
    expect(shellName('win32', {})).toBe('pwsh');
  });
});

describe('a path where there is no disk', () => {
  const one = [{ name: 'repo', uri: 'vscode-vfs://github/o/repo' }];
  const two = [...one, { name: 'other', uri: 'vscode-vfs://github/o/other' }];

  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src/../b.ts', 'b.ts'],
    ['.', ''],
    ['src\\a.ts', 'src/a.ts'],
  ])('%s is below the folder', (wanted, relative) => {
    expect(locateVirtual(wanted, one)).toMatchObject({ relative });
  });

  it.each(['..', '../x', 'a/../../x', '/etc/passwd', 'a\0b'])('%j is outside', (wanted) => {
    expect(locateVirtual(wanted, one)).toMatchObject({ code: 'outside' });
  });

  it('begins with the name of the folder when there are several', () => {
    expect(locateVirtual('other/a.ts', two)).toMatchObject({ relative: 'a.ts', folder: { name: 'other' } });
    expect(locateVirtual('a.ts', two)).toMatchObject({ code: 'ambiguous-path' });
  });
});
