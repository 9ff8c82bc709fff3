/** Says why a text was not found: it differs only in white space, or which line of the file comes nearest. */
import { head } from './text.js';

const MAX_LINES = 20_000;
const MAX_LINE = 300;
const MAX_SHOWN = 12;
const ADVICE = 'Read the file again and copy old_text exactly.';

/** Both texts have LF endings. */
export function describeMissing(text: string, wanted: string): string {
  const lines = text.split('\n', MAX_LINES);
  const wantedLines = trimBlank(wanted.split('\n'));
  if (wantedLines.length === 0) return `old_text has nothing but white space. ${ADVICE}`;
  return spacesOnly(lines, wantedLines) ?? escapes(text, wanted) ?? nearest(lines, wantedLines);
}

function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return [];
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(first, last + 1);
}

const squeeze = (line: string): string => line.trim().replace(/\s+/g, ' ');

function spacesOnly(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const squeezed = lines.map(squeeze);
  const target = wanted.map(squeeze);
  for (let start = 0; start + target.length <= squeezed.length; start += 1) {
    if (!target.every((line, index) => squeezed[start + index] === line)) continue;
    const last = start + target.length;
    const range = target.length === 1 ? `Line ${start + 1} differs` : `Lines ${start + 1}–${last} differ`;
    return `${range} from it only in white space; the file has:\n${quote(lines.slice(start, last))}`;
  }
  return undefined;
}

/** `\n` and `\t` as two characters each: a text that was escaped twice. */
function escapes(text: string, wanted: string): string | undefined {
  const plain = wanted.replace(/\\([nt"'\\])/g, (_, c: string) => ({ n: '\n', t: '\t' })[c] ?? c);
  if (plain === wanted || !text.includes(plain)) return undefined;
  return 'It would occur if its backslash escapes were real characters: it seems to be escaped once too often.';
}

function nearest(lines: readonly string[], wanted: readonly string[]): string {
  const anchor = wanted.reduce(
    (longest, line) => (line.trim().length > longest.length ? line.trim() : longest),
    '',
  );
  const pairs = bigrams(anchor);
  let best = { score: 0, index: -1 };
  for (const [index, line] of lines.entries()) {
    const score = likeness(pairs, bigrams(line.trim()));
    if (score > best.score) best = { score, index };
  }
  if (best.score < 0.4) return `No line is like it. ${ADVICE}`;
  return `The nearest line is ${best.index + 1}:\n${quote(lines.slice(best.index, best.index + 1))}\n${ADVICE}`;
}

function quote(lines: readonly string[]): string {
  const shown = lines
    .slice(0, MAX_SHOWN)
    .map((line) => (line.length > MAX_LINE ? `${head(line, MAX_LINE)} […]` : line));
  return [...shown, ...(lines.length > MAX_SHOWN ? ['[…]'] : [])].join('\n');
}

function bigrams(line: string): Map<string, number> {
  const text = head(line, MAX_LINE);
  const found = new Map<string, number>();
  for (let at = 0; at < Math.max(1, text.length - 1); at += 1) {
    const pair = text.slice(at, at + 2);
    if (pair !== '') found.set(pair, (found.get(pair) ?? 0) + 1);
  }
  return found;
}

/** Dice's coefficient: 1 for the same pairs of characters, 0 for none in common. */
function likeness(a: Map<string, number>, b: Map<string, number>): number {
  let total = 0;
  let common = 0;
  for (const n of b.values()) total += n;
  for (const [pair, n] of a) {
    total += n;
    common += Math.min(n, b.get(pair) ?? 0);
  }
  return total === 0 ? 0 : (2 * common) / total;
}
