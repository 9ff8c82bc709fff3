/** A text as pieces, paths told apart from words: of a long path its end says more than its beginning. */
export interface TextPiece {
  text: string;
  isPath: boolean;
}

/** From a root on, two names and more; what ends a sentence or a quotation is no part of it. */
const paths = /(?<![\w:/\\])(?:[A-Za-z]:[\\/]|\/)[^\s\\/"'“”<>|]+(?:[\\/][^\s\\/"'“”<>|]+)+/g;

export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(paths)) {
    const path = match[0].replace(/[.,;:!?)\]]+$/, '');
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), isPath: false });
    pieces.push({ text: path, isPath: true });
    from = match.index + path.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isPath: false });
  return pieces;
}
