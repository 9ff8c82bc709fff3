/**
 * A log's file and what was read from it: catching up with other writers, the repair of its end, and committing lines under
 * the lease. Memory never runs ahead of the disk.
 */
import path from 'node:path';
import type { Clock, Files, FileStat, Ids, OpenFile } from '../ports.js';
import type { Header } from '../shared/entry.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { BlockHashes } from './block-hashes.js';
import { serialiseBatch, serialiseHeader } from './codec.js';
import { LogWriter } from './commit.js';
import type { SessionLease } from './lease.js';
import { Ledger } from './ledger.js';
import type { LogIndex } from './log-index.js';
import type { Purpose } from './os-lock.js';
import { isAsRead, loadLog, markOf, readMore, type Loaded, type LoadOptions } from './load.js';
import type { SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import type { PlacedEntry } from './store.js';
import { cutsOf, setAsideFragment } from './tail.js';

export interface LogFileParts {
  files: Files;
  clock: Clock;
  ids: Ids;
  paths: SessionPaths;
  lease: SessionLease;
  /** `bough/<version>`, for headers that have to be made up. */
  producer: string;
  /** Failures that nobody waits for: of the stream journal, of letting a lease go, of what is read beside the log. */
  onTrouble: (error: BoughError) => void;
  /** Absent: what was read is not kept for the next time. */
  index?: LogIndex;
  /** Runs before a new log's folder is made. */
  prepare?: () => Promise<void>;
  /** Runs when a new log is there. */
  made?: () => Promise<void>;
}

/** While the log is read. */
export type Reading = Omit<LoadOptions, 'index'>;

/** What others appended; `isReloaded` when the file had to be read again from its start. */
export interface CaughtUp {
  placed: readonly PlacedEntry[];
  isReloaded: boolean;
}
const nothingNew: CaughtUp = { placed: [], isReloaded: false };

export class LogFile {
  readonly #parts: LogFileParts;
  readonly #writer: LogWriter;
  #loaded: Loaded;
  /** Until the first commit made the file. */
  #isNew: boolean;
  /** Where its end was cut off and set aside, now or before. */
  #cuts: number[] = [];

  private constructor(parts: LogFileParts, loaded: Loaded, isNew: boolean) {
    this.#parts = parts;
    this.#loaded = loaded;
    this.#isNew = isNew;
    const { files, paths, lease } = parts;
    this.#writer = new LogWriter({ files, path: paths.log, isLeaseOurs: () => lease.isOurs() });
  }

  static create(parts: LogFileParts, header: Header): LogFile {
    const ledger = new Ledger(parts.paths.name, header.timestamp ?? '');
    ledger.begin(header);
    const seen = new BlockHashes();
    const empty = { size: 0, mtime: 0, mark: new Uint8Array(0), indexed: 0, untold: [] };
    return new LogFile(parts, { ledger, seen, ...empty }, true);
  }

  static async open(parts: LogFileParts, reading: Reading = {}): Promise<LogFile> {
    const [loaded, cuts] = await Promise.all([load(parts, reading), findCuts(parts)]);
    const log = new LogFile(parts, loaded, false);
    log.#cuts = cuts;
    return log;
  }

  get ledger(): Ledger {
    return this.#loaded.ledger;
  }

  /** The end of the file was lost after this entry was written, and what follows it was written since. */
  isCutBehind(id: string): boolean {
    const { ledger } = this;
    const place = ledger.place(ledger.positionOf(id) ?? -1);
    return place !== undefined && this.#cuts.some((offset) => offset > place.offset);
  }

  /** Why no commit will succeed any more, if so. */
  get poison(): BoughError | undefined {
    return this.#writer.poison;
  }

  /** Takes the lease and reads what others appended before. @throws BoughError Locked, SessionConflict, StorageFailure */
  async take(purpose: Purpose, signal?: AbortSignal): Promise<CaughtUp> {
    const wasHeld = this.#parts.lease.isHeld;
    await this.hold(purpose, signal);
    if (wasHeld) return nothingNew;
    try {
      return await this.catchUp(true);
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** Takes the lease alone. */
  async hold(purpose: Purpose, signal?: AbortSignal): Promise<void> {
    const { lease, files, paths } = this.#parts;
    // The lock is a file, so the folder has to be there before the first append is.
    if (this.#isNew && !lease.isHeld) {
      await this.#parts.prepare?.();
      await stored('create', paths.sessions, () => files.makeFolder(paths.sessions));
    }
    await lease.take(purpose, signal);
  }

  /** The file as it is open for writing, if it is: to be read from, and closed, by whoever asks. */
  giveFile(): OpenFile | undefined {
    return this.#writer.giveFile();
  }

  /** Lets go of the file but not of the lease. */
  closeFile(): Promise<void> {
    return this.#writer.release();
  }

  async release(): Promise<void> {
    try {
      await this.#writer.release();
    } finally {
      if (this.#parts.lease.isHeld) await this.#parts.lease.release();
    }
  }

  /**
   * Before a write the end of the file is looked at in any case, else only when something touched the file.
   *
   * @throws BoughError SessionConflict when the file is gone
   */
  async catchUp(isToWrite = false): Promise<CaughtUp> {
    if (this.#isNew) return nothingNew;
    const { files, paths } = this.#parts;
    const stat = await this.#look();
    if (stat === undefined) throw gone(paths.log);
    // Where a fragment stood, another may have set it aside and written as many bytes.
    const isTorn = this.ledger.tail.kind === 'fragment';
    const loaded = this.#loaded;
    if (stat.size === loaded.size && !isTorn && loaded.untold.length === 0) {
      const isUntouched = stat.mtime === loaded.mtime && !isToWrite;
      if (isUntouched || (await isAsRead(files, paths.log, loaded))) {
        loaded.mtime = stat.mtime;
        return nothingNew;
      }
    } else {
      const placed = await readMore(files, paths.log, loaded);
      // What stood there was finished, or another set it aside.
      if (isTorn) this.#cuts = await findCuts(this.#parts);
      if (placed !== undefined) return { placed, isReloaded: false };
    }
    [this.#loaded, this.#cuts] = await Promise.all([load(this.#parts), findCuts(this.#parts)]);
    return { placed: [], isReloaded: true };
  }

  /**
   * Commits the lines whole and together; returns what each came to. The lease is held, so that nobody else writes between
   * the look at the file's time and, with `keepsTime`, putting that back.
   */
  async commit(lines: readonly string[], keepsTime = false): Promise<PlacedEntry[][]> {
    const before = keepsTime && !this.#isNew ? await this.#look() : undefined;
    await this.#prepareFolder();
    await this.#repairTail();
    const { ledger } = this;
    const hasOpenTail = ledger.tail.kind === 'open';
    const { from, line } = ledger.next;
    const preamble = this.#preamble();
    const pieces = [...preamble, ...lines].map((text) => Buffer.from(text));
    const bytes = Buffer.concat([Buffer.from(hasOpenTail ? '\n' : ''), ...pieces]);
    await this.#writer.commit(bytes, from, this.#isNew);
    this.#loaded.seen.add(bytes, from);
    const wasNew = this.#isNew;
    this.#isNew = false;
    ledger.closeTail();
    const placed = this.#takeLines(pieces, hasOpenTail ? line + 1 : line);
    this.#loaded.size = ledger.next.from;
    if (from === 0) this.#loaded.mark = markOf(bytes);
    if (wasNew) await this.#parts.made?.();
    if (before !== undefined) await this.#putBackTime(before.mtime);
    return placed.slice(preamble.length);
  }

  #look(): Promise<FileStat | undefined> {
    const { files, paths } = this.#parts;
    return stored('look at', paths.log, () => ifThere(files.stat(paths.log)));
  }

  /** Unless somebody has written all the same: a lease may have been taken from a process that stood still. */
  async #putBackTime(mtime: number): Promise<void> {
    const { files, clock, paths, onTrouble } = this.#parts;
    const isOurs = async (): Promise<boolean> => (await this.#look())?.size === this.#loaded.size;
    const set = (time: number): Promise<void> =>
      stored('keep the time of', paths.log, async () => void (await ifThere(files.setTime(paths.log, time))));
    try {
      if (!(await isOurs())) return;
      await set(mtime);
      if (!(await isOurs())) await set(clock.now());
    } catch (error) {
      if (!isBoughError(error)) throw error;
      onTrouble(error); // it stands higher in the list than it should: no reason to refuse what was done
    }
  }

  /** Keeps what was read for the next time, when there is enough that the index does not know. */
  async keepIndex(): Promise<void> {
    const { index, paths } = this.#parts;
    const { ledger, seen, indexed } = this.#loaded;
    const size = ledger.next.from;
    if (index?.isWorth(size, indexed) !== true) return;
    try {
      if (await index.write(paths.log, ledger, seen)) this.#loaded.indexed = size;
    } catch {
      return; // a cache: the log is read without it
    }
  }

  #takeLines(pieces: readonly Buffer[], firstLine: number): PlacedEntry[][] {
    return pieces.map((piece, index) => {
      const offset = this.ledger.next.from;
      return this.ledger.take({
        line: firstLine + index,
        offset,
        bytes: piece.subarray(0, -1),
        end: offset + piece.length,
        isTerminated: true,
        isTooLong: false,
      });
    });
  }

  /** The header of an empty file, or what stands in for one that could not be read. */
  #preamble(): string[] {
    const { ledger } = this;
    const { ids, clock, producer } = this.#parts;
    if (ledger.next.from === 0) return [serialiseHeader({ producer, ...ledger.header })];
    if (ledger.hasHeader) return [];
    const timestamp = new Date(clock.now()).toISOString();
    const header: Header = { ...ledger.header, producer };
    return [
      serialiseBatch([{ type: 'session_info', id: ids.entry(), parent_id: ledger.head, timestamp, header }]),
    ];
  }

  async #prepareFolder(): Promise<void> {
    if (!this.#isNew) return;
    const { files, paths } = this.#parts;
    await stored('create', paths.sessions, async () => {
      await files.makeFolder(paths.sessions);
      await files.syncFolder(path.dirname(paths.sessions));
    });
  }

  /** Before the first append only. The file must still be as we read it: what is cut off must be what we saw. */
  async #repairTail(): Promise<void> {
    const { tail } = this.ledger;
    if (tail.kind !== 'fragment') return;
    const { files, clock, paths } = this.#parts;
    const now = new Date(clock.now()).toISOString();
    await this.#writer.repair(tail.end, (file) =>
      setAsideFragment(file, tail, { files, logPath: paths.log, damagedPath: paths.damaged, now }),
    );
    this.ledger.setAside(paths.damaged);
    this.#cuts.push(tail.offset);
    this.#loaded.size = tail.offset;
  }
}

const load = ({ files, paths, index }: LogFileParts, reading: Reading = {}): Promise<Loaded> =>
  loadLog(files, paths.log, paths.name, { ...reading, ...(index === undefined ? {} : { index }) });

async function findCuts({ files, paths, onTrouble }: LogFileParts): Promise<number[]> {
  try {
    return await cutsOf({ files, damagedPath: paths.damaged });
  } catch (error) {
    if (!isBoughError(error)) throw error;
    onTrouble(error); // the log is read all the same
    return [];
  }
}

const gone = (file: string): BoughError =>
  new BoughError(
    'SessionConflict',
    `The session's file ${file} is not there any more; it was deleted or moved.`,
    { path: file, errno: 'ENOENT' },
  );
