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

/**
 * The places a name may be meant at, best first: some are in comments, which a service knows nothing of. `symbol` may be
 * qualified (`Basket.total`): its last name is looked up, first of all behind the others.
 */
export function identifiersAt(text: string, { symbol, line }: SymbolPlace): Identifier[] {
  const start = line === undefined ? 0 : startOf(text, line);
  if (start === undefined) return [];
  const end = line === undefined ? text.length : endOfLine(text, start);
  if (symbol === undefined) {
    const found = namesIn(text, start, end);
    const isKeyword = ({ name }: Identifier): boolean => KEYWORDS.has(name);
    return [...found.filter((one) => !isKeyword(one)), ...found.filter(isKeyword)].slice(0, MOST);
  }
  const names = symbol.match(NAME) ?? [];
  const last = names.at(-1);
  const all = namesIn(text, start, end).filter(({ name }) => name === last);
  const behind = names.slice(0, -1).reduce((at, name) => offsetOf(text, name, at, end) ?? at, start);
  const isBehind = ({ offset }: Identifier): boolean => offset >= behind;
  return [...all.filter(isBehind), ...all.filter((one) => !isBehind(one))].slice(0, MOST);
}

/** More places than these are not asked about. */
const MOST = 8;

const namesIn = (text: string, start: number, end: number): Identifier[] =>
  [...text.slice(start, end).matchAll(NAME)].map((match) => ({
    offset: start + match.index,
    name: match[0],
  }));

const offsetOf = (text: string, name: string, from: number, end: number): number | undefined =>
  namesIn(text, from, end).find((found) => found.name === name)?.offset;

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
