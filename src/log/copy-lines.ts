/**
 * The lines of a copy, made from records as they stand in the original: what is not re-linked stays byte for byte, save
 * that a stranger's word on files is marked as such.
 */
import type { Ids } from '../ports.js';
import type { KnownEntry } from '../shared/notes.js';
import { isConversation } from '../shared/notes.js';
import { serialiseBatch } from './codec.js';
import { Ahead, completeBatch } from './complete.js';
import type { CopyPlan } from './copy-plan.js';
import { lineOf, withField } from './record-text.js';
import type { PlacedRecord, SessionLog } from './store.js';

/** How many entries are in memory at a time. */
const AT_ONCE = 256;

export interface CopyParts {
  source: Pick<SessionLog, 'records'>;
  positions: readonly number[];
  plan: CopyPlan;
  ids: Ids;
  /** ISO 8601, of what ends the copy. */
  timestamp: string;
  /** Of a record of another format: the same in ours; undefined for one that has no place there. */
  convert?: (record: PlacedRecord) => Promise<string | undefined>;
}

export async function* copyLines(parts: CopyParts): AsyncGenerator<string> {
  const { source, positions, plan, ids, timestamp } = parts;
  for await (const records of inChunks(source, positions)) for (const { entry } of records) plan.see(entry);
  const known = new Map<string, boolean>();
  let batch: { line: number; records: string[] } | undefined;
  for await (const records of inChunks(source, positions)) {
    for (const record of records) {
      const text = await textOf(record, parts);
      if (text === undefined) continue;
      known.set(record.entry.id, isConversation(record.entry));
      if (batch !== undefined && batch.line !== record.line) yield lineOf(batch.records);
      if (batch?.line === record.line) batch.records.push(text);
      else batch = { line: record.line, records: [text] };
    }
  }
  if (batch !== undefined) yield lineOf(batch.records);
  const ending = plan.ending();
  if (ending.length === 0) return;
  const ahead = new Ahead({
    has: (id) => known.has(id),
    isConversation: (id) => known.get(id) === true,
    head: null,
  });
  const serialise = (entries: KnownEntry[]): string => serialiseBatch(entries);
  yield completeBatch(ending, ahead, { ids, timestamp }, serialise);
}

async function* inChunks(
  source: CopyParts['source'],
  positions: readonly number[],
): AsyncGenerator<PlacedRecord[]> {
  for (let from = 0; from < positions.length; from += AT_ONCE) {
    yield await source.records(positions.slice(from, from + AT_ONCE));
  }
}

/** Undefined for what is left out. */
async function textOf(record: PlacedRecord, { plan, convert }: CopyParts): Promise<string | undefined> {
  const { entry } = record;
  const place = plan.place(entry);
  if (place === undefined) return undefined;
  const converted = convert === undefined ? record.text : await convert(record);
  if (converted === undefined) return undefined;
  const text = plan.isForeign && entry.type === 'files_changed' ? asForeign(converted) : converted;
  const written =
    (text === record.text ? record.written : undefined) ??
    (JSON.parse(text) as { id?: unknown; parent_id?: unknown });
  const named = written.id === entry.id ? text : withField(text, 'id', entry.id);
  return written.parent_id === place.parent_id ? named : withField(named, 'parent_id', place.parent_id);
}

/** Written anew: a field that stands there twice must not have another last word. */
const asForeign = (text: string): string =>
  JSON.stringify({ ...(JSON.parse(text) as Record<string, unknown>), foreign: true });

const hashInQuotes = /"([0-9a-f]{64})"/g;

/** Everything in a line that may name a blob, of types this build does not know too. */
export const hashesIn = (line: string): string[] =>
  [...line.matchAll(hashInQuotes)].flatMap(([, hash]) => hash ?? []);
