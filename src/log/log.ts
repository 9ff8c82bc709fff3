/**
 * The one live handle on a session's log. What it says is what the file says: memory moves only after the file is synced.
 * What it reads is in log-reading.ts.
 */
import type { Disposable } from '../ports.js';
import type { Header } from '../shared/entry.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import type { Draft, Entry } from '../shared/notes.js';
import { AppendQueue, type AppendRequest, type StoreAppendOptions } from './append-queue.js';
import { Bodies } from './bodies.js';
import { FolderBlobs } from './blobs.js';
import { fitRequests } from './fit.js';
import { composeLines } from './group.js';
import type { Ledger } from './ledger.js';
import { Listeners } from './listeners.js';
import { LogFile, type CaughtUp, type LogFileParts, type Reading } from './log-file.js';
import { LogReading } from './log-reading.js';
import { Serial } from './serial.js';
import { sessionIdOf } from './session-name.js';
import { Standing } from './standing.js';
import type { Access, Blobs, Holder, Lease, PlacedEntry, SessionLog, StreamJournal } from './store.js';
import { FileStreamJournal } from './stream-journal.js';
import { withinDeadline } from './within.js';

/** Opening comes first, what makes the next one faster later. */
const KEEP_AFTER_MS = 1_000;

export interface LogParts extends LogFileParts {
  /** False in memory, where there is no file to name. */
  hasFile: boolean;
  /** Why it is only read here; absent when it may be written. */
  toRead?: string;
}

export class FileLog extends LogReading implements SessionLog {
  readonly blobs: Blobs;
  readonly journal: StreamJournal;
  readonly #parts: LogParts;
  readonly #log: LogFile;
  protected readonly bodies: Bodies;
  readonly #journal: FileStreamJournal;
  readonly #appends: AppendQueue;
  readonly #serial = new Serial();
  readonly #appended = new Listeners<readonly PlacedEntry[]>();
  readonly #standing: Standing;
  #runs = 0;
  /** Until what was read when it was opened is kept for the next time. */
  #keeping: Disposable | undefined;

  private constructor(parts: LogParts, log: LogFile) {
    super();
    this.#parts = parts;
    this.#log = log;
    const { files, clock, paths } = parts;
    this.bodies = new Bodies(files, paths.log);
    this.blobs = new FolderBlobs(files, paths.folder, clock);
    this.#journal = new FileStreamJournal({
      files,
      clock,
      path: paths.stream,
      isLogged: (attempt) => this.ledger.hasAttempt(attempt),
      onError: parts.onTrouble,
    });
    this.journal = this.#journal;
    this.#appends = new AppendQueue((takeGroup) => this.#serial.run(() => this.#drain(takeGroup)));
    this.#standing = new Standing(() => this.ledger, parts.toRead);
  }

  /** A session that is not on disk before its first append. */
  static create(parts: LogParts, header: Header): FileLog {
    return new FileLog(parts, LogFile.create(parts, header));
  }

  /** @throws BoughError StorageFailure, with errno ENOENT when there is no such file */
  static async open(parts: LogParts, reading?: Reading): Promise<FileLog> {
    const log = new FileLog(parts, await LogFile.open(parts, reading));
    log.#keeping = parts.clock.after(KEEP_AFTER_MS, () => void log.#keepIndex());
    return log;
  }

  protected get ledger(): Ledger {
    return this.#log.ledger;
  }

  get id(): string {
    return sessionIdOf(this.#parts.paths.name, this.ledger.header.id);
  }

  get file(): string | undefined {
    return this.#parts.hasFile ? this.#parts.paths.log : undefined;
  }

  get access(): Access {
    return this.#standing.access;
  }

  /** Somebody holds the lease for a run. */
  get isRunning(): boolean {
    return this.#runs > 0;
  }

  /** The handle can be given to whoever opens the session. */
  get isLive(): boolean {
    return !this.#standing.hasEnded;
  }

  isCutBehind(id: string): boolean {
    return this.#log.isCutBehind(id);
  }

  show(): Disposable {
    return this.bodies.use();
  }

  append(batch: readonly Draft[], options: StoreAppendOptions = {}): Promise<Entry[]> {
    const written = this.#appends.add(batch, options);
    const { clock, paths } = this.#parts;
    return options.isLast === true ? withinDeadline(clock, paths.log, written) : written;
  }

  acquire(signal?: AbortSignal): Promise<Lease> {
    return this.#serial.run(async () => {
      signal?.throwIfAborted();
      this.#standing.check();
      await this.#take('run', signal);
      this.#runs++;
      return this.#newLease();
    });
  }

  holder(): Promise<Holder | null> {
    return this.#parts.lease.holder();
  }

  catchUp(): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#standing.hasEnded) return;
      await this.#staleOnConflict(async () => this.#takeIn(await this.#log.catchUp()));
    });
  }

  onAppend(listener: (placed: readonly PlacedEntry[]) => void): Disposable {
    return this.#appended.add(listener);
  }

  onAccess(listener: (access: Access) => void): Disposable {
    return this.#standing.onAccess(listener);
  }

  /** Waits for what was asked before. The handle is stale afterwards. */
  close(): Promise<void> {
    return this.#serial.run(async () => {
      const closed = new BoughError('SessionStale', 'This session was closed; open it again to go on.');
      // Of a session that was deleted, late saves are told that.
      if (!this.#standing.hasEnded) this.#standing.end('stale', closed);
      this.#keeping?.dispose();
      try {
        await this.#letGo();
        await this.#log.keepIndex();
      } finally {
        await this.#log.release();
      }
    });
  }

  /** What a look at the file notices is read from its start by this handle. */
  protected async endUnlessReadAgain(ledger: Ledger, { message, data }: BoughError): Promise<void> {
    await this.catchUp();
    if (ledger !== this.ledger || this.#standing.hasEnded) return;
    this.#standing.end('stale', new BoughError('SessionStale', message, data));
  }

  /** While nothing is done here. */
  #keepIndex(): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#runs === 0 && !this.#standing.hasEnded) await this.#log.keepIndex();
    });
  }

  /** Under the lease, with no file held open: moves the session's files away. Every later append fails with `error`. */
  discard<T>(error: BoughError, move: () => Promise<T>): Promise<T> {
    return this.#serial.run(async () => {
      await this.#log.hold('write');
      this.#keeping?.dispose();
      try {
        await this.#letGo();
        await this.#log.closeFile();
        const moved = await move();
        this.#standing.end('stale', error);
        return moved;
      } finally {
        if (this.#standing.hasEnded || this.#runs === 0) await this.#log.release();
      }
    });
  }

  async #letGo(): Promise<void> {
    await this.#journal.close();
    await this.bodies.close();
  }

  async #drain(takeGroup: () => AppendRequest[]): Promise<void> {
    for (let group = takeGroup(); group.length > 0; group = takeGroup()) {
      try {
        await this.#commit(group);
      } catch (error) {
        for (const request of group) request.reject(error);
      }
    }
    if (this.#runs === 0) await this.#release();
  }

  /** Whoever was refused before stays refused: settling a promise again changes nothing. */
  async #commit(requests: readonly AppendRequest[]): Promise<void> {
    if (!requests.some((request) => this.#isAllowed(request))) return;
    const seen = this.head;
    await this.#take('write');
    // Catching up may have shown that the session was archived meanwhile.
    const allowed = await fitRequests(
      this.blobs,
      requests.filter((request) => this.#isAllowed(request)),
    );
    const isOvertaken = this.head !== seen && allowed.some(({ options }) => options.expectedHead === seen);
    const world = { ids: this.#parts.ids, timestamp: new Date(this.#parts.clock.now()).toISOString() };
    const lines = composeLines(allowed, this.ledger, world);
    if (lines.length > 0) {
      const keepsTime = lines.every(({ request }) => request.options.keepsTime === true);
      const texts = lines.map(({ text }) => text);
      const written = await this.#staleOnConflict(() => this.#log.commit(texts, keepsTime));
      lines.forEach(({ request }, index) =>
        request.resolve((written[index] ?? []).map(({ entry }) => entry)),
      );
      this.bodies.keep(this.ledger, written.flat());
      this.#tellAppended(written.flat());
    }
    // Another window moved the head from where the person saw it: their view has to be taken anew.
    if (isOvertaken) this.#standing.end('stale', overtaken());
  }

  #isAllowed(request: AppendRequest): boolean {
    try {
      this.#standing.check(request.options);
      return true;
    } catch (error) {
      request.reject(error);
      return false;
    }
  }

  async #take(purpose: 'run' | 'write', signal?: AbortSignal): Promise<void> {
    await this.#staleOnConflict(async () => this.#takeIn(await this.#log.take(purpose, signal)));
  }

  #takeIn({ placed, isReloaded }: CaughtUp): void {
    if (isReloaded) this.bodies.forget();
    this.bodies.keep(this.ledger, placed);
    if (isReloaded || placed.length > 0) this.#tellAppended(placed);
  }

  async #staleOnConflict<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { poison } = this.#log;
      if (poison !== undefined) this.#standing.end('poisoned', poison);
      else if (isBoughError(error, 'SessionConflict')) {
        const stale = new BoughError('SessionStale', error.message, error.data, { cause: error });
        this.#standing.end('stale', stale);
        if (error.data['errno'] === 'ENOENT') this.bodies.keepWhatIs(this.#log.giveFile());
      }
      throw error;
    }
  }

  #newLease(): Lease {
    let isHeld = true;
    const using = this.bodies.use();
    return {
      session: this.id,
      dispose: () => {
        if (!isHeld) return;
        isHeld = false;
        using.dispose();
        void this.#serial.run(async () => {
          if (--this.#runs > 0) return;
          await this.#release();
          if (!this.#standing.hasEnded) await this.#log.keepIndex();
        });
      },
    };
  }

  async #release(): Promise<void> {
    try {
      await this.#log.release();
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }

  #tellAppended(placed: readonly PlacedEntry[]): void {
    this.#appended.tell(placed);
    this.#standing.tell();
  }
}

const overtaken = (): BoughError =>
  new BoughError(
    'SessionStale',
    'Another window went on with this session; open it again to see what it holds now.',
  );
