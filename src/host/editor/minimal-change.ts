/**
 * The one piece in which two texts differ: what is before and after it is left alone by an edit, so that cursors, folds and
 * breakpoints there stay. It never begins or ends inside a character or a CRLF.
 */
export interface Replacement {
  /** UTF-16 offsets in the old text. */
  start: number;
  end: number;
  text: string;
}

export function minimalChange(before: string, after: string): Replacement {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix += 1;
  while (prefix > 0 && (splits(before, prefix) || splits(after, prefix))) prefix -= 1;
  let suffix = 0;
  const room = shorter - prefix;
  while (
    suffix < room &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) {
    suffix += 1;
  }
  while (suffix > 0 && (splits(before, before.length - suffix) || splits(after, after.length - suffix)))
    suffix -= 1;
  return { start: prefix, end: before.length - suffix, text: after.slice(prefix, after.length - suffix) };
}

function splits(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0xdc00 && code <= 0xdfff) || (code === 0x0a && text.charCodeAt(at - 1) === 0x0d);
}
