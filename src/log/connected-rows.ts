/** The list of a custom store's sessions: its rows, with what reading each session once adds to them. */
import { isBoughError } from '../shared/failure.js';
import { ConnectedLog, type ConnectedLogParts } from './connected-log.js';
import type { StoredRow, StoredSession } from './custom-store.js';
import { byUpdate, cursorAt, matches, pageLimit, rowAt, type RowKey } from './list-page.js';
import type { ListQuery, SessionSummary } from './store.js';
import { summaryOf, unreadable } from './summary.js';

/** How many rows are asked for at a time where the store can page. */
const ROWS_AT_ONCE = 100;

export class ConnectedRows {
  readonly #log: ConnectedLogParts;
  /** A row's session is read again when the row changed. */
  readonly #known = new Map<string, { row: StoredRow; summary: SessionSummary }>();

  constructor(log: ConnectedLogParts) {
    this.#log = log;
  }

  async list(query: ListQuery = {}): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    const limit = pageLimit(query);
    const after = query.cursor === undefined ? undefined : rowAt(query.cursor);
    const isWanted = matches(query);
    const sessions: SessionSummary[] = [];
    for await (const row of this.#after(query.owner, after)) {
      const summary = await this.summarise(row);
      if (summary === undefined || !isWanted(summary)) continue;
      const last = sessions.at(-1);
      if (last !== undefined && sessions.length === limit) return { sessions, cursor: cursorAt(last) };
      sessions.push(summary);
    }
    return { sessions };
  }

  async *#after(owner: string | undefined, after: RowKey | undefined): AsyncGenerator<StoredRow> {
    if (!this.#log.boundary.can('query')) {
      for (const row of await this.#log.boundary.list())
        if (after === undefined || byUpdate(row, after) > 0) yield row;
      return;
    }
    for (let last = after; ;) {
      const query = { limit: ROWS_AT_ONCE, ...(owner === undefined ? {} : { owner }) };
      const rows = await this.#log.boundary.query(last === undefined ? query : { ...query, after: last });
      yield* rows;
      const end = rows.at(-1);
      if (end === undefined || rows.length < ROWS_AT_ONCE) return;
      last = { updated: end.updated, id: end.id };
    }
  }

  /** Undefined when it was deleted meanwhile. One whose content is not right keeps its row. */
  async summarise(row: StoredRow): Promise<SessionSummary | undefined> {
    const known = this.#known.get(row.id);
    if (known?.row.updated === row.updated && known.row.entries === row.entries) return known.summary;
    try {
      const stored = await this.#log.boundary.load(row.id);
      if (stored === undefined) return undefined;
      const summary = this.summaryOf(stored);
      this.#known.set(row.id, { row: stored.row, summary });
      return summary;
    } catch (error) {
      if (!isBoughError(error)) throw error;
      const stat = { size: row.bytes, mtime: row.updated, isFile: true, isFolder: false };
      return { ...unreadable(row.id, stat, error.message), owner: row.owner };
    }
  }

  summaryOf(stored: StoredSession): SessionSummary {
    const { row } = stored;
    const { ledger } = ConnectedLog.of(this.#log, stored);
    return {
      ...summaryOf(row.id, { ledger, size: row.bytes, mtime: row.updated }),
      id: row.id,
      created: row.created,
    };
  }
}
