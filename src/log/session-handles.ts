/** The live handles of a store: one per session, whoever opens it, and one caller at a time who changes which it is. */
import path from 'node:path';
import type { Clock, Files, Ids } from '../ports.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { newHeader } from './header.js';
import { SessionLease, type LeaseParts } from './lease.js';
import type { LockTable } from './lock-table.js';
import type { Reading } from './log-file.js';
import { FileLog, type LogParts } from './log.js';
import { LogIndex } from './log-index.js';
import { Gates } from './serial.js';
import { checkSessionId, LOG_SUFFIX, sessionName, sessionPaths, type SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import type { SessionInit } from './store.js';

export interface HandleParts {
  files: Files;
  clock: Clock;
  ids: Ids;
  locks: LockTable;
  who: { window: string; pid: number; host: string };
  producer: string;
  onTrouble: (error: BoughError) => void;
  /** Absent: what the operating system offers. */
  osLock?: LeaseParts['osLock'];
  /** False for sessions that are in no file. */
  hasFiles?: boolean;
  /** Runs before a session is made in a folder that may not be there yet. */
  onFirstWrite?: () => Promise<void>;
  /** A session's log is there for the first time; tells of its own troubles. */
  made?: (paths: SessionPaths) => Promise<void>;
  /** Logs of so many bytes and more have an index; Infinity for none at all. */
  indexFrom?: number;
}

/** What is shorter is read faster than its index. */
const INDEX_FROM = 256 * 1024;

export class SessionHandles {
  readonly #parts: HandleParts;
  readonly #sessions: string;
  readonly #onAppend: (id: string) => void;
  /** By the name of their files. */
  readonly #live = new Map<string, FileLog>();
  readonly #gates = new Gates();
  /** Logs that lie elsewhere, by id: opened as files. */
  readonly #outside = new Map<string, SessionPaths>();
  /** Why logs that lie elsewhere are only read, by the name of their files. */
  readonly #toRead = new Map<string, string>();

  constructor(parts: HandleParts, sessions: string, onAppend: (id: string) => void) {
    this.#parts = parts;
    this.#sessions = sessions;
    this.#onAppend = onAppend;
  }

  pathsOf(id: string): SessionPaths {
    checkSessionId(id);
    return this.#outside.get(id) ?? sessionPaths(this.#sessions, sessionName(id));
  }

  /** Of one that is known by the name of its files only. */
  pathsOfName(name: string): SessionPaths {
    return sessionPaths(this.#sessions, name);
  }

  isOutside(id: string): boolean {
    return this.#outside.has(id);
  }

  /** Where the files of a log are, wherever it lies; its name, and its id when it is not one of ours, is its path. */
  async pathsOfFile(file: string): Promise<SessionPaths> {
    const log = await stored('read', file, () => this.#parts.files.realPath(file));
    const base = log.endsWith(LOG_SUFFIX) ? log.slice(0, -LOG_SUFFIX.length) : log;
    const paths = sessionPaths(path.dirname(log), path.basename(base));
    const sessions = await stored('look at', this.#sessions, () =>
      ifThere(this.#parts.files.realPath(this.#sessions)),
    );
    if (paths.sessions === sessions && sessionName(paths.name) === paths.name)
      return sessionPaths(this.#sessions, paths.name);
    const outside = { ...paths, log, name: log };
    this.#outside.set(log, outside);
    return outside;
  }

  /** A file that turned out to be no session log is not known here any more. */
  forgetFile(paths: SessionPaths): void {
    this.#outside.delete(paths.name);
  }

  /** Nothing is appended here to the log of these files, for the reason that `why` gives. */
  keepToReading(paths: SessionPaths, why: string): void {
    this.#toRead.set(paths.name, why);
  }

  /** Alone with the session. The wait for it ends with `signal`. */
  async gated<T>(id: string, work: (paths: SessionPaths) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const paths = this.pathsOf(id);
    return await this.#gates.run(paths.name, () => work(paths), signal);
  }

  create(id: string, paths: SessionPaths, init: SessionInit): FileLog {
    const { clock, producer } = this.#parts;
    const header = newHeader(id, new Date(clock.now()).toISOString(), producer, init);
    return this.#keep(FileLog.create(this.#logParts(id, paths), header), paths);
  }

  /** @throws BoughError SessionNotFound, StorageFailure */
  async open(id: string, paths: SessionPaths, reading?: Reading): Promise<FileLog> {
    return this.#keep(await this.peek(id, paths, reading), paths);
  }

  /** A handle beside the live one, to read from: whoever asked closes it. */
  async peek(id: string, paths: SessionPaths, reading?: Reading): Promise<FileLog> {
    try {
      return await FileLog.open(this.#logParts(id, paths), reading);
    } catch (error) {
      if (!isBoughError(error, 'StorageFailure') || error.data['errno'] !== 'ENOENT') throw error;
      throw new BoughError('SessionNotFound', `There is no session ${id} in ${paths.sessions}.`, {
        path: paths.log,
      });
    }
  }

  /** The one handle of this session; one that is of no more use is closed and forgotten. */
  async live(paths: SessionPaths): Promise<FileLog | undefined> {
    const log = this.#live.get(paths.name);
    if (log === undefined || log.isLive) return log;
    await this.drop(log, paths);
    return undefined;
  }

  /** The same without a look at the disk, for who changes nothing. */
  opened(paths: SessionPaths): FileLog | undefined {
    const log = this.#live.get(paths.name);
    return log?.isLive === true ? log : undefined;
  }

  /** Names of the files of all that is open, written or not. */
  get openNames(): Set<string> {
    return new Set(this.#live.keys());
  }

  /** Works through the session's live handle, or one that is opened only for this. */
  withLog(id: string, work: (log: FileLog) => Promise<unknown>, signal?: AbortSignal): Promise<void> {
    const note = async (paths: SessionPaths): Promise<void> => {
      const live = await this.live(paths);
      const log = live ?? (await this.open(id, paths));
      try {
        await work(log);
      } finally {
        if (live === undefined) await this.drop(log, paths);
      }
    };
    return this.gated(id, note, signal);
  }

  isOnDisk(paths: SessionPaths): Promise<boolean> {
    return stored(
      'look at',
      paths.log,
      async () => (await ifThere(this.#parts.files.stat(paths.log))) !== undefined,
    );
  }

  async drop(log: FileLog, paths: SessionPaths): Promise<void> {
    this.#live.delete(paths.name);
    await log.close();
  }

  /** Before something is made where there may be no folder yet. */
  async prepare(): Promise<void> {
    await this.#parts.onFirstWrite?.();
    await stored('create', this.#sessions, () => this.#parts.files.makeFolder(this.#sessions));
  }

  forget(paths: SessionPaths): void {
    this.#live.delete(paths.name);
  }

  /** Only of what is kept in a file of ours. */
  indexOf(paths: SessionPaths): LogIndex | undefined {
    const { files, producer, hasFiles = true, indexFrom = INDEX_FROM } = this.#parts;
    if (!hasFiles || this.#outside.has(paths.name)) return undefined;
    const file = path.join(path.dirname(this.#sessions), 'cache', `${paths.name}.index`);
    return new LogIndex({ files, file, producer, from: indexFrom });
  }

  leaseOf(paths: SessionPaths): SessionLease {
    const { files, clock, locks, who, osLock } = this.#parts;
    return new SessionLease(paths, { files, clock, locks, who, ...(osLock === undefined ? {} : { osLock }) });
  }

  /** For work on files that no handle of this store is on. */
  async underLease<T>(paths: SessionPaths, work: () => Promise<T>): Promise<T> {
    const lease = this.leaseOf(paths);
    await this.prepare();
    await lease.take('write');
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live.values()].map((log) => log.close()));
    this.#live.clear();
  }

  #keep(log: FileLog, paths: SessionPaths): FileLog {
    this.#live.set(paths.name, log);
    log.onAppend(() => this.#onAppend(log.id));
    return log;
  }

  #logParts(id: string, paths: SessionPaths): LogParts {
    const { files, clock, ids, producer, onTrouble, hasFiles = true } = this.#parts;
    const toRead = this.#toRead.get(paths.name);
    const index = this.indexOf(paths);
    return {
      files,
      clock,
      ids,
      paths,
      lease: this.leaseOf(paths),
      producer,
      hasFile: hasFiles,
      ...(toRead === undefined ? {} : { toRead }),
      ...(index === undefined ? {} : { index }),
      prepare: () => this.prepare(),
      made: async () => this.#parts.made?.(paths),
      onTrouble: (error) =>
        onTrouble(
          new BoughError(error.code, error.message, { ...error.data, session: id }, { cause: error }),
        ),
    };
  }
}
