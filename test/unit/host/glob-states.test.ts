import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGlobMatch } from '../../../src/host/glob-states.js';

/** The same as a regular expression: right, and without end for some. */
function expressionOf(glob: string): RegExp {
  const source = glob.replace(
    /\\(.)|\*\*\/?|[*?]|[.+^${}()|[\]\\]/gs,
    (found, escaped: string | undefined) => {
      if (escaped !== undefined) return literal(escaped);
      if (found === '**/') return '(?:.*/)?';
      if (found === '**') return '.*';
      if (found === '*') return '[^/]*';
      return found === '?' ? '[^/]' : literal(found);
    },
  );
  return new RegExp(`^${source}$`, 's');
}
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const of = (chars: string, maxLength: number) =>
  fc.array(fc.constantFrom(...chars), { maxLength }).map((all) => all.join(''));

describe('patterns of files and addresses', () => {
  it.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**', 'a/b\nc', true],
    ['a?c', 'a/c', false],
    ['a\\*c', 'a*c', true],
    ['a\\*c', 'abc', false],
    ['a\\', 'a\\', true],
    ['', '', true],
    ['', 'a', false],
  ])('%j and %j: %j', (glob, text, expected) => {
    expect(isGlobMatch(glob, text)).toBe(expected);
  });

  it('means what its regular expression means', () => {
    fc.assert(
      fc.property(of('ab*?/\\.\n', 9), of('ab*/\\.\n', 9), (glob, text) => {
        expect(isGlobMatch(glob, text)).toBe(expressionOf(glob).test(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('comes to an end with many stars and a long text', () => {
    const text = 'a'.repeat(20_000);
    expect(isGlobMatch(`${'*a'.repeat(40)}b`, text)).toBe(false);
    expect(isGlobMatch(`${'**/'.repeat(40)}b`, 'a/'.repeat(10_000))).toBe(false);
    expect(isGlobMatch(`${'**a'.repeat(40)}`, text)).toBe(true);
  });
});
