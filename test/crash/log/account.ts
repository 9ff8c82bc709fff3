/** What processes that were killed had acknowledged, and whether a fresh look at the folder bears it out. */
import { readFile, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { ifThere } from '../../../src/log/storage.js';
import type { SessionLog } from '../../../src/log/store.js';
import { indexFrom, IndexSpoiler, type IndexState } from '../../unit/log/index-states.js';
import { randomIds, realClock } from '../../unit/log/support.js';

export function storeOn(folder: string, index: IndexState = 'on'): FileStore {
  return new FileStore({
    folder,
    files: createNodeFiles(),
    clock: realClock,
    ids: randomIds,
    locks: new LockTable(),
    who: { window: 'reader', pid: process.pid, host: os.hostname() },
    producer: 'bough/test',
    indexFrom: indexFrom(index),
    onTrouble: (error) => {
      throw error;
    },
  });
}

export interface Tally {
  acknowledged: number;
  missing: string[];
  torn: number;
}

interface Known {
  ids: Set<string>;
  blobs: Set<string>;
  /** `unsure` when its deletion, or the undoing of it, was under way. */
  state: 'there' | 'unsure' | 'gone';
  /** What it may be called now; null when nobody named it. */
  names: (string | null)[];
}

export class Account {
  readonly #folder: string;
  readonly #index: IndexState;
  readonly #spoiler: IndexSpoiler;
  readonly #sessions = new Map<string, Known>();
  #stream: { attempt: string; chars: number } | undefined;
  readonly tally: Tally = { acknowledged: 0, missing: [], torn: 0 };

  constructor(folder: string, index: IndexState) {
    this.#folder = folder;
    this.#index = index;
    this.#spoiler = new IndexSpoiler(index, createNodeFiles());
  }

  /** What becomes of the indexes of sessions that are there, between one process and the next. */
  async spoilIndexes(): Promise<void> {
    const names = await ifThere(readdir(path.join(this.#folder, 'sessions')));
    for (const name of names ?? []) {
      if (!name.endsWith('.jsonl')) continue;
      await this.#spoiler.spoil(path.join(this.#folder, 'cache', `${path.basename(name, '.jsonl')}.index`));
    }
  }

  hear(lines: readonly string[]): void {
    expect(lines.filter((line) => line.startsWith('trouble'))).toEqual([]);
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const [word = '', id = '', ...rest] = line.split(' ');
    if (word === 'streamed') this.#stream = { attempt: id, chars: Number(rest[0]) };
    if (!['ack', 'blob', 'deleting', 'deleted', 'restored', 'naming', 'named'].includes(word)) return;
    const known = this.#sessions.get(id) ?? {
      ids: new Set(),
      blobs: new Set(),
      state: 'there',
      names: [null],
    };
    this.#sessions.set(id, known);
    if (word === 'ack') for (const entry of rest) known.ids.add(entry);
    if (word === 'blob') for (const blob of rest) known.blobs.add(blob);
    if (word === 'deleting') known.state = 'unsure';
    if (word === 'deleted') known.state = 'gone';
    if (word === 'restored') known.state = 'there';
    if (word === 'naming') known.names.push(rest.join(' '));
    if (word === 'named') known.names = [rest.join(' ')];
    if (word === 'ack') this.tally.acknowledged += rest.length;
  }

  /** Looks as the next start does: at the list, at every session, at what lies about. */
  async check(): Promise<void> {
    await this.spoilIndexes();
    const store = storeOn(this.#folder, this.#index);
    const plain = storeOn(this.#folder, 'off');
    const { sessions } = await store.list({ archived: 'all', limit: 200 });
    const rows = new Map(sessions.map((row) => [row.id, row]));
    for (const [id, { state, names, ids }] of this.#sessions) {
      const row = rows.get(id);
      if (state === 'there' && ids.size > 0 && row === undefined) this.tally.missing.push(`session ${id}`);
      if (state === 'gone' && row !== undefined) this.tally.missing.push(`deletion of ${id}`);
      // A copy is called as its original was.
      if (row !== undefined && id === 's') expect(names).toContain(row.named ? row.title : null);
    }
    for (const row of sessions) {
      expect(row.status, row.detail).not.toBe('unreadable');
      const before = await readFile(this.#fileOf(row.id));
      const log = await store.open(row.id);
      await this.#checkSession(log);
      const read = await plain.open(row.id);
      expect(factsOf(log)).toEqual(factsOf(read));
      await read.close();
      await log.close();
      expect(before.equals(await readFile(this.#fileOf(row.id)))).toBe(true);
    }
    await store.close();
    await plain.close();
    expect(await this.#leftovers(new Set(rows.keys()))).toEqual([]);
  }

  async #checkSession(log: SessionLog): Promise<void> {
    const known = this.#sessions.get(log.id);
    const there = new Set((await log.since(0)).map(({ entry }) => entry.id));
    for (const id of known?.ids ?? []) if (!there.has(id)) this.tally.missing.push(`${log.id}: ${id}`);
    for (const blob of known?.blobs ?? []) await log.blobs.get(blob);
    // A file that died before its first line holds nothing, and nothing of it was acknowledged.
    const cut = log.damage.filter(({ kind }) => kind !== 'empty' || there.size > 0);
    expect(cut.filter(({ kind }) => kind !== 'torn-tail')).toEqual([]);
    this.tally.torn += cut.length;
    if (log.id !== 's' || this.#stream === undefined) return;
    const left = await log.journal.read();
    // A journal that is of another attempt, or none, has been replaced or ended: then its text is in the log.
    if (left?.head.attempt_id === this.#stream.attempt) {
      expect(left.text.length).toBeGreaterThanOrEqual(this.#stream.chars);
    }
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, 'sessions', `${id}.jsonl`);
  }

  /** Files that belong to nothing. A side file of a session that is in the list, and what is in the trash, belongs there. */
  async #leftovers(sessions: ReadonlySet<string>): Promise<string[]> {
    const found = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    return found
      .map((entry) => path.relative(this.#folder, path.join(entry.parentPath, entry.name)))
      .filter((name) => !this.#isOfLayout(name.split(path.sep), sessions));
  }

  #isOfLayout([folder = '', name, inner, ...deeper]: string[], sessions: ReadonlySet<string>): boolean {
    if (deeper.length > 0) return folder === 'trash';
    if (name === undefined) return ['sessions', 'cache', 'trash'].includes(folder);
    // What was deleted is remembered for a week, so that it is not missed.
    if (folder === 'cache' && name === 'deleted') return inner === undefined || !sessions.has(inner);
    if (folder === 'cache') {
      const isIndex = name.endsWith('.index') && sessions.has(name.slice(0, -'.index'.length));
      return (name === 'index.json' || isIndex) && inner === undefined;
    }
    if (folder === 'trash') return /^[a-z0-9-]+\.[0-9a-f]{12}$/.test(name) && isTrashed(inner);
    const [session = '', suffix] = name.split(/\.(.*)/s);
    if (!sessions.has(session)) return false;
    if (inner === undefined) return [undefined, 'jsonl', 'stream', 'damaged', 'lock'].includes(suffix);
    return suffix === undefined && /^[0-9a-f]{64}$/.test(inner);
  }
}

/** What an index could have told otherwise than the bytes of the log do. */
const factsOf = (log: SessionLog): unknown => {
  const { header, outline, head, position, damage } = log;
  return { header, outline, head, position, damage, state: log.state() };
};

const isTrashed = (inner: string | undefined): boolean =>
  inner === undefined || inner === 'owner.json' || /^[a-z0-9-]+(\.(jsonl|stream|damaged))?$/.test(inner);
