/**
 * Applies edits to a text: each old text must occur exactly once in the text as it was, edits must not overlap, and lines
 * keep the ending they have. Either all edits apply or none, with a sentence that says which one does not and why.
 */
import { toolFailure, isFailure, type Failure } from '../shared/failure.js';
import { describeMissing } from './mismatch.js';
import { commonEnding, count, withEnding, type LineEnding } from './text.js';

export interface Edit {
  old_text: string;
  new_text: string;
}

interface Replacement {
  /** 1-based number of the edit, for messages. */
  number: number;
  start: number;
  end: number;
  text: string;
}

/** Old texts are looked for with LF endings, whatever the file has. */
export function applyEdits(shown: string, text: string, edits: readonly Edit[]): string | Failure {
  const flat = flatten(text);
  const usual = commonEnding(text);
  const replacements: Replacement[] = [];
  for (const [index, edit] of edits.entries()) {
    const found = locate(shown, flat.text, edit, edits.length > 1 ? `edit ${index + 1}` : 'the edit');
    if (isFailure(found)) return found;
    const start = flat.original(found.start);
    const end = flat.original(found.end);
    const ending = firstEnding(text.slice(start, end)) ?? usual;
    replacements.push({ number: index + 1, start, end, text: withEnding(edit.new_text, ending) });
  }
  replacements.sort((a, b) => a.start - b.start);
  return overlap(shown, replacements) ?? splice(text, replacements);
}

/** The text with LF endings, and where a place in it lies in the original. */
function flatten(text: string): { text: string; original: (offset: number) => number } {
  const returns: number[] = [];
  let at = text.indexOf('\r\n');
  while (at !== -1) {
    returns.push(at - returns.length);
    at = text.indexOf('\r\n', at + 2);
  }
  const before = (offset: number): number => {
    let low = 0;
    let high = returns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((returns[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { text: text.replaceAll('\r\n', '\n'), original: (offset) => offset + before(offset) };
}

function firstEnding(text: string): LineEnding | undefined {
  const at = text.indexOf('\n');
  if (at === -1) return undefined;
  return text[at - 1] === '\r' ? '\r\n' : '\n';
}

function locate(
  shown: string,
  flat: string,
  edit: Edit,
  name: string,
): { start: number; end: number } | Failure {
  const wanted = edit.old_text.replaceAll('\r\n', '\n');
  if (wanted === edit.new_text.replaceAll('\r\n', '\n')) {
    return toolFailure(
      'no-change',
      `${sentenceCase(name)} of ${shown} changes nothing: old_text and new_text are the same.`,
    );
  }
  const start = flat.indexOf(wanted);
  if (start === -1) {
    return toolFailure(
      'no-match',
      `old_text of ${name} does not occur in ${shown}. ${describeMissing(flat, wanted)}`,
    );
  }
  if (flat.indexOf(wanted, start + 1) !== -1) {
    return toolFailure(
      'ambiguous',
      `old_text of ${name} ${describeAll(flat, wanted)} in ${shown}. Add lines around it so that it matches once.`,
    );
  }
  return { start, end: start + wanted.length };
}

/** Of a long text that repeats itself, counting all would take as many looks at it as it has characters. */
const MOST_COUNTED = 1000;

/** "occurs 3 times (lines 4, 10 and 22)". */
function describeAll(flat: string, wanted: string): string {
  const lines: number[] = [];
  let total = 0;
  let line = 1;
  let seen = 0;
  for (let at = flat.indexOf(wanted); at !== -1 && total < MOST_COUNTED; at = flat.indexOf(wanted, at + 1)) {
    total += 1;
    for (let next = flat.indexOf('\n', seen); next !== -1 && next < at; next = flat.indexOf('\n', seen)) {
      line += 1;
      seen = next + 1;
    }
    if (lines.length < 10) lines.push(line);
  }
  const times = `${total < MOST_COUNTED ? '' : 'at least '}${count(total, 'time')}`;
  return `occurs ${times} (${lines.length > 1 ? 'lines' : 'line'} ${lines.join(', ')}${total > lines.length ? ', …' : ''})`;
}

function overlap(shown: string, sorted: readonly Replacement[]): Failure | undefined {
  for (const [index, later] of sorted.entries()) {
    const earlier = sorted[index - 1];
    if (earlier === undefined || later.start >= earlier.end) continue;
    const [one, other] = [earlier.number, later.number].sort((a, b) => a - b);
    return toolFailure(
      'overlap',
      `Edits ${one ?? ''} and ${other ?? ''} of ${shown} overlap. Join them into one edit.`,
    );
  }
  return undefined;
}

function splice(text: string, sorted: readonly Replacement[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text: piece } of sorted) {
    pieces.push(text.slice(from, start), piece);
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
