import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileStore } from '../../../src/log/file-store.js';
import { LeaseFileLock } from '../../../src/log/lease-file.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { osLockFor } from '../../../src/log/lease.js';
import type { Lease, SessionLog } from '../../../src/log/store.js';
import { isBoughError } from '../../../src/shared/failure.js';
import type { Draft, Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { FakeClock, randomIds, user, assistant } from './support.js';

const options = { timeout: process.env['BOUGH_SOAK'] === '1' ? 1_800_000 : 60_000 };

/** What window 0 or 1 does; `together` starts it without waiting for what the other does. */
interface Op {
  window: 0 | 1;
  together: boolean;
  what:
    | 'append'
    | 'batch'
    | 'burst'
    | 'branch'
    | 'expected'
    | 'acquire'
    | 'letGo'
    | 'catchUp'
    | 'reopen'
    | 'list';
  at: number;
}
const opArbitrary: fc.Arbitrary<Op> = fc.record({
  window: fc.constantFrom(0 as const, 1 as const),
  together: fc.boolean(),
  what: fc.constantFrom(
    ...(['append', 'append', 'batch', 'burst', 'branch', 'expected'] as const),
    ...(['acquire', 'letGo', 'catchUp', 'reopen', 'list'] as const),
  ),
  at: fc.nat(30),
});

/** One window: a store of its own on the shared folder, as in a process of its own unless they share a lock table. */
class Window {
  log: SessionLog | undefined;
  lease: Lease | undefined;
  readonly acknowledged: Entry[] = [];
  #store: FileStore;
  readonly #open: () => FileStore;

  constructor(open: () => FileStore) {
    this.#open = open;
    this.#store = open();
  }

  async do({ what, at }: Op): Promise<void> {
    const log = (this.log ??= await this.#store.openOrCreate('s'));
    switch (what) {
      case 'append':
        return this.#append(log, [user(`a${at}`)]);
      case 'batch':
        return this.#append(log, [
          user('b'),
          assistant('c'),
          { type: 'extension_data', ext_type: 'x', data: at },
        ]);
      case 'burst':
        await Promise.allSettled([1, 2, 3].map((n) => this.#append(log, [user(`burst ${n}`)])));
        return;
      case 'branch': {
        const node = log.outline[at % Math.max(1, log.outline.length)];
        return this.#append(log, [{ type: 'head', entry_id: node?.[0] ?? null }, user('sibling')]);
      }
      case 'expected':
        return this.#append(log, [user('as seen')], log.head);
      case 'acquire':
        this.lease ??= await log.acquire();
        return;
      case 'letGo':
        this.lease?.dispose();
        this.lease = undefined;
        return;
      case 'catchUp':
        return log.catchUp();
      case 'list':
        await this.#store.list();
        return;
      case 'reopen':
        await this.close();
        this.#store = this.#open();
    }
  }

  async #append(log: SessionLog, batch: Draft[], seen?: string | null): Promise<void> {
    const expected = seen === undefined ? {} : { expectedHead: seen };
    const entries = await log.append(batch, expected);
    if (seen !== undefined) expect(entries[0]?.parent_id).toBe(seen);
    this.acknowledged.push(...entries);
  }

  async close(): Promise<void> {
    this.lease?.dispose();
    this.lease = undefined;
    this.log = undefined;
    await this.#store.close();
  }
}

/** Carries out an operation; what is refused is refused in words, a handle of no more use is opened again. */
async function attempt(window: Window, op: Op): Promise<void> {
  try {
    await window.do(op);
  } catch (error) {
    if (!isBoughError(error)) throw error;
    expect(['Locked', 'SessionConflict', 'SessionStale', 'SessionNotFound']).toContain(error.code);
    if (error.code === 'SessionConflict' || error.code === 'SessionStale')
      await window.do({ ...op, what: 'reopen' });
  }
}

/** What a third window finds, twice the same, with no byte changed. */
async function look(folder: string): Promise<{ entries: Entry[]; log: SessionLog }> {
  const file = path.join(folder, 'sessions', 's.jsonl');
  const before = await readFile(file);
  const found = [];
  for (let round = 0; round < 2; round++) {
    const store = storeOn(folder, 'reader', new LockTable(), false);
    const log = await store.open('s');
    const entries = (await log.since(0)).map(({ entry }) => entry);
    const [row] = (await store.list()).sessions;
    expect(log.damage).toEqual([]);
    expect(row?.messages).toBe(entries.filter(({ type }) => type === 'message').length);
    found.push({ entries, outline: log.outline, head: log.head, log });
    await store.close();
  }
  expect(found[1]?.entries).toEqual(found[0]?.entries);
  expect(found[1]?.outline).toEqual(found[0]?.outline);
  expect(before.equals(await readFile(file))).toBe(true);
  return found[0] as { entries: Entry[]; log: SessionLog };
}

function storeOn(folder: string, window: string, locks: LockTable, isLeaseFile: boolean): FileStore {
  return new FileStore({
    folder,
    files: createNodeFiles(),
    // Time passes only for those who wait for the other's write.
    clock: new ImpatientClock(),
    ids: randomIds,
    locks,
    who: { window, pid: process.pid, host: os.hostname() },
    producer: 'bough/test',
    onTrouble: (error) => {
      throw error;
    },
    osLock: (paths, parts) =>
      isLeaseFile ? new LeaseFileLock({ ...parts, path: paths.lease }) : osLockFor(paths, parts),
  });
}

/** Short waits take a turn of the event loop; a heartbeat never comes. */
class ImpatientClock extends FakeClock {
  override after(ms: number, fire: () => void): { dispose: () => void } {
    if (ms > 1_000) return super.after(ms, fire);
    const timer = setImmediate(() => {
      this.monotonic += ms;
      fire();
    });
    return { dispose: () => clearImmediate(timer) };
  }
}

describe('two windows on one session, whatever they do', options, () => {
  it.each([
    ['of one process', true, false],
    ['of two processes', false, false],
    ['of two processes, with the lease file', false, true],
  ])(
    '%s: no acknowledged entry is missing, list and fold agree, and both can go on',
    async (_, isShared, isFile) => {
      await fc.assert(
        fc.asyncProperty(fc.array(opArbitrary, { minLength: 2, maxLength: 25 }), async (ops) => {
          const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-two-'));
          try {
            const shared = new LockTable();
            const windows = ['one', 'two'].map((name) => {
              const locks = isShared ? shared : new LockTable();
              return new Window(() => storeOn(folder, name, locks, isFile));
            });
            // Within one window one thing happens after the other, as in a person's hands.
            const lanes = windows.map(() => Promise.resolve());
            for (const op of ops) {
              const window = windows[op.window] as Window;
              lanes[op.window] = (lanes[op.window] ?? Promise.resolve()).then(() => attempt(window, op));
              if (!op.together) await Promise.all(lanes);
            }
            await Promise.all(lanes);
            for (const window of windows) await window.close();
            const acknowledged = windows.flatMap((window) => window.acknowledged);
            if (acknowledged.length === 0) return;
            const { entries } = await look(folder);
            expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
            expect([...entries].sort(byId)).toEqual([...acknowledged].sort(byId));
            // What one window had acknowledged stands in the file in that order.
            for (const window of windows) {
              const own = new Set(window.acknowledged.map(({ id }) => id));
              expect(entries.filter(({ id }) => own.has(id))).toEqual(window.acknowledged);
            }
            for (const window of windows) {
              await window.do({ window: 0, together: false, what: 'append', at: 0 });
              await window.close();
            }
            expect((await look(folder)).entries).toHaveLength(acknowledged.length + 2);
          } finally {
            await rm(folder, { recursive: true, force: true });
          }
        }),
        { numRuns: runs({ usual: 20, soak: 1_000 }) },
      );
    },
  );
});

const byId = (a: Entry, b: Entry): number => (a.id < b.id ? -1 : 1);
