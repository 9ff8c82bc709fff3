/**
 * `cache/index.json`: what each log of a folder came to when it had this size and time. A cache: one that makes no sense, or
 * a row that does not, is as good as none.
 */
import path from 'node:path';
import * as z from 'zod';
import type { Files } from '../ports.js';
import { sessionIdOf } from './session-name.js';
import { ifThere } from './storage.js';
import type { SessionSummary } from './store.js';

const INDEX_VERSION = 1;

/** Its rows are looked at one by one. */
const indexSchema = z.object({
  version: z.literal(INDEX_VERSION),
  /** The build that wrote it: another may make something else of the same log. */
  producer: z.string().optional(),
  rows: z.unknown(),
});

export interface IndexRow {
  size: number;
  mtime: number;
  summary: SessionSummary;
}

export const indexFileIn = (cache: string): string => path.join(cache, 'index.json');

/** By the name of the log; rows of another build than `producer`, when that is named, are read anew. */
export async function readIndex(
  files: Files,
  cache: string,
  producer?: string,
): Promise<Map<string, IndexRow>> {
  const rows = new Map<string, IndexRow>();
  try {
    const bytes = await ifThere(files.read(indexFileIn(cache)));
    if (bytes === undefined) return rows;
    const index = indexSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    const isOurs = producer === undefined || index.data?.producer === producer;
    const found: unknown = index.data?.rows;
    if (!isObject(found) || Array.isArray(found)) return rows;
    for (const name of Object.keys(found)) {
      const row = found[name];
      if (isRow(row) && isOf(name, row.summary.id)) rows.set(name, upToDate(row, isOurs));
    }
  } catch {
    return new Map(); // a cache that makes no sense or cannot be read is made again
  }
  return rows;
}

const statuses = new Set<unknown>([
  'idle',
  'waiting',
  'retrying',
  'incomplete',
  'damaged',
  'unreadable',
] satisfies SessionSummary['status'][]);
const isText = (value: unknown): value is string => typeof value === 'string';
const isMaybeText = (value: unknown): boolean => value === undefined || isText(value);
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** By hand: there may be many thousands, and the list waits for them. */
function isRow(row: unknown): row is IndexRow {
  if (!isObject(row) || !isObject(row['summary'])) return false;
  const {
    id,
    title,
    named,
    folder,
    created,
    updated,
    size,
    messages,
    archived,
    tags,
    owner,
    origin,
    status,
    detail,
  } = row['summary'];
  return (
    isNumber(row['size']) &&
    isNumber(row['mtime']) &&
    isNumber(created) &&
    isNumber(updated) &&
    isNumber(size) &&
    isNumber(messages) &&
    isText(id) &&
    isText(title) &&
    isMaybeText(folder) &&
    isMaybeText(owner) &&
    isMaybeText(origin) &&
    isMaybeText(detail) &&
    typeof named === 'boolean' &&
    typeof archived === 'boolean' &&
    Array.isArray(tags) &&
    tags.every(isText) &&
    statuses.has(status)
  );
}

/** One of another build, or of before rows said these, is read anew; it is kept for the case that its log is not found. */
function upToDate(row: IndexRow, isOurs: boolean): IndexRow {
  const { said, leaves, updated } = row.summary as Partial<SessionSummary> & SessionSummary;
  if (Number.isFinite(said) && Number.isFinite(leaves)) return isOurs ? row : { ...row, mtime: -1 };
  return { ...row, mtime: -1, summary: { ...row.summary, said: updated, leaves: 0 } };
}

/** A row under another session's name says nothing about that one. */
const isOf = (name: string, id: string): boolean => name === id || sessionIdOf(name, id) === id;

export async function writeIndex(
  files: Files,
  cache: string,
  rows: ReadonlyMap<string, IndexRow>,
  producer?: string,
): Promise<void> {
  const text = JSON.stringify({ version: INDEX_VERSION, producer, rows: Object.fromEntries(rows) });
  await files.makeFolder(cache);
  await files.replace(indexFileIn(cache), new TextEncoder().encode(text));
}
