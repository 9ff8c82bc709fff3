/**
 * The edge to a custom store: every call has a deadline and fails under the operation's name, and nothing that comes back
 * is believed or shared. What is passed on is a copy that was checked.
 */
import * as z from 'zod';
import type { Clock } from '../ports.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import type { CallOptions, CustomStore, RowQuery, StoredRow, StoredSession } from './custom-store.js';
import { byUpdate } from './list-page.js';
import { isSessionId } from './session-name.js';

const PERSISTENCE_TIMEOUT_MS = 30_000;
/** A timer that is set for longer fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

type Operation = Exclude<keyof CustomStore, 'persistenceTimeout'>;

const time = z.number().min(0).max(8.64e15);
const count = z.number().int().nonnegative();
const rowSchema = z.object({
  id: z.string().refine(isSessionId, 'is blank, or has white space around it'),
  created: time,
  updated: time,
  entries: count,
  bytes: count,
  owner: z.string().min(1).optional(),
});
const sessionSchema = z.object({
  row: rowSchema,
  header: z.looseObject({ type: z.literal('session'), id: z.string() }),
  entries: z.array(z.record(z.string(), z.unknown())),
});

const invalid = (operation: Operation, what: string): BoughError =>
  new BoughError(
    'InvalidPersistenceData',
    `The session store's ${operation} gave what cannot be right: ${what}.`,
    {
      operation,
    },
  );

function timeoutOf({ persistenceTimeout = PERSISTENCE_TIMEOUT_MS }: CustomStore): number {
  const isTime = typeof persistenceTimeout === 'number' && persistenceTimeout > 0;
  if (isTime && persistenceTimeout <= LONGEST_TIMEOUT_MS) return persistenceTimeout;
  throw new BoughError(
    'InvalidArgument',
    `The session store's persistenceTimeout is ${String(persistenceTimeout)}; it is a number of milliseconds above 0.`,
  );
}

export class StoreBoundary {
  readonly #store: CustomStore;
  readonly #clock: Clock;
  readonly #timeout: number;

  /** @throws BoughError InvalidArgument for a persistence timeout that is no time */
  constructor(store: CustomStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#timeout = timeoutOf(store);
  }

  can(operation: Operation): boolean {
    return typeof this.#store[operation] === 'function';
  }

  async load(id: string): Promise<StoredSession | undefined> {
    const given = await this.call('load', (store, options) => store.load(id, options)).result;
    if (given === undefined) return undefined;
    const session = parse('load', sessionSchema, given);
    const { row, header, entries } = session;
    if (row.id !== id)
      throw invalid('load', `the row of ${JSON.stringify(row.id)} for ${JSON.stringify(id)}`);
    if (header.id !== id)
      throw invalid('load', `the header of ${JSON.stringify(header.id)} for ${JSON.stringify(id)}`);
    if (row.entries !== entries.length)
      throw invalid('load', `${entries.length} entries where the row of ${id} says ${row.entries}`);
    return session;
  }

  async list(): Promise<StoredRow[]> {
    const given = await this.call('list', (store, options) => store.list(options)).result;
    return checkRows('list', given);
  }

  /** Only where `can('query')`. */
  async query(query: RowQuery): Promise<StoredRow[]> {
    const ask = (store: CustomStore, options: CallOptions) =>
      store.query?.(query, options) ?? Promise.resolve([]);
    const rows = checkRows('query', await this.call('query', ask).result);
    if (rows.length > query.limit)
      throw invalid('query', `${rows.length} rows where ${query.limit} were asked for`);
    for (const row of rows) {
      if (query.owner !== undefined && row.owner !== query.owner)
        throw invalid('query', `${row.id}, which is not of owner ${query.owner}`);
      if (query.after !== undefined && byUpdate(row, query.after) <= 0)
        throw invalid('query', `${row.id} again, which is not behind the page before`);
    }
    return rows;
  }

  async getBlob(id: string, hash: string): Promise<Uint8Array | undefined> {
    const given: unknown = await this.call('getBlob', (store, options) => store.getBlob(id, hash, options))
      .result;
    if (given === undefined) return undefined;
    if (!(given instanceof Uint8Array)) throw invalid('getBlob', 'something that is no bytes');
    return Uint8Array.from(given);
  }

  async putBlob(id: string, hash: string, bytes: Uint8Array): Promise<void> {
    await this.call('putBlob', (store, options) => store.putBlob(id, hash, Uint8Array.from(bytes), options))
      .result;
  }

  async delete(id: string): Promise<void> {
    await this.call('delete', (store, options) => store.delete(id, options)).result;
  }

  /** `returned` settles when the store is done, however late; it never rejects. */
  call<T>(
    operation: Operation,
    work: (store: CustomStore, options: CallOptions) => Promise<T>,
  ): { result: Promise<T>; returned: Promise<void> } {
    const late = new AbortController();
    const working = this.#begin(work, late.signal);
    const returned = working.then(
      () => undefined,
      () => undefined,
    );
    const result = new Promise<T>((resolve, reject) => {
      const timer = this.#clock.after(this.#timeout, () => {
        late.abort(overdue(operation, this.#timeout));
        reject(overdue(operation, this.#timeout));
      });
      working
        .then(resolve, (error: unknown) => reject(wrapped(operation, error)))
        .finally(() => timer.dispose());
    });
    return { result, returned };
  }

  async #begin<T>(
    work: (store: CustomStore, options: CallOptions) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return work(this.#store, { signal });
  }
}

function checkRows(operation: 'list' | 'query', given: unknown): StoredRow[] {
  const rows = parse(operation, z.array(rowSchema), given) as StoredRow[];
  const ids = new Set<string>();
  rows.forEach((row, index) => {
    if (ids.has(row.id)) throw invalid(operation, `${row.id} twice`);
    ids.add(row.id);
    const before = rows[index - 1];
    if (before !== undefined && byUpdate(before, row) > 0)
      throw invalid(operation, `${row.id} behind ${before.id}, which is the wrong order`);
  });
  return rows;
}

/** A deep copy, of JSON data only. */
function parse<T>(operation: Operation, schema: z.ZodType<T>, given: unknown): T {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(given));
  } catch (error) {
    throw invalid(operation, error instanceof Error ? error.message : String(error));
  }
  const parsed = schema.safeParse(copy);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalid(operation, `${issue?.path.map(String).join('.') || 'it'}: ${issue?.message ?? ''}`);
}

/** What failed to be written can be saved again; what failed to be read cannot. */
const opOf = (operation: Operation): 'read' | 'write' =>
  ['load', 'list', 'query', 'getBlob'].includes(operation) ? 'read' : 'write';

function wrapped(operation: Operation, error: unknown): BoughError {
  const why = error instanceof Error ? error.message : String(error);
  const code = isBoughError(error) ? error.code : 'StorageFailure';
  return new BoughError(
    code,
    `The session store failed in ${operation}: ${why}`,
    { operation, op: opOf(operation) },
    { cause: error },
  );
}

const overdue = (operation: Operation, ms: number): BoughError =>
  new BoughError(
    'StorageFailure',
    `The session store's ${operation} has not returned within ${ms / 1000} s. What it was to write may still arrive; nothing more is written to the session until it has returned.`,
    { operation, op: opOf(operation), errno: 'ETIMEDOUT' },
  );
