/**
 * The records of a line as they are written, for copies that must not change what this build does not know: numbers,
 * order of keys and white space stay as they are.
 */
import { parseAgain, parseLine, type Dialect } from './codec.js';
import { endOfValue } from './fused.js';
import type { Entry } from '../shared/notes.js';

const recordStart = /\{\s*"/g;
/** How many objects that never end are looked at for one entry, so that a hostile line cannot take for ever. */
const MAX_TRIES = 1_000;

/** The JSON text of each entry that `parseLine` finds in the line, in the same order. */
export function recordTexts(bytes: Uint8Array, dialect: Dialect, fallbackTime: string): string[] {
  return textsOf(bytes, parseLine(bytes, dialect, fallbackTime).entries);
}

function textsOf(bytes: Uint8Array, entries: readonly Entry[]): string[] {
  const texts = textsIn(decoded(bytes), entries);
  return entries.map((entry) => texts.next().value ?? rewritten(entry));
}

const decoded = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');

export interface LineRecords {
  entries: readonly Entry[];
  /** Their JSON, in the same order. */
  texts: readonly string[];
  /** The line is nothing but them: their texts say what the entries say. */
  areAll: boolean;
}

/** Of a line that was found good before. */
export function recordsAgain(bytes: Uint8Array, dialect: Dialect, fallbackTime: string): LineRecords {
  const again = dialect === 'own' ? parseAgain(bytes) : undefined;
  if (again === undefined) {
    const { entries } = parseLine(bytes, dialect, fallbackTime);
    return { entries, texts: textsOf(bytes, entries), areAll: false };
  }
  const text = again.length === 1 ? decoded(bytes).trim() : '';
  const texts = text.startsWith('{') ? [text] : textsOf(bytes, again);
  return { entries: again, texts, areAll: true };
}

/** What is left of an entry whose text was not found. */
function rewritten(entry: Entry): string {
  if (entry.type !== 'unknown') return JSON.stringify(entry);
  const { unknown_type: type, ...rest } = entry;
  return JSON.stringify({ ...rest, type });
}

/** Looks for each entry from where the last one ended; objects that are none (parts, what a crash cut short) are passed. */
function* textsIn(line: string, entries: readonly Entry[]): Generator<string | undefined, undefined> {
  let at = 0;
  for (const { id } of entries) {
    const found = findRecord(line, at, id);
    at = found?.end ?? at;
    yield found?.text;
  }
  return undefined;
}

function findRecord(line: string, from: number, id: string): { text: string; end: number } | undefined {
  recordStart.lastIndex = from;
  for (let tries = 0; tries < MAX_TRIES;) {
    const match = recordStart.exec(line);
    if (match === null) return undefined;
    const end = endOfValue(line, match.index);
    const text = line.slice(match.index, Math.max(match.index, end));
    const value = parse(text);
    if (value?.id === id) return { text, end };
    // Within what is whole there is no record.
    if (value === undefined) tries++;
    else recordStart.lastIndex = end;
  }
  return undefined;
}

function parse(text: string): { id?: unknown } | undefined {
  try {
    return JSON.parse(text) as { id?: unknown };
  } catch {
    return undefined; // braces of something that is no record
  }
}

/** The record with another value for one of its own fields; everything else stays byte for byte. */
export function withField(text: string, name: string, value: string | null): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      const colon = skipSpace(text, end);
      if (depth === 1 && text[colon] === ':' && JSON.parse(text.slice(at, end)) === name) {
        const begin = skipSpace(text, colon + 1);
        return text.slice(0, begin) + JSON.stringify(value) + text.slice(endOfScalar(text, begin));
      }
      at = end - 1;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
  }
  const open = text.indexOf('{') + 1;
  return `${text.slice(0, open)}${JSON.stringify(name)}:${JSON.stringify(value)},${text.slice(open)}`;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Behind a string, or whatever else stands before the next comma or brace. */
function endOfScalar(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  let at = from;
  while (at < text.length && !',}]'.includes(text[at] ?? '')) at++;
  return at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** One line of records, newline included. */
export const lineOf = (records: readonly string[]): string =>
  records.length === 1 ? `${records[0] ?? ''}\n` : `[${records.join(',')}]\n`;
