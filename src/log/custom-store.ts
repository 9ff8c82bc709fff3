/**
 * What the author of a store implements to keep Bough's sessions somewhere else: plain data in and out, no handles, no
 * folds, no rules of Bough. `connectStore` makes a {@link SessionStore} of it, checks and copies everything that it
 * returns, and names the operation in whatever it throws; `describeStore` (contract) is the suite it must pass.
 *
 * The required methods are frozen for 0.x. New abilities are optional: one that is missing can be detected.
 *
 * - Methods must be safe for concurrent reads and writes during generation.
 * - Each is given a signal that is aborted after the persistence timeout (30 s, or the store's own), and should return soon after.
 *   The call has failed by then; a write that has not returned keeps its session from being written to until it has, so
 *   that none lands behind a later turn.
 * - What a write that failed has left is read again before the session is written to once more.
 */

/** One line's worth: `type`, `id`, `parent_id`, `timestamp` and what else the type has. JSON data, unknown fields included. */
export type StoredEntry = Readonly<Record<string, unknown>>;
/** The session's header: `type: 'session'`, `version`, `id`, … JSON data. */
export type StoredHeader = Readonly<Record<string, unknown>>;

/** What a list tells of a session. Times are ms since the epoch. */
export interface StoredRow {
  id: string;
  created: number;
  updated: number;
  /** Number of entries. */
  entries: number;
  bytes: number;
  /** The header's. */
  owner?: string;
}

export interface StoredSession {
  row: StoredRow;
  header: StoredHeader;
  /** In the order in which they were appended. */
  entries: readonly StoredEntry[];
}

export interface CallOptions {
  /** Aborted when nobody waits for the outcome any more. */
  signal: AbortSignal;
}

export interface CustomStore {
  /** How long, in milliseconds, a call is waited for: more than 30 s only where the storage really needs it. */
  readonly persistenceTimeout?: number;
  /** Undefined when there is no such session. */
  load(id: string, options: CallOptions): Promise<StoredSession | undefined>;
  /**
   * Makes the session with its first entries, all or none. False when there is one of this id already. `header.id` is
   * the id.
   */
  create(header: StoredHeader, entries: readonly StoredEntry[], options: CallOptions): Promise<boolean>;
  /**
   * Adds one entry behind `position` others. False, and nothing changed, when the session does not hold exactly as many
   * (somebody else wrote to it) or is not there any more.
   */
  append(id: string, position: number, entry: StoredEntry, options: CallOptions): Promise<boolean>;
  /** Idempotent; everything that belongs to the session goes with it. */
  delete(id: string, options: CallOptions): Promise<void>;
  /** All sessions, each once, updated descending and then by id. */
  list(options: CallOptions): Promise<readonly StoredRow[]>;
  /** Keeps bytes of a session by their SHA-256, durably; the session need not be there yet. */
  putBlob(id: string, hash: string, bytes: Uint8Array, options: CallOptions): Promise<void>;
  /** Undefined when it is not there. */
  getBlob(id: string, hash: string, options: CallOptions): Promise<Uint8Array | undefined>;

  /**
   * Adds several entries, all or none, under the same condition as `append`. Without it they are appended one by one up to
   * the first that fails; what was written before that stays.
   */
  appendStep?(
    id: string,
    position: number,
    entries: readonly StoredEntry[],
    options: CallOptions,
  ): Promise<boolean>;
  /** Takes an `incomplete_output`. Without it none is stored; the text still reaches whoever waits for the turn. */
  appendIncompleteOutput?(
    id: string,
    position: number,
    entry: StoredEntry,
    options: CallOptions,
  ): Promise<boolean>;
  /** Takes a `branch_summary`. Without it summarising a branch throws BranchSummaryNotSupported. */
  appendBranchSummary?(
    id: string,
    position: number,
    entry: StoredEntry,
    options: CallOptions,
  ): Promise<boolean>;
  /** A page of `list`, filtered where the data is; `after` is the last row of the page before. */
  query?(query: RowQuery, options: CallOptions): Promise<readonly StoredRow[]>;
}

export interface RowQuery {
  owner?: string;
  limit: number;
  after?: { updated: number; id: string };
}
