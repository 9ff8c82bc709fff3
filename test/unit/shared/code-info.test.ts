import { describe, expect, it } from 'vitest';
import { readCodeInfo } from '../../../src/shared/code-info.js';

describe('the words behind a fence', () => {
  it.each([
    ['', { language: '' }],
    ['ts', { language: 'ts' }],
    ['C++', { language: 'c++' }],
    ['ts src/a.ts', { language: 'ts', path: 'src/a.ts' }],
    ['ts:src/a.ts', { language: 'ts', path: 'src/a.ts' }],
    ['src/a.ts', { language: '', path: 'src/a.ts' }],
    ['./src/a.ts:12', { language: '', path: 'src/a.ts' }],
    ['ts title="src/with space.ts"', { language: 'ts' }],
    ['ts title="src/a.ts"', { language: 'ts', path: 'src/a.ts' }],
    ["ts {1,3} path='lib/b.ts'", { language: 'ts', path: 'lib/b.ts' }],
    ['tsx file=src\\win\\a.tsx', { language: 'tsx', path: 'src/win/a.tsx' }],
    ['Makefile', { language: 'makefile' }],
    ['README.md', { language: '', path: 'README.md' }],
  ])('%s', (info, read) => expect(readCodeInfo(info)).toEqual(read));

  it.each([
    'ts ../outside.ts',
    'ts /etc/passwd',
    'ts src/../../x.ts',
    'ts file:///etc/passwd',
    'ts command:x.y',
  ])('G13: %s names no file', (info) => expect(readCodeInfo(info).path).toBeUndefined());
});
