import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../../src/host/editor/glob.js';
import { identifiersAt } from '../../../../src/host/editor/identifier.js';
import { listArguments } from '../../../../src/host/editor/ripgrep-files.js';
import { isFailure } from '../../../../src/shared/failure.js';

describe('globs', () => {
  const matches = (glob: string, file: string): boolean => {
    const matcher = globMatcher(glob);
    if (isFailure(matcher)) throw new Error(matcher.message);
    return matcher(file);
  };

  it.each([
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/*.ts', 'src/x/a.ts', false],
    ['*.ts', 'src/x/a.ts', true],
    ['**/*.{js,ts}', 'a.ts', true],
    ['./src/*', 'src/a.ts', true],
    ['src\\*.ts', 'src/a.ts', true],
    ['**/.env*', 'a/.env.local', true],
    ['file [1-2].txt', 'file 2.txt', true],
    ['ä*🔥.txt', 'äx🔥.txt', true],
  ])('%s · %s: %s', (glob, file, expected) => {
    expect(matches(glob, file)).toBe(expected);
  });

  it.each(['../*', '/etc/*', 'C:\\x\\*', 'a/../../b'])('%s leaves the folder', (glob) => {
    expect(globMatcher(glob)).toMatchObject({ code: 'outside' });
  });

  it.each([
    ['*a*b*c*d*', 'x/1a2b3c4d5', true],
    ['*a*b*c*d*', 'x/1a2b3d4c5', false],
    ['*a*b*c*d*', 'abcd', true],
    ['src/**/*.a.*.b.*.c?*', 'src/x/y/1.a.2.b.3.cd', true],
    ['src/**/*.a.*.b.*.c?*', 'src/1.a.2.b.3.c', false],
    ['**/*a*a*a*ab/**', 'x/aaaaab/y/z', true],
    ['**/*a*a*a*ab/**', 'x/aaa/aab/y', false],
    ['*a*a*a*a', 'aaa', false],
    ['*a*a*a*a', 'aaaa', true],
    ['*a*a*a*a*a*b', 'a'.repeat(4000), false],
    ['*a*a*a*a*a*b', `${'a'.repeat(4000)}b`, true],
    ['**/?*?*?*?*?*b', `x/${'a'.repeat(4000)}`, false],
    ['*a*a*b', 'a'.repeat(250), false],
    ['**/a*/**/a*/**/b', 'aaaaaa/'.repeat(40), false],
  ])('of many stars are done: %s · %s: %s', (glob, file, expected) => {
    expect(matches(glob, file)).toBe(expected);
  });

  it.each([
    '*a*a*a*a*a*a*b',
    'src/*a*a*a*a*a*a*b/*.ts',
    '{*a,*b}*{*a,*b}c',
    '{*a/x,*b}*{*a,*b}c',
    '[a]*[a]*[a]*[a]*b',
    '*(*a)b',
    '+(*a)b',
    '**/a/**/b/**/c/**/d/**/e/**/f',
  ])('%s has too many', (glob) => {
    expect(globMatcher(glob)).toMatchObject({
      code: 'bad-pattern',
      message: expect.stringContaining('Give a simpler pattern') as string,
    });
  });

  it('are no options of ripgrep', () => {
    expect(listArguments({ target: '-x', exclude: ['**/*.map'] }).slice(-4)).toEqual([
      '--glob',
      '!**/*.map',
      '--',
      './-x',
    ]);
    expect(listArguments({ target: '', exclude: [] })).toContain('!**/node_modules/**');
    expect(listArguments({ target: 'node_modules/a', exclude: [] })).not.toContain('!**/node_modules/**');
  });
});

describe('where a name is meant', () => {
  const text =
    'import { total } from "./a";\n\nexport async function subtotal() {\n  return total() + Basket.total;\n}\n';
  const at = (place: Parameters<typeof identifiersAt>[1]) => {
    const [found] = identifiersAt(text, place);
    return found === undefined ? undefined : [text.slice(0, found.offset).split('\n').length, found.name];
  };

  it('is its first place as a whole name, from its line on', () => {
    expect(at({ symbol: 'total' })).toEqual([1, 'total']);
    expect(at({ symbol: 'total', line: 4 })).toEqual([4, 'total']);
    expect(at({ symbol: 'Basket.total' })).toEqual([4, 'total']);
    expect(identifiersAt(text, { symbol: 'Basket.total' })[0]?.offset).toBe(text.lastIndexOf('total'));
  });

  it('may be at another place when the first says nothing', () => {
    const offsets = identifiersAt('// total\nlet total;\n', { symbol: 'total' }).map(({ offset }) => offset);
    expect(offsets).toEqual([3, 13]);
    expect(identifiersAt('total '.repeat(99), { symbol: 'total' })).toHaveLength(8);
  });

  it('is what the line is about', () => {
    expect(at({ line: 3 })).toEqual([3, 'subtotal']);
    expect(at({ line: 2 })).toBeUndefined();
    expect(at({ line: 99 })).toBeUndefined();
    expect(at({ symbol: 'nothing' })).toBeUndefined();
    expect(at({ symbol: '+' })).toBeUndefined();
  });
});
