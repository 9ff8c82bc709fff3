/**
 * Lines to entries and back. Writing gives one line per batch, keys in a fixed order, text well formed. Reading takes any
 * bytes, yields every record that can be had from them and says what was wrong with the rest; it never throws.
 */
import { isUtf8 } from 'node:buffer';
import { FORMAT_VERSION, headerSchema, MAX_ENTRY_BYTES, type Header } from '../shared/entry.js';
import { BoughError } from '../shared/failure.js';
import { entrySchemas, isKnownType, type Entry, type EntryType, type KnownEntry } from '../shared/notes.js';
import { splitRecords } from './fused.js';
import { KIT_VERSION, fromVersion3, headerFromVersion3 } from './kit-v3.js';
import { plainCheckOf } from './plain.js';

/** How a log's lines are to be read: our own format, a newer one, or Kit's version 3. */
export type Dialect = 'own' | 'newer' | 'kit-v3';

/** What a line holds besides entries: a header, and what was wrong with it. */
export interface ParsedLine {
  entries: Entry[];
  header?: Header;
  /** In words; the line's records, if any, were taken all the same. */
  faults: string[];
  /** An entry of the line does not say when it was written. */
  isUndated?: true;
  /** A record of the line was cut short. At the end of the file that is a write that never ended, whatever stands there. */
  isCut?: true;
}

/** A line longer than this is not read at all, so that memory stays bounded; none longer is written. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

// ------------------------------------------------------------------------------------------------------------ write

/** The line of one batch, newline included: an object for one entry, an array for more. @throws BoughError */
export function serialiseBatch(batch: readonly KnownEntry[]): string {
  const records = batch.map(serialiseEntry);
  const line = records.length === 1 ? `${records[0] ?? ''}\n` : `[${records.join(',')}]\n`;
  const bytes = Buffer.byteLength(line);
  if (bytes > MAX_LINE_BYTES) throw tooLarge(`A batch of ${records.length} entries`, bytes, MAX_LINE_BYTES);
  return line;
}

export function serialiseHeader(header: Header): string {
  const { type, version, id, timestamp, folder, ...rest } = header;
  return `${toJson({ type, version, id, timestamp, folder, ...rest })}\n`;
}

function serialiseEntry(entry: KnownEntry): string {
  const { type, id, parent_id, timestamp, ...rest } = entry;
  const json = toJson({ type, id, parent_id, timestamp, ...rest });
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_ENTRY_BYTES) {
    throw tooLarge(`A ${type}`, bytes, MAX_ENTRY_BYTES);
  }
  checkReadable(json, entry);
  return json;
}

/** JSON leaves out what it has no form for (undefined, functions) and obeys `toJSON`: what is confirmed must read back. */
function checkReadable(json: string, { type, id }: KnownEntry): void {
  const back = entryOf(JSON.parse(json), 'own', '');
  if (typeof back !== 'string' && back.id === id && back.type === type) return;
  const reason = typeof back === 'string' ? back : 'its JSON is another entry';
  throw new BoughError('InvalidArgument', `A ${type} cannot be written as JSON: ${reason}.`);
}

const tooLarge = (what: string, bytes: number, limit: number): BoughError =>
  new BoughError(
    'TooLarge',
    `${what} of ${bytes} bytes is more than fits (${limit}); keep long content as blobs.`,
    {
      bytes,
      limit,
    },
  );

const loneSurrogate = /\\ud[89a-f]/;
const lineSeparators = /[\u2028\u2029]/g;

function toJson(value: object): string {
  let json: string;
  try {
    json = JSON.stringify(value);
    // JSON.stringify writes half a character as an escape; only then is it worth walking through the value.
    if (loneSurrogate.test(json)) json = JSON.stringify(wellFormed(value));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BoughError(
      'InvalidArgument',
      `An entry cannot be written as JSON: ${reason}.`,
      {},
      { cause: error },
    );
  }
  return json.replace(lineSeparators, (character) => (character === '\u2028' ? '\\u2028' : '\\u2029'));
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  );
}

// ------------------------------------------------------------------------------------------------------------- read

const byteOrderMark = '\uFEFF';

/** `fallbackTime` stands in for a timestamp that a record lacks. */
export function parseLine(bytes: Uint8Array, dialect: Dialect, fallbackTime: string): ParsedLine {
  const result: ParsedLine = { entries: [], faults: [] };
  const text = textOf(bytes, result.faults);
  if (text === '') return result;
  for (const value of recordsOf(text, result)) takeRecord(value, dialect, fallbackTime, result);
  return result;
}

/**
 * The same of a line of our own format that is known to be byte for byte one that {@link parseLine} found good: its records
 * need no second check. Undefined when it takes more than reading them.
 */
export function parseAgain(bytes: Uint8Array): Entry[] | undefined {
  const whole = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  if (!('value' in whole)) return undefined;
  const records = Array.isArray(whole.value) ? (whole.value as unknown[]) : [whole.value];
  return records.every(isPlain) ? (records as Entry[]) : undefined;
}

const isPlain = (record: unknown): boolean =>
  isObject(record) &&
  typeof record['type'] === 'string' &&
  isKnownType(record['type']) &&
  typeof record['timestamp'] === 'string' &&
  !isMended(record);

/** It has fields that a schema reads differently when they do not fit. */
function isMended(record: Record<string, unknown>): boolean {
  const { type } = record;
  if (type === 'queue_update' || type === 'goal_update') return true;
  if (type !== 'message') return record['goal_id'] !== undefined;
  const { parts, goal_id } = record;
  if (goal_id !== undefined) return true;
  return Array.isArray(parts) && parts.some((part) => isObject(part) && part['styles'] !== undefined);
}

/** The line's text without byte-order mark, trailing CR and the NUL bytes that a crash leaves around records. */
function textOf(bytes: Uint8Array, faults: string[]): string {
  let from = 0;
  let to = bytes.length;
  while (from < to && bytes[from] === 0) from++;
  while (to > from && bytes[to - 1] === 0) to--;
  const nuls = bytes.length - (to - from);
  if (to > from && bytes[to - 1] === 0x0d) to--;
  const record = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
  const decoded = record.toString('utf8');
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded;
  const isBlank = text.trim() === '';
  if (nuls > 0) {
    faults.push(
      isBlank ? `${nuls} NUL bytes and no record` : `${nuls} NUL bytes around a record; the record was kept`,
    );
  }
  if (!isBlank && !isUtf8(record)) faults.push('bytes that are not UTF-8');
  return isBlank ? '' : text;
}

function parseJson(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: notJson(text, error instanceof Error ? error.message : '') };
  }
}

/** The parser counts characters, and lines of its own within the one line. */
function notJson(text: string, said: string): string {
  const at = /at position (\d+)/.exec(said)?.[1];
  if (at !== undefined) return `not valid JSON (byte ${Buffer.byteLength(text.slice(0, Number(at))) + 1})`;
  return /^Unexpected end/.test(said) ? 'not valid JSON (it ends too early)' : 'not valid JSON';
}

function recordsOf(text: string, result: ParsedLine): unknown[] {
  const { faults } = result;
  const whole = parseJson(text);
  if ('value' in whole) return [whole.value];
  const { values, lost } = splitRecords(text);
  if (lost > 0) result.isCut = true;
  if (values.length === 0) faults.push(whole.error);
  else if (lost > 0)
    faults.push(
      `a record cut short (${lost} characters) and ${values.length} whole behind it; the whole were kept`,
    );
  else faults.push(`${values.length} records on one line; all were kept`);
  return values;
}

/** A line is an object or an array of them; an array with one bad entry is bad as a whole. */
function takeRecord(value: unknown, dialect: Dialect, fallbackTime: string, result: ParsedLine): void {
  if (isObject(value) && value['type'] === 'session' && result.header === undefined) {
    takeHeader(value, result);
    return;
  }
  const records = Array.isArray(value) ? value : [value];
  const entries: Entry[] = [];
  for (const record of records) {
    const entry = entryOf(record, dialect, fallbackTime);
    if (typeof entry === 'string') {
      result.faults.push(entry);
      return;
    }
    if (isObject(record) && typeof record['timestamp'] !== 'string') result.isUndated = true;
    entries.push(entry);
  }
  if (entries.length === 0) result.faults.push('an empty batch');
  result.entries.push(...entries);
}

/** One that does not fit but says it is of another version still forbids to write: its id is then the file's name. */
function takeHeader(value: Record<string, unknown>, result: ParsedLine): void {
  const header = headerSchema.safeParse(value['version'] === KIT_VERSION ? headerFromVersion3(value) : value);
  if (header.success) {
    result.header = header.data;
    return;
  }
  result.faults.push(`a header that does not fit: ${firstIssue(header.error)}`);
  const { version } = value;
  if (typeof version !== 'number' || !Number.isInteger(version) || version === FORMAT_VERSION) return;
  result.header = { type: 'session', version, id: '' };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Most records are as they should be, and a list reads them by the hundred thousand. */
const plainChecks = Object.fromEntries(
  Object.entries(entrySchemas).map(([type, schema]) => [type, plainCheckOf(schema)]),
) as Record<EntryType, (value: unknown) => boolean>;

/** The entry, or what is wrong with it. */
function entryOf(record: unknown, dialect: Dialect, fallbackTime: string): Entry | string {
  if (!isObject(record)) return 'neither an entry nor a batch of entries';
  const converted = dialect === 'kit-v3' ? fromVersion3(record) : record;
  const candidate =
    typeof converted['timestamp'] === 'string' ? converted : { ...converted, timestamp: fallbackTime };
  const { type } = candidate;
  if (typeof type !== 'string') return 'an entry without a type';
  if (!isKnownType(type)) return unknownEntry(candidate, type);
  if (plainChecks[type](candidate)) return candidate as unknown as KnownEntry;
  const parsed = entrySchemas[type].safeParse(candidate);
  if (parsed.success) return parsed.data;
  if (dialect === 'newer') return unknownEntry(candidate, type);
  return `a ${type} that does not fit: ${firstIssue(parsed.error)}`;
}

/** A type (or, in a newer format, a shape) this build does not know: its links are read, its bytes stay as they are. */
function unknownEntry(record: Record<string, unknown>, type: string): Entry | string {
  const { id, parent_id, timestamp, turn_id } = record;
  if (typeof id !== 'string' || id === '')
    return `an entry of unknown type ${JSON.stringify(type)} without an id`;
  if (typeof parent_id !== 'string' && parent_id !== null) {
    return `an entry of unknown type ${JSON.stringify(type)} without a parent_id`;
  }
  return {
    type: 'unknown',
    id,
    parent_id,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    ...(typeof turn_id === 'string' ? { turn_id } : {}),
    unknown_type: type,
  };
}

function firstIssue(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'it does not match the format';
  return `${issue.path.map(String).join('.') || 'the entry'}: ${issue.message}`;
}
