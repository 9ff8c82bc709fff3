/**
 * The live handle on a session of a custom store. It holds what the store said, checked and copied; what it appends counts
 * once the store has confirmed it. A write whose outcome is unknown is looked at before the next one.
 */
import type { Clock, Disposable, Ids } from '../ports.js';
import type { ConversationEntry, Header } from '../shared/entry.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import type { FileState } from '../shared/fold/file-states.js';
import type { LineNodes } from '../shared/fold/line-nodes.js';
import type { OutlineNode, PathState } from '../shared/fold/types.js';
import type { Draft, Entry } from '../shared/notes.js';
import type { StoreAppendOptions } from './append-queue.js';
import { serialiseBatch } from './codec.js';
import { Ahead, completeBatch } from './complete.js';
import { ConnectedBlobs } from './connected-blobs.js';
import { ConnectedRecords } from './connected-records.js';
import { addition, beginsWith, creation } from './connected-writes.js';
import type { StoredEntry, StoredSession } from './custom-store.js';
import { checkHead } from './group.js';
import type { Ledger } from './ledger.js';
import { Listeners } from './listeners.js';
import { MemoryFiles } from './memory-files.js';
import { Serial } from './serial.js';
import { Standing } from './standing.js';
import type { StoreBoundary } from './store-boundary.js';
import type {
  Access,
  Blobs,
  Held,
  Lease,
  LinePage,
  LogDamage,
  PlacedEntry,
  PlacedRecord,
  SessionLog,
  StreamJournal,
} from './store.js';
import { FileStreamJournal } from './stream-journal.js';

export interface ConnectedLogParts {
  boundary: StoreBoundary;
  clock: Clock;
  ids: Ids;
  onTrouble: (error: BoughError) => void;
}

export class ConnectedLog implements SessionLog {
  readonly id: string;
  readonly file = undefined;
  readonly blobs: Blobs;
  readonly journal: StreamJournal;
  readonly #parts: ConnectedLogParts;
  readonly #records: ConnectedRecords;
  readonly #standing: Standing;
  /** Until the first append made the session. */
  #isNew: boolean;
  #runs = 0;
  /** A write that has not returned, or whose outcome is unknown. */
  #doubt: Promise<void> | undefined;
  /** What such a write was to make the session with. */
  #attempted: readonly StoredEntry[] = [];
  readonly #serial = new Serial();
  readonly #appended = new Listeners<readonly PlacedEntry[]>();

  private constructor(parts: ConnectedLogParts, header: Header, isNew: boolean) {
    this.#parts = parts;
    this.id = header.id;
    this.#isNew = isNew;
    this.#records = new ConnectedRecords(header);
    this.#standing = new Standing(() => this.ledger);
    this.blobs = new ConnectedBlobs(parts.boundary, header.id);
    const files = new MemoryFiles(() => parts.clock.now());
    // Of a crash a custom store knows nothing: the journal lives as long as the handle.
    const path = '/journal';
    const isLogged = (attempt: string): boolean => this.ledger.hasAttempt(attempt);
    this.journal = new FileStreamJournal({
      files,
      clock: parts.clock,
      path,
      isLogged,
      onError: parts.onTrouble,
    });
  }

  static create(parts: ConnectedLogParts, header: Header): ConnectedLog {
    return new ConnectedLog(parts, header, true);
  }

  /** @throws BoughError InvalidPersistenceData */
  static of(parts: ConnectedLogParts, { header, entries }: StoredSession): ConnectedLog {
    const log = new ConnectedLog(parts, header as Header, false);
    log.#records.takeAll(entries);
    return log;
  }

  get header(): Header {
    return this.ledger.header;
  }
  get access(): Access {
    return this.#standing.access;
  }
  get damage(): readonly LogDamage[] {
    return this.ledger.damage;
  }
  get position(): number {
    return this.ledger.position;
  }
  get head(): string | null {
    return this.ledger.head;
  }
  get outline(): readonly OutlineNode[] {
    return this.ledger.fold.outline;
  }
  get messages(): number {
    return this.ledger.messages;
  }
  get ledger(): Ledger {
    return this.#records.ledger;
  }
  get isRunning(): boolean {
    return this.#runs > 0;
  }
  get isLive(): boolean {
    return !this.#standing.hasEnded;
  }
  get isStored(): boolean {
    return !this.#isNew;
  }

  state(head?: string | null): PathState {
    return this.ledger.fold.state(head);
  }

  files(head?: string | null): FileState[] {
    return this.ledger.fold.files(head);
  }

  path(head?: string | null): Promise<ConversationEntry[]> {
    return Promise.resolve(this.#records.path(head));
  }

  line(head?: string | null): Promise<PlacedEntry[]> {
    return Promise.resolve(this.#records.at(this.linePositions(head)));
  }

  async page(limit: number, head?: string | null): Promise<LinePage> {
    const { positions, more } = this.ledger.fold.pagePositions(limit, head);
    return { entries: this.#records.at(positions), more };
  }

  lineFrom(from: string, head?: string | null): Promise<PlacedEntry[]> {
    return Promise.resolve(this.#records.at(this.ledger.fold.positionsFrom(from, head)));
  }

  nodes(head?: string | null): OutlineNode[] {
    return this.ledger.fold.pathNodes(head);
  }

  lineNodes(head?: string | null): LineNodes {
    return this.ledger.fold.lineNodes(head);
  }

  entries(ids: readonly string[]): Promise<PlacedEntry[]> {
    const { tree } = this.ledger;
    return Promise.resolve(this.#records.at(ids.flatMap((id) => tree.position(id) ?? [])));
  }

  linePositions(head?: string | null): number[] {
    return this.ledger.fold.linePositions(head);
  }

  async entry(id: string): Promise<Entry | undefined> {
    return (await this.entries([id]))[0]?.entry;
  }

  since(position: number): Promise<PlacedEntry[]> {
    return Promise.resolve(this.#records.since(position));
  }

  records(positions: readonly number[]): Promise<PlacedRecord[]> {
    return Promise.resolve(this.#records.records(positions));
  }

  async held(positions: readonly number[]): Promise<Held> {
    return { records: await this.records(positions), lost: [] };
  }

  isCutBehind(): boolean {
    return false;
  }

  /** What the store said is all in memory. */
  show(): Disposable {
    return { dispose: () => undefined };
  }

  append(batch: readonly Draft[], options: StoreAppendOptions = {}): Promise<Entry[]> {
    return this.#serial.run(async () => {
      this.#standing.check(options);
      await this.#resolveDoubt();
      const { ids, clock } = this.#parts;
      checkHead(options, this.head);
      const { tree, fold } = this.ledger;
      const ahead = new Ahead({
        has: (id) => tree.has(id),
        isConversation: (id) => fold.ordinal(id) !== -1,
        head: this.head,
      });
      const world = { ids, timestamp: new Date(clock.now()).toISOString() };
      // Before parents are filled in: nothing may stand on what is not stored.
      const storable = this.#storable(batch);
      const isWhole = storable.length === batch.length;
      const texts =
        storable.length > 0 || isWhole
          ? completeBatch(storable, ahead, world, (entries) =>
              entries.map((entry) => serialiseBatch([entry])),
            )
          : [];
      if (!isWhole) this.#tellUnstored();
      return this.#write(texts);
    });
  }

  acquire(signal?: AbortSignal): Promise<Lease> {
    return this.#serial.run(async () => {
      this.#standing.check();
      await this.#resolveDoubt();
      await this.#catchUp();
      this.#runs++;
      let isHeld = true;
      const dispose = (): void => {
        if (isHeld) this.#runs--;
        isHeld = false;
      };
      return { session: this.id, dispose };
    }, signal);
  }

  holder(): Promise<null> {
    return Promise.resolve(null);
  }

  catchUp(): Promise<void> {
    return this.#serial.run(() => (this.#standing.hasEnded ? Promise.resolve() : this.#catchUp()));
  }

  onAppend(listener: (placed: readonly PlacedEntry[]) => void): Disposable {
    return this.#appended.add(listener);
  }

  onAccess(listener: (access: Access) => void): Disposable {
    return this.#standing.onAccess(listener);
  }

  close(): Promise<void> {
    return this.end(new BoughError('SessionStale', 'This session was closed; open it again to go on.'));
  }

  /** Every later append fails with `error`, unless it fails with an earlier one. */
  end(error: BoughError): Promise<void> {
    return this.#serial.run(async () => {
      this.#end(error);
      await this.journal.end();
    });
  }

  /** Without what the store cannot keep: a summary is refused before anything is written, text that did not end well is told. */
  #storable(batch: readonly Draft[]): readonly Draft[] {
    const { boundary } = this.#parts;
    if (!boundary.can('appendBranchSummary') && batch.some(({ type }) => type === 'branch_summary')) {
      const message = 'The session store in use keeps no branch summaries; the branch was left as it is.';
      throw new BoughError('BranchSummaryNotSupported', message, { session: this.id });
    }
    if (boundary.can('appendIncompleteOutput')) return batch;
    return batch.filter(({ type }) => type !== 'incomplete_output');
  }

  #tellUnstored(): void {
    const message =
      'The session store in use keeps no text of attempts that did not end well; it is shown, not stored.';
    this.#parts.onTrouble(new BoughError('StorageFailure', message, { session: this.id }));
  }

  // -------------------------------------------------------------------------------------------------------- writing

  /** Confirms what the store confirmed, also when a later part of the batch fails. */
  async #write(texts: readonly string[]): Promise<Entry[]> {
    const written: PlacedEntry[] = [];
    try {
      for (const step of this.#stepsOf(texts)) {
        await this.#writeStep(step);
        written.push(...this.#records.takeBatch(step));
      }
    } catch (error) {
      if (isBoughError(error, 'SessionConflict')) {
        this.#end(new BoughError('SessionStale', error.message, error.data, { cause: error }));
      }
      throw error;
    } finally {
      if (written.length > 0) this.#tellAppended(written);
    }
    return written.map(({ entry }) => entry);
  }

  #stepsOf(texts: readonly string[]): string[][] {
    const isWhole = this.#isNew || this.#parts.boundary.can('appendStep');
    return isWhole && texts.length > 0 ? [[...texts]] : texts.map((text) => [text]);
  }

  async #writeStep(texts: readonly string[]): Promise<void> {
    const { boundary } = this.#parts;
    const entries = texts.map((text) => JSON.parse(text) as StoredEntry);
    const isNew = this.#isNew;
    const { id, position, header } = this;
    const { operation, write } = isNew ? creation(header, entries) : addition(id, position, entries);
    const { result, returned } = boundary.call(operation, write);
    let isDone: unknown;
    try {
      isDone = await result;
    } catch (error) {
      this.#doubt = returned;
      if (isNew) this.#attempted = entries;
      throw error;
    }
    if (isDone !== true) throw this.#conflict(isNew);
    this.#isNew = false;
  }

  /** Nothing is written while an earlier write may still land, or before it is known whether it did. */
  async #resolveDoubt(): Promise<void> {
    if (this.#doubt === undefined) return;
    const { boundary } = this.#parts;
    const doubt = this.#doubt;
    await boundary.call('append', () => doubt).result;
    await this.#catchUp();
    this.#doubt = undefined;
  }

  // -------------------------------------------------------------------------------------------------------- reading

  async #catchUp(): Promise<void> {
    const stored = await this.#parts.boundary.load(this.id);
    if (stored === undefined) {
      if (this.#isNew) return;
      const gone = this.#conflict(false);
      this.#end(gone);
      throw gone;
    }
    // One that begins with what was to make it was made by that: ids are never given twice.
    if (this.#isNew && beginsWith(stored.entries, this.#attempted)) this.#isNew = false;
    if (this.#isNew) {
      const taken = this.#conflict(true);
      this.#end(taken);
      throw taken;
    }
    const beyond = this.#records.beyond(stored.entries);
    if (beyond === undefined) {
      const other = this.#conflict(false);
      this.#end(other);
      throw other;
    }
    const added = this.#records.takeAll(beyond);
    if (added.length > 0) this.#tellAppended(added);
  }

  // --------------------------------------------------------------------------------------------------------- access

  #conflict(isNew: boolean): BoughError {
    const what = isNew ? 'there is another session of this id' : 'somebody else wrote to it, or deleted it';
    return new BoughError(
      'SessionConflict',
      `Nothing was written to session ${this.id}: ${what}. Open it again.`,
      {
        session: this.id,
      },
    );
  }

  /** The first reason stays. */
  #end(error: BoughError): void {
    if (!this.#standing.hasEnded) this.#standing.end('stale', error);
  }

  #tellAppended(placed: readonly PlacedEntry[]): void {
    this.#appended.tell(placed);
    this.#standing.tell();
  }
}
