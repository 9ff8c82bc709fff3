/** Text from a file that may end anywhere: what is whole of it, down to the character. */

/** Half of a pair at the end; the other half was in a piece that never came. */
export const loneHighSurrogate = /[\uD800-\uDBFF]$/;

/** Decodes all but a character that the end of the file cuts. */
export function wholeCharacters(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes, { stream: true });
}

/** A `{"text":"…"}` or `{"reasoning":"…"}` line; of one that was cut, what came before the cut. */
export function wholePiece(line: string): { text?: string; reasoning?: string } {
  const match = /^\{"(text|reasoning)":"((?:[^"\\\u0000-\u001f]+|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*)/.exec(
    line,
  );
  if (match === null) return {};
  const [, kind, content] = match;
  const value = JSON.parse(`"${content ?? ''}"`) as string;
  return kind === 'text' ? { text: value } : { reasoning: value };
}
