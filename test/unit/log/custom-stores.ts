/** Two stores as their authors might write them: one in SQL with every ability, one in a map with none. */
import type { DatabaseSync } from 'node:sqlite';
import type {
  CustomStore,
  RowQuery,
  StoredEntry,
  StoredHeader,
  StoredRow,
  StoredSession,
} from '../../../src/log/custom-store.js';

const newestFirst = (a: StoredRow, b: StoredRow): number => b.updated - a.updated || (a.id < b.id ? -1 : 1);

interface Kept {
  row: StoredRow;
  header: StoredHeader;
  entries: StoredEntry[];
}

/** The least a store must do. */
export class MapStore implements CustomStore {
  readonly sessions = new Map<string, Kept>();
  readonly blobs = new Map<string, Uint8Array>();

  async load(id: string): Promise<StoredSession | undefined> {
    return this.sessions.get(id);
  }

  async create(header: StoredHeader, entries: readonly StoredEntry[]): Promise<boolean> {
    const id = String(header['id']);
    if (this.sessions.has(id)) return false;
    const { owner } = header;
    const row = { id, created: Date.now(), updated: Date.now(), entries: entries.length, bytes: 0 };
    this.sessions.set(id, {
      row: typeof owner === 'string' ? { ...row, owner } : row,
      header,
      entries: [...entries],
    });
    this.#touch(id);
    return true;
  }

  async append(id: string, position: number, entry: StoredEntry): Promise<boolean> {
    const kept = this.sessions.get(id);
    if (kept?.entries.length !== position) return false;
    kept.entries.push(entry);
    this.#touch(id);
    return true;
  }

  async delete(id: string): Promise<void> {
    this.sessions.delete(id);
    for (const key of [...this.blobs.keys()]) if (key.startsWith(`${id} `)) this.blobs.delete(key);
  }

  async list(): Promise<StoredRow[]> {
    return [...this.sessions.values()].map(({ row }) => row).sort(newestFirst);
  }

  async putBlob(id: string, hash: string, bytes: Uint8Array): Promise<void> {
    this.blobs.set(`${id} ${hash}`, bytes);
  }

  async getBlob(id: string, hash: string): Promise<Uint8Array | undefined> {
    return this.blobs.get(`${id} ${hash}`);
  }

  #touch(id: string): void {
    const kept = this.sessions.get(id);
    if (kept === undefined) return;
    const { header, entries, row } = kept;
    const bytes = JSON.stringify([header, entries]).length;
    kept.row = { ...row, updated: Date.now(), entries: entries.length, bytes };
  }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, header TEXT NOT NULL, owner TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS by_update ON sessions (updated DESC, id);
  CREATE TABLE IF NOT EXISTS entries (id TEXT NOT NULL, position INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (id, position)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blobs (id TEXT NOT NULL, hash TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (id, hash));
`;
const ROW = 'id, created, updated, entries, bytes, owner';

export class SqlStore implements CustomStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(SCHEMA);
  }

  async load(id: string): Promise<StoredSession | undefined> {
    const found = this.#get(`SELECT ${ROW}, header FROM sessions WHERE id = ?`, id);
    if (found === undefined) return undefined;
    const entries = this.#all('SELECT json FROM entries WHERE id = ? ORDER BY position', id);
    return {
      row: rowOf(found),
      header: JSON.parse(String(found['header'])) as StoredHeader,
      entries: entries.map(({ json }) => JSON.parse(String(json)) as StoredEntry),
    };
  }

  async create(header: StoredHeader, entries: readonly StoredEntry[]): Promise<boolean> {
    const id = String(header['id']);
    return this.#whole(() => {
      if (this.#get('SELECT 1 FROM sessions WHERE id = ?', id) !== undefined) return false;
      const owner = typeof header['owner'] === 'string' ? header['owner'] : null;
      this.#run(
        'INSERT INTO sessions VALUES (?, ?, ?, ?, ?, 0, 0)',
        id,
        JSON.stringify(header),
        owner,
        Date.now(),
        Date.now(),
      );
      this.#insert(id, 0, entries);
      return true;
    });
  }

  async append(id: string, position: number, entry: StoredEntry): Promise<boolean> {
    return this.appendStep(id, position, [entry]);
  }

  async appendStep(id: string, position: number, entries: readonly StoredEntry[]): Promise<boolean> {
    return this.#whole(() => {
      if (this.#get('SELECT entries FROM sessions WHERE id = ?', id)?.['entries'] !== position) return false;
      this.#insert(id, position, entries);
      return true;
    });
  }

  async appendIncompleteOutput(id: string, position: number, entry: StoredEntry): Promise<boolean> {
    return this.appendStep(id, position, [entry]);
  }

  async appendBranchSummary(id: string, position: number, entry: StoredEntry): Promise<boolean> {
    return this.appendStep(id, position, [entry]);
  }

  async delete(id: string): Promise<void> {
    this.#whole(() => {
      for (const table of ['sessions', 'entries', 'blobs'])
        this.#run(`DELETE FROM ${table} WHERE id = ?`, id);
      return true;
    });
  }

  async list(): Promise<StoredRow[]> {
    return this.#all(`SELECT ${ROW} FROM sessions ORDER BY updated DESC, id`).map(rowOf);
  }

  async query({ owner, limit, after }: RowQuery): Promise<StoredRow[]> {
    const rows = this.#all(
      `SELECT ${ROW} FROM sessions WHERE (?1 IS NULL OR owner = ?1)
         AND (?2 IS NULL OR updated < ?2 OR (updated = ?2 AND id > ?3)) ORDER BY updated DESC, id LIMIT ?4`,
      owner ?? null,
      after?.updated ?? null,
      after?.id ?? null,
      limit,
    );
    return rows.map(rowOf);
  }

  async putBlob(id: string, hash: string, bytes: Uint8Array): Promise<void> {
    this.#run('INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)', id, hash, bytes);
  }

  async getBlob(id: string, hash: string): Promise<Uint8Array | undefined> {
    const bytes = this.#get('SELECT bytes FROM blobs WHERE id = ? AND hash = ?', id, hash)?.['bytes'];
    return bytes instanceof Uint8Array ? bytes : undefined;
  }

  #insert(id: string, position: number, entries: readonly StoredEntry[]): void {
    entries.forEach((entry, index) => {
      const json = JSON.stringify(entry);
      this.#run('INSERT INTO entries VALUES (?, ?, ?)', id, position + index, json);
      this.#run('UPDATE sessions SET bytes = bytes + ? WHERE id = ?', json.length, id);
    });
    this.#run(
      'UPDATE sessions SET entries = ?, updated = ? WHERE id = ?',
      position + entries.length,
      Date.now(),
      id,
    );
  }

  #whole(work: () => boolean): boolean {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const isDone = work();
      this.#database.exec('COMMIT');
      return isDone;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): void {
    this.#database.prepare(sql).run(...values);
  }

  #get(sql: string, ...values: (string | number | null)[]): Record<string, unknown> | undefined {
    return this.#database.prepare(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number | null)[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...values);
  }
}

function rowOf(row: Record<string, unknown>): StoredRow {
  const { id, created, updated, entries, bytes, owner } = row;
  const numbers = {
    created: Number(created),
    updated: Number(updated),
    entries: Number(entries),
    bytes: Number(bytes),
  };
  return { id: String(id), ...numbers, ...(typeof owner === 'string' ? { owner } : {}) };
}
