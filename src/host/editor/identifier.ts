/** Finds where in a text a name is meant, so that a language service can be asked about it. */
import type { SymbolPlace } from '../../ports.js';

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;
/** Words that stand before what a line is about. */
const KEYWORDS = new Set(
  'abstract async await class const declare def default enum export extends fn func function get impl implements import interface let mod new private protected pub public readonly return set static struct trait type var'.split(
    ' ',
  ),
);

export interface Identifier {
  /** UTF-16 offset in the text. */
  offset: number;
  name: string;
}

/** `symbol` may be qualified (`Basket.total`): its last name is looked up, after the others if they are there. */
export function identifierAt(text: string, { symbol, line }: SymbolPlace): Identifier | undefined {
  const start = line === undefined ? 0 : startOf(text, line);
  if (start === undefined) return undefined;
  const end = line === undefined ? text.length : endOfLine(text, start);
  if (symbol === undefined) return firstName(text, start, end);
  const names = symbol.match(NAME) ?? [];
  const last = names.at(-1);
  if (last === undefined) return undefined;
  const from = names.slice(0, -1).reduce((at, name) => offsetOf(text, name, at, end) ?? at, start);
  const offset = offsetOf(text, last, from, end) ?? offsetOf(text, last, start, end);
  return offset === undefined ? undefined : { offset, name: last };
}

function offsetOf(text: string, name: string, from: number, end: number): number | undefined {
  for (const match of text.slice(from, end).matchAll(NAME)) if (match[0] === name) return from + match.index;
  return undefined;
}

function firstName(text: string, start: number, end: number): Identifier | undefined {
  const found = [...text.slice(start, end).matchAll(NAME)];
  const match = found.find(([name]) => !KEYWORDS.has(name)) ?? found[0];
  return match === undefined ? undefined : { offset: start + match.index, name: match[0] };
}

function startOf(text: string, line: number): number | undefined {
  let at = 0;
  for (let n = 1; n < line; n += 1) {
    const next = text.indexOf('\n', at);
    if (next === -1) return undefined;
    at = next + 1;
  }
  return at;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}
