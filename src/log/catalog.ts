/**
 * The list of a folder's sessions. The folder is the truth; `cache/index.json` only remembers what a file of this size and
 * time came to. Missing, garbled or stale it is made again, and a file that cannot be read keeps its row.
 */
import path from 'node:path';
import * as z from 'zod';
import type { FileStat, Files } from '../ports.js';
import { isBoughError, type BoughError } from '../shared/failure.js';
import { byUpdate, cursorAt, matches, pageLimit, rowAt } from './list-page.js';
import { isSessionName, LOG_SUFFIX } from './session-name.js';
import { Serial } from './serial.js';
import { ifThere, storageFailure, stored } from './storage.js';
import type { ListQuery, SessionSummary } from './store.js';
import { summarise, unreadable } from './summary.js';

/** How many files are looked at, and read, at a time. */
const STATS_AT_ONCE = 32;
const READS_AT_ONCE = 2;
const INDEX_VERSION = 1;
const misnamed =
  'This file was not named by Bough; rename it to lower-case letters, digits, - and _ to open it as a session.';

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
type Row = { size: number; mtime: number; summary: SessionSummary };
const indexSchema = z.object({ version: z.literal(INDEX_VERSION), rows: z.record(z.string(), z.unknown()) });

export interface CatalogParts {
  files: Files;
  sessions: string;
  /** Of the index; may be deleted at any time. */
  cache: string;
  /** The list is right all the same when its cache cannot be written; somebody should know. */
  onTrouble: (error: BoughError) => void;
}

export class Catalog {
  readonly #parts: CatalogParts;
  readonly #serial = new Serial();
  /** As on disk, once read. */
  #rows: Map<string, Row> | undefined;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
  }

  async list(query: ListQuery = {}): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    return page((await this.all()).filter(matches(query)).sort(byUpdate), query);
  }

  /** In no order. */
  all(): Promise<SessionSummary[]> {
    return this.#serial.run(() => this.#reconcile());
  }

  /** Makes the index again from the logs alone. */
  async rebuild(): Promise<void> {
    await this.#serial.run(() => {
      this.#rows = new Map();
      return this.#reconcile();
    });
  }

  /** The row of one log, read anew unless the index knows it as it is; the index is left alone. */
  async one(name: string): Promise<SessionSummary | undefined> {
    const known = (this.#rows ?? (await this.#readIndex())).get(name);
    const file = this.#fileOf(name);
    const stat = await stored('look at', file, () => ifThere(this.#parts.files.stat(file)));
    if (stat?.isFile !== true) return undefined;
    const isKnown = known?.size === stat.size && known.mtime === stat.mtime;
    return isKnown ? known.summary : this.#summarise(name, stat, known?.summary);
  }

  /** Brings the index up to what the folder holds and returns all rows. */
  async #reconcile(): Promise<SessionSummary[]> {
    const known = (this.#rows ??= await this.#readIndex());
    const found = await this.#look();
    const rows = new Map<string, Row>();
    const failed: SessionSummary[] = [];
    /** What is known of those that cannot be read now. */
    const remembered = new Map<string, Row>();
    const changed: { name: string; stat: FileStat }[] = [];
    for (const { name, stat } of found) {
      const row = known.get(name);
      if (row?.size === stat.size && row.mtime === stat.mtime) rows.set(name, row);
      else changed.push({ name, stat });
    }
    await inParallel(READS_AT_ONCE, changed, async ({ name, stat }) => {
      const summary = await this.#summarise(name, stat, known.get(name)?.summary);
      if (summary === undefined) return;
      if (summary.status === 'unreadable') {
        failed.push(summary);
        const row = known.get(name);
        if (row !== undefined) remembered.set(name, row);
      } else rows.set(name, { size: summary.size, mtime: summary.updated, summary });
    });
    const index = new Map([...rows, ...remembered]);
    const isSame = changed.length === failed.length && index.size === known.size;
    this.#rows = index;
    if (!isSame) await this.#writeIndex(index);
    return [...[...rows.values()].map(({ summary }) => summary), ...failed];
  }

  /** All logs with their size and time; one that goes meanwhile is not there. */
  async #look(): Promise<{ name: string; stat: FileStat }[]> {
    const { files, sessions } = this.#parts;
    const listed = (await stored('list', sessions, () => ifThere(files.list(sessions)))) ?? [];
    const names = listed
      .filter((file) => file.endsWith(LOG_SUFFIX))
      .map((file) => file.slice(0, -LOG_SUFFIX.length));
    const found: { name: string; stat: FileStat }[] = [];
    await inParallel(STATS_AT_ONCE, names, async (name) => {
      const file = this.#fileOf(name);
      const stat = await stored('look at', file, () => ifThere(files.stat(file)));
      if (stat?.isFile === true) found.push({ name, stat });
    });
    return found;
  }

  /** Undefined when it was deleted meanwhile. */
  async #summarise(
    name: string,
    stat: FileStat,
    known: SessionSummary | undefined,
  ): Promise<SessionSummary | undefined> {
    if (!isSessionName(name)) return unreadable(`${name}${LOG_SUFFIX}`, stat, misnamed);
    const file = this.#fileOf(name);
    try {
      return await summarise(this.#parts.files, file);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      return error.data['errno'] === 'ENOENT' ? undefined : unreadable(name, stat, error.message, known);
    }
  }

  async #readIndex(): Promise<Map<string, Row>> {
    const { files } = this.#parts;
    const rows = new Map<string, Row>();
    try {
      const bytes = await ifThere(files.read(this.#indexFile));
      if (bytes === undefined) return rows;
      const index = indexSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
      for (const [name, row] of Object.entries(index.data?.rows ?? {})) {
        const parsed = rowSchema.safeParse(row);
        if (parsed.success) rows.set(name, parsed.data as Row);
      }
    } catch {
      return new Map(); // a cache that makes no sense or cannot be read is made again
    }
    return rows;
  }

  async #writeIndex(rows: ReadonlyMap<string, Row>): Promise<void> {
    const { files, cache, onTrouble } = this.#parts;
    const text = JSON.stringify({ version: INDEX_VERSION, rows: Object.fromEntries(rows) });
    try {
      await files.makeFolder(cache);
      await files.replace(this.#indexFile, new TextEncoder().encode(text));
    } catch (error) {
      onTrouble(storageFailure(error, 'write the list of sessions to', this.#indexFile));
    }
  }

  get #indexFile(): string {
    return path.join(this.#parts.cache, 'index.json');
  }

  #fileOf(name: string): string {
    return path.join(this.#parts.sessions, `${name}${LOG_SUFFIX}`);
  }
}

async function inParallel<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, worker));
}

/** `rows` are all that match, in order. */
function page(rows: SessionSummary[], query: ListQuery): { sessions: SessionSummary[]; cursor?: string } {
  const limit = pageLimit(query);
  const after = query.cursor === undefined ? undefined : rowAt(query.cursor);
  const begin = after === undefined ? 0 : rows.findIndex((row) => byUpdate(row, after) > 0);
  if (begin === -1) return { sessions: [] };
  const sessions = rows.slice(begin, begin + limit);
  const last = sessions.at(-1);
  if (last === undefined || begin + sessions.length >= rows.length) return { sessions };
  return { sessions, cursor: cursorAt(last) };
}
