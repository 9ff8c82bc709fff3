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

const rowSchema = z.object({
  size: z.number(),
  mtime: z.number(),
  summary: z.object({
    id: z.string(),
    title: z.string(),
    named: z.boolean(),
    folder: z.string().optional(),
    created: z.number(),
    updated: z.number(),
    size: z.number(),
    messages: z.number(),
    archived: z.boolean(),
    tags: z.array(z.string()),
    owner: z.string().optional(),
    status: z.enum(['idle', 'waiting', 'retrying', 'incomplete', 'damaged', 'unreadable']),
    detail: z.string().optional(),
  }),
});
const indexSchema = z.object({ version: z.literal(INDEX_VERSION), rows: z.record(z.string(), z.unknown()) });

export interface IndexRow {
  size: number;
  mtime: number;
  summary: SessionSummary;
}

export const indexFileIn = (cache: string): string => path.join(cache, 'index.json');

/** By the name of the log. */
export async function readIndex(files: Files, cache: string): Promise<Map<string, IndexRow>> {
  const rows = new Map<string, IndexRow>();
  try {
    const bytes = await ifThere(files.read(indexFileIn(cache)));
    if (bytes === undefined) return rows;
    const index = indexSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    for (const [name, row] of Object.entries(index.data?.rows ?? {})) {
      const parsed = rowSchema.safeParse(row);
      if (parsed.success && isOf(name, parsed.data.summary.id)) rows.set(name, parsed.data as IndexRow);
    }
  } catch {
    return new Map(); // a cache that makes no sense or cannot be read is made again
  }
  return rows;
}

/** A row under another session's name says nothing about that one. */
const isOf = (name: string, id: string): boolean => sessionIdOf(name, id) === id;

export async function writeIndex(
  files: Files,
  cache: string,
  rows: ReadonlyMap<string, IndexRow>,
): Promise<void> {
  const text = JSON.stringify({ version: INDEX_VERSION, rows: Object.fromEntries(rows) });
  await files.makeFolder(cache);
  await files.replace(indexFileIn(cache), new TextEncoder().encode(text));
}
