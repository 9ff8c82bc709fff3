/**
 * Characters that are not seen, or that turn the order in which what stands around them is seen: in a text that a person
 * is asked to allow they would let it read as another one than it is.
 */

const HIDDEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\p{Cc}--[\n\t\r]]|\r(?!\n)/gv;

/** Between letters or pictures that are no ASCII these join or part what is seen: 👩‍💻, Persian. */
const JOINER = /[\u200c\u200d]/;
const JOINED = /^[[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]--\p{ASCII}]$/v;

const charBefore = (text: string, at: number): string =>
  [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
const charFrom = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const isHarmless = (text: string, character: string, at: number): boolean =>
  JOINER.test(character) &&
  JOINED.test(charBefore(text, at)) &&
  JOINED.test(charFrom(text, at + character.length));

const nameOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** With the name of each in its place. */
export const withHiddenNamed = (text: string): string =>
  text.replace(HIDDEN, (character, at: number) =>
    isHarmless(text, character, at) ? character : nameOf(character),
  );

/** The names of those in a text, each once. */
export const hiddenIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(HIDDEN)].flatMap(({ 0: character, index }) =>
      isHarmless(text, character, index) ? [] : [nameOf(character)],
    ),
  ),
];
