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
