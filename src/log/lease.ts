/**
 * One writer per session, over all windows and stores: a lease, taken for a run or just for a write, that names its holder
 * and is free as soon as that holder is dead. Nothing ticks while no lease is held.
 */
import type { Clock, Files } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import { isAliveHere, readHolder } from './holder.js';
import { LeaseFileLock } from './lease-file.js';
import type { LockTable } from './lock-table.js';
import type { OsLock, Purpose } from './os-lock.js';
import { SqliteLock, loadSqlite } from './sqlite-lock.js';
import { errnoOf, ifThere, stored } from './storage.js';
import type { Holder } from './store.js';

export type { OsLock } from './os-lock.js';

/** What takes leases in this process. */
export interface LeaseParts {
  files: Files;
  clock: Clock;
  locks: LockTable;
  who: { window: string; pid: number; host: string };
  /** Absent: the operating system's through SQLite, else the lease file. */
  osLock?: (paths: LeasePaths, parts: LeaseParts) => OsLock;
}

export interface LeasePaths {
  lock: string;
  lease: string;
}

/** How long somebody else's write is waited for. A run is not waited for. */
const PATIENCE_MS = 2_000;

export function osLockFor(paths: LeasePaths, parts: LeaseParts): OsLock {
  const sqlite = loadSqlite();
  if (sqlite !== undefined) return new SqliteLock(sqlite, parts.files, paths.lock);
  return new LeaseFileLock({ files: parts.files, clock: parts.clock, who: parts.who, path: paths.lease });
}

export class SessionLease {
  readonly #parts: LeaseParts;
  readonly #paths: LeasePaths;
  #made: OsLock | undefined;
  #held: Purpose | undefined;

  constructor(paths: LeasePaths, parts: LeaseParts) {
    this.#parts = parts;
    this.#paths = paths;
  }

  /** Who only reads takes none, and waits for none to be loaded. */
  get #lock(): OsLock {
    return (this.#made ??= (this.#parts.osLock ?? osLockFor)(this.#paths, this.#parts));
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  async isOurs(): Promise<boolean> {
    if (this.#held === undefined) return false;
    return stored('look at', this.#paths.lease, () => this.#lock.isOurs());
  }

  /** Takes the lease, or makes a writer's one a run's. @throws BoughError Locked with holder and since */
  async take(purpose: Purpose, signal?: AbortSignal): Promise<void> {
    if (this.#held === undefined) await this.#wait(purpose, signal);
    if (this.#held === 'run') return;
    try {
      await this.#nameHolder(purpose === 'run' ? this.#self() : null);
      this.#held = purpose;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    const wasRun = this.#held === 'run';
    this.#held = undefined;
    try {
      if (wasRun) await this.#nameHolder(null);
    } finally {
      await this.#unlock();
    }
  }

  async #unlock(): Promise<void> {
    try {
      await stored('release', this.#paths.lock, () => this.#lock.release());
    } finally {
      this.#parts.locks.release(this.#paths.lock);
    }
  }

  /** Who holds the lease now, when it is somebody else. A name that a dead process left is no holder. */
  async holder(): Promise<Holder | null> {
    if (this.#held !== undefined) return null;
    const here = this.#parts.locks.holder(this.#paths.lock);
    if (here !== undefined) return here;
    const named = await stored('read', this.#paths.lease, () =>
      readHolder(this.#parts.files, this.#paths.lease),
    );
    if (named === undefined || isAliveHere(named, this.#parts.who.host) === false) return null;
    if (!(await this.#tryTake('write'))) return holderOf(named);
    await this.release();
    return null;
  }

  /** After the session was deleted. Whoever holds the lease by now goes on holding it: its files stay. */
  async removeFiles(): Promise<void> {
    if (this.#held === undefined && (await this.#tryTake('write'))) await this.retire();
  }

  /**
   * Lets go of the lease of a session that is not there. Its files go first: once it is free somebody may hold it, and
   * would hold a file that nobody else finds. Where no open file can be removed it goes after, unless it is open again.
   */
  async retire(): Promise<void> {
    const { lock, lease } = this.#paths;
    let isRemoved = false;
    try {
      isRemoved = await (this.#lock.namesHolder ? this.#remove(lock) : this.#remove(lease, lock));
    } finally {
      await this.release();
    }
    if (!isRemoved) await this.#remove(lock);
  }

  /** False where somebody's use of one is in the way. */
  async #remove(...paths: string[]): Promise<boolean> {
    try {
      for (const path of paths) await ifThere(this.#parts.files.remove(path));
      return true;
    } catch (error) {
      if (!['EBUSY', 'EPERM', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
      return false;
    }
  }

  async #wait(purpose: Purpose, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const begin = clock.elapsed();
    for (let delay = 2; !(await this.#tryTake(purpose)); delay = Math.min(delay * 2, 100)) {
      signal?.throwIfAborted();
      const holder = await this.#namedHolder();
      if (holder !== null || clock.elapsed() - begin > PATIENCE_MS) throw locked(holder);
      await new Promise<void>((resolve) => clock.after(delay, resolve));
    }
    this.#held = 'write';
  }

  async #tryTake(purpose: Purpose): Promise<boolean> {
    const { locks } = this.#parts;
    if (!locks.tryTake(this.#paths.lock, null)) return false;
    let isTaken = false;
    try {
      isTaken = await stored('lock', this.#paths.lock, () => this.#lock.tryTake(purpose));
    } finally {
      if (!isTaken) locks.release(this.#paths.lock);
    }
    return isTaken;
  }

  /** Null while whoever holds it is only writing, or not named yet. */
  async #namedHolder(): Promise<Holder | null> {
    const here = this.#parts.locks.holder(this.#paths.lock);
    if (here !== undefined) return here;
    const named = await stored('read', this.#paths.lease, () =>
      readHolder(this.#parts.files, this.#paths.lease),
    );
    if (named === undefined || named.purpose === 'write') return null;
    return isAliveHere(named, this.#parts.who.host) === false ? null : holderOf(named);
  }

  #self(): Holder {
    const { who, clock } = this.#parts;
    return { ...who, since: new Date(clock.now()).toISOString() };
  }

  /** Names us in the lease file, or clears the name that a dead run left there. */
  async #nameHolder(holder: Holder | null): Promise<void> {
    const { files, locks } = this.#parts;
    locks.name(this.#paths.lock, holder);
    if (this.#lock.namesHolder) return;
    await stored('name the writer in', this.#paths.lease, async () => {
      if (holder === null) await ifThere(files.remove(this.#paths.lease));
      else await files.replace(this.#paths.lease, new TextEncoder().encode(JSON.stringify(holder)));
    });
  }
}

function timeOf(since: string): string {
  const at = new Date(since);
  return Number.isNaN(at.getTime()) ? since : at.toLocaleTimeString();
}

function holderOf({ window, pid, host, since }: Holder): Holder {
  return { window, pid, host, since };
}

function locked(holder: Holder | null): BoughError {
  if (holder === null) {
    return new BoughError('Locked', 'Another window keeps writing to this session; try again in a moment.');
  }
  const message = `This session is in use in window ${holder.window} (process ${holder.pid} on ${holder.host}) since ${timeOf(holder.since)}. Wait until it is done there, or close that window.`;
  return new BoughError('Locked', message, {
    holder: `${holder.window} (process ${holder.pid} on ${holder.host})`,
    since: holder.since,
    pid: holder.pid,
  });
}
