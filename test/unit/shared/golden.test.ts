import { describe, expect, it } from 'vitest';
import { expected, foldOfGolden, goldenNames, readGolden } from './golden.js';

describe('a golden log gives the fold that stands beside it', () => {
  it.each(goldenNames)('%s', (name) => {
    const actual: unknown = JSON.parse(JSON.stringify(foldOfGolden(readGolden(name))));
    expect(actual).toEqual(expected(name, 'fold', actual));
  });
});
