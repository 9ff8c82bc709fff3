import { describe, expect, it } from 'vitest';
import { hiddenIn, withHiddenNamed } from '../../../src/shared/hidden-characters.js';

describe('characters that hide', () => {
  it.each([
    ['rm -rf \u202e~ #\u202c', 'rm -rf ⟨U+202E⟩~ #⟨U+202C⟩'],
    ['npm\u200b test', 'npm⟨U+200B⟩ test'],
    ['a\u200db', 'a⟨U+200D⟩b'],
    ['echo a\rrm b', 'echo a⟨U+000D⟩rm b'],
    ['x\u{e0041}y\u2028z\u3164', 'x⟨U+E0041⟩y⟨U+2028⟩z⟨U+3164⟩'],
    ['\u001b]0;title\u0007', '⟨U+001B⟩]0;title⟨U+0007⟩'],
  ])('are named: %j', (text, named) => {
    expect(withHiddenNamed(text)).toBe(named);
    expect(hiddenIn(text).every((name) => named.includes(name))).toBe(true);
    expect(hiddenIn(text)).not.toEqual([]);
  });

  it.each(['two\r\nlines\n\tand a tab', '👩‍💻 👍🏽 ❤️‍🔥', 'می‌خواهم', 'ÄÖ 日本 שלום', ''])(
    'leaves %j as it is',
    (text) => {
      expect(withHiddenNamed(text)).toBe(text);
      expect(hiddenIn(text)).toEqual([]);
    },
  );
});
