/**
 * The sessions of one workspace folder: `sessions/` with a log and its side files each, `cache/`, `trash/`. Strict, one
 * live handle per session, and nothing is deleted but what was asked to be.
 */
import path from 'node:path';
import type { Clock, Disposable, Files, Ids } from '../ports.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { Catalog } from './catalog.js';
import { newHeader } from './header.js';
import { SessionLease, type LeaseParts } from './lease.js';
import { sweepLeftovers } from './leftovers.js';
import { Listeners } from './listeners.js';
import type { LockTable } from './lock-table.js';
import { FileLog, type LogParts } from './log.js';
import { Serial } from './serial.js';
import { checkSessionId, sessionName, sessionPaths, type SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import type { ListQuery, SessionInit, SessionLog, SessionStore, SessionSummary } from './store.js';
import { Trash, type Discarded } from './trash.js';

export interface FileStoreParts {
  /** `workspaces/<key>/`: see workspace-key. */
  folder: string;
  files: Files;
  clock: Clock;
  ids: Ids;
  /** One for all stores of this process. */
  locks: LockTable;
  /** How leases name this process. */
  who: { window: string; pid: number; host: string };
  /** `bough/<version>`. */
  producer: string;
  /** Failures that nobody waits for; the session they concern is `data.session`. */
  onTrouble: (error: BoughError) => void;
  /** Absent: what the operating system offers. */
  osLock?: LeaseParts['osLock'];
  /** False for sessions that are in no file. */
  hasFiles?: boolean;
}

export class FileStore implements SessionStore {
  readonly #parts: FileStoreParts;
  readonly #sessions: string;
  readonly #catalog: Catalog;
  readonly #trash: Trash;
  /** By file name. */
  readonly #live = new Map<string, FileLog>();
  /** What changes who is live, one after the other per session. */
  readonly #gates = new Map<string, Serial>();
  readonly #changed = new Listeners<string>();
  #hasSwept = false;

  constructor(parts: FileStoreParts) {
    this.#parts = parts;
    this.#sessions = path.join(parts.folder, 'sessions');
    const { files, who, onTrouble } = parts;
    this.#catalog = new Catalog({
      files,
      sessions: this.#sessions,
      cache: path.join(parts.folder, 'cache'),
      onTrouble,
    });
    const { clock } = parts;
    const trash = path.join(parts.folder, 'trash');
    this.#trash = new Trash({ files, folder: trash, sessions: this.#sessions, clock, who });
  }

  create(init: SessionInit = {}): Promise<SessionLog> {
    const id = init.id ?? this.#parts.ids.session();
    return this.#gated(id, async (paths) => {
      if ((await this.#liveLog(paths)) !== undefined || (await this.#isOnDisk(paths))) throw exists(id);
      return this.#create(id, paths, init);
    });
  }

  open(id: string): Promise<SessionLog> {
    return this.#gated(id, async (paths) => (await this.#liveLog(paths)) ?? (await this.#open(id, paths)));
  }

  openOrCreate(id: string, init: SessionInit = {}): Promise<SessionLog> {
    return this.#gated(id, async (paths) => {
      const live = await this.#liveLog(paths);
      if (live !== undefined) return live;
      return (await this.#isOnDisk(paths)) ? this.#open(id, paths) : this.#create(id, paths, init);
    });
  }

  async list(query?: ListQuery): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    await this.#sweepOnce();
    return this.#catalog.list(query);
  }

  async rename(id: string, name: string): Promise<void> {
    if (name.trim() === '')
      throw new BoughError('InvalidArgument', 'The name of a session must not be blank.');
    await this.#withLog(id, (log) =>
      log.append([{ type: 'session_info', name: name.trim() }], { isArchivedAllowed: true }),
    );
  }

  archive(id: string): Promise<void> {
    return this.#setArchived(id, true);
  }

  unarchive(id: string): Promise<void> {
    return this.#setArchived(id, false);
  }

  delete(id: string): Promise<{ undo: () => Promise<void>; purge: () => Promise<void> }> {
    return this.#gated(id, async (paths) => {
      const discarded = await this.#discard(id, paths);
      this.#changed.tell(id);
      return {
        undo: () =>
          this.#gated(id, async () => {
            await discarded.restore();
            this.#changed.tell(id);
          }),
        purge: () => this.#gated(id, () => discarded.purge()),
      };
    });
  }

  onChange(listener: (id: string) => void): Disposable {
    return this.#changed.add(listener);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live.values()].map((log) => log.close()));
    this.#live.clear();
  }

  // ------------------------------------------------------------------------------------------------------ handles

  #create(id: string, paths: SessionPaths, init: SessionInit): FileLog {
    const { clock, producer } = this.#parts;
    const header = newHeader(id, new Date(clock.now()).toISOString(), producer, init);
    return this.#keep(FileLog.create(this.#logParts(id, paths), header), paths);
  }

  async #open(id: string, paths: SessionPaths): Promise<FileLog> {
    const log = await this.#openIfThere(id, paths);
    if (log === undefined) {
      throw new BoughError('SessionNotFound', `There is no session ${id} in ${this.#sessions}.`, {
        path: paths.log,
      });
    }
    return this.#keep(log, paths);
  }

  async #openIfThere(id: string, paths: SessionPaths): Promise<FileLog | undefined> {
    try {
      return await FileLog.open(this.#logParts(id, paths));
    } catch (error) {
      if (isBoughError(error, 'StorageFailure') && error.data['errno'] === 'ENOENT') return undefined;
      throw error;
    }
  }

  #keep(log: FileLog, paths: SessionPaths): FileLog {
    this.#live.set(paths.name, log);
    log.onAppend(() => this.#changed.tell(log.id));
    return log;
  }

  /** The one handle of this session; one that is of no more use is closed and forgotten. */
  async #liveLog(paths: SessionPaths): Promise<FileLog | undefined> {
    const log = this.#live.get(paths.name);
    if (log === undefined || log.isLive) return log;
    this.#live.delete(paths.name);
    await log.close();
    return undefined;
  }

  #isOnDisk(paths: SessionPaths): Promise<boolean> {
    return stored(
      'look at',
      paths.log,
      async () => (await ifThere(this.#parts.files.stat(paths.log))) !== undefined,
    );
  }

  /** Works on the session's live handle, or on one that is opened only for this. */
  #withLog(id: string, work: (log: FileLog) => Promise<unknown>): Promise<void> {
    return this.#gated(id, async (paths) => {
      const live = await this.#liveLog(paths);
      const log = live ?? (await this.#open(id, paths));
      try {
        await work(log);
      } finally {
        if (live === undefined) await this.#drop(log, paths);
      }
    });
  }

  async #setArchived(id: string, archived: boolean): Promise<void> {
    await this.#gated(id, async (paths) => {
      const log = (await this.#liveLog(paths)) ?? (await this.#open(id, paths));
      if (log.isRunning)
        throw new BoughError('SessionRunning', 'This session is working; stop it before it is archived.');
      try {
        if (log.state().archived !== archived) {
          await log.append([{ type: 'session_info', archived }], { isArchivedAllowed: true });
        }
      } finally {
        await this.#drop(log, paths);
      }
    });
  }

  async #drop(log: FileLog, paths: SessionPaths): Promise<void> {
    this.#live.delete(paths.name);
    await log.close();
  }

  /** A log that cannot be read can be deleted all the same; of one that is gone, what it left behind. */
  async #discard(id: string, paths: SessionPaths): Promise<Discarded> {
    const log = await this.#liveLog(paths);
    const lease = this.#leaseOf(paths);
    const move = (): Promise<Discarded> => this.#trash.discard(paths);
    let discarded: Discarded;
    if (log === undefined) {
      await stored('create', this.#sessions, () => this.#parts.files.makeFolder(this.#sessions));
      discarded = await underLease(lease, move);
    } else {
      discarded = await log.discard(deleted(id), move);
      this.#live.delete(paths.name);
    }
    await stored('remove', paths.lock, () => lease.removeFiles());
    return discarded;
  }

  #leaseOf(paths: SessionPaths): SessionLease {
    const { files, clock, locks, who, osLock } = this.#parts;
    return new SessionLease(paths, { files, clock, locks, who, ...(osLock === undefined ? {} : { osLock }) });
  }

  #logParts(id: string, paths: SessionPaths): LogParts {
    const { files, clock, ids, producer, onTrouble, hasFiles = true } = this.#parts;
    return {
      files,
      clock,
      ids,
      paths,
      lease: this.#leaseOf(paths),
      producer,
      hasFile: hasFiles,
      onTrouble: (error) =>
        onTrouble(
          new BoughError(error.code, error.message, { ...error.data, session: id }, { cause: error }),
        ),
    };
  }

  // -------------------------------------------------------------------------------------------------------- common

  async #gated<T>(id: string, work: (paths: SessionPaths) => Promise<T> | T): Promise<T> {
    checkSessionId(id);
    const paths = sessionPaths(this.#sessions, sessionName(id));
    let gate = this.#gates.get(paths.name);
    if (gate === undefined) this.#gates.set(paths.name, (gate = new Serial()));
    const mine = gate;
    try {
      return await mine.run(async () => work(paths));
    } finally {
      if (mine.isIdle) this.#gates.delete(paths.name);
    }
  }

  #sweepLeftovers(): Promise<void> {
    const { files, clock, who, folder } = this.#parts;
    const leaseOf = (paths: SessionPaths): SessionLease => this.#leaseOf(paths);
    return sweepLeftovers({ files, clock, folder, sessions: this.#sessions, host: who.host, leaseOf });
  }

  /** What was deleted long ago goes for good when somebody looks, and what dead processes left half done. */
  async #sweepOnce(): Promise<void> {
    if (this.#hasSwept) return;
    this.#hasSwept = true;
    try {
      await this.#trash.sweep();
      await this.#sweepLeftovers();
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }
}

async function underLease<T>(lease: SessionLease, work: () => Promise<T>): Promise<T> {
  await lease.take('write');
  try {
    return await work();
  } finally {
    await lease.release();
  }
}

const exists = (id: string): BoughError =>
  new BoughError('SessionExists', `There is a session ${id} already; open it instead.`);

const deleted = (id: string): BoughError =>
  new BoughError('SessionConflict', `Session ${id} was deleted; nothing more is written to it.`);
