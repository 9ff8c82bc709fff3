import { describe, expect, it } from 'vitest';
import { cap } from '../../../../src/host/context/cap.js';
import { oneLine, readFrontMatter } from '../../../../src/host/context/frontmatter.js';

const fields = (text: string) => Object.fromEntries(readFrontMatter(`---\n${text}\n---\nBody`).fields);

describe('the head of a Markdown file', () => {
  it('has texts by name, plain, quoted and over several lines', () => {
    expect(
      fields(
        [
          'name: pdf-forms',
          'description: "Fill in \\"forms\\": all of them" # a comment',
          "argument-hint: 'the person''s file'",
          'Long: >-',
          '  one',
          '  two',
          'block: |',
          '  one',
          '  two',
          'wrapped: begins here',
          '  and goes on',
        ].join('\n'),
      ),
    ).toEqual({
      name: 'pdf-forms',
      description: 'Fill in "forms": all of them',
      'argument-hint': "the person's file",
      long: 'one two',
      block: 'one\ntwo',
      wrapped: 'begins here and goes on',
    });
  });

  it('takes no harm from what else is there', () => {
    expect(fields("tools: ['search', 'edit']\nmetadata:\n  a: b\n- x\n: y\nname: still-read")).toMatchObject({
      tools: "['search', 'edit']",
      name: 'still-read',
    });
    expect(readFrontMatter('---\nname: x').body).toBe('---\nname: x');
    expect(readFrontMatter('\uFEFF---\r\nname: x\r\n---\r\nBody\r\n')).toEqual({
      fields: new Map([['name', 'x']]),
      body: 'Body\n',
    });
    expect(readFrontMatter('No head\n---\nname: x\n---').fields.size).toBe(0);
  });
});

describe('a text that is too long', () => {
  it('takes no time for a head that was made to take long', { timeout: 2000 }, () => {
    const spaces = ' '.repeat(100_000);
    expect(fields(`description: a${spaces}b`)).toEqual({ description: `a${spaces}b` });
    expect(fields(`description: a${spaces}# b`)).toEqual({ description: 'a' });
    expect(fields(`description:${spaces}x\u2028y`)).toEqual({ description: 'x\u2028y' });
    expect(oneLine('word '.repeat(5_000_000), 9)).toBe('word wor…');
  });

  it('is cut with a mark, at either end', () => {
    expect(cap('short', 10)).toBe('short');
    expect(cap('0123456789', 4)).toBe('0123\n[… 6 of 10 characters are left out here …]');
    expect(cap('0123456789', 4, 'end')).toBe('[… 6 of 10 characters are left out here …]\n6789');
    expect(cap('0123456789', 6, 'both')).toMatch(/^01\n.*\n6789$/);
    expect(cap('a😀', 2).isWellFormed()).toBe(true);
    expect(oneLine(' a\n b  c ', 4)).toBe('a b…');
  });
});
