/** A log in memory that a test can read batch by batch, fail at any append, and open again as another process would. */
import { createHash } from 'node:crypto';
import type {
  Access,
  AppendOptions,
  Blobs,
  Holder,
  JournalHead,
  Lease,
  PlacedEntry,
  SessionLog,
  StreamJournal,
} from '../../../src/log/store.js';
import type { Clock, Disposable } from '../../../src/ports.js';
import type { ConversationEntry, Header } from '../../../src/shared/entry.js';
import { BoughError } from '../../../src/shared/failure.js';
import { SessionFold } from '../../../src/shared/fold/session-fold.js';
import type { OutlineNode, PathState } from '../../../src/shared/fold/types.js';
import {
  entrySchemas,
  isConversation,
  isKnownType,
  type Draft,
  type Entry,
} from '../../../src/shared/notes.js';

/** What outlives a process. */
export class FakeDisk {
  readonly batches: Entry[][] = [];
  readonly blobs = new Map<string, Uint8Array>();
  journal: { head: JournalHead; text: string; reasoning: string } | null = null;
  holder: Holder | null = null;
  #ids = 0;

  newId(): string {
    this.#ids += 1;
    return this.#ids.toString(16).padStart(16, '0');
  }

  get entries(): Entry[] {
    return this.batches.flat();
  }
}

export class FakeLog implements SessionLog {
  readonly id = 'session';
  readonly header: Header = { type: 'session', version: 4, id: 'session' };
  readonly file = undefined;
  access: Access = { mode: 'write' };
  readonly damage = [];
  readonly #disk: FakeDisk;
  readonly #clock: Clock;
  readonly #fold = new SessionFold();
  readonly #entries: Entry[] = [];
  readonly #listeners = new Set<(placed: readonly PlacedEntry[]) => void>();
  #queue: Promise<unknown> = Promise.resolve();
  /** How many leases this handle holds. */
  leases = 0;
  /** Asked before each append: an error fails it. */
  refuse: (batch: readonly Draft[]) => BoughError | null = () => null;
  /** Awaited before each append is done. */
  slow: () => Promise<void> = () => Promise.resolve();

  #isDead = false;

  /** The process is gone: nothing of it reaches the disk any more. */
  kill(): void {
    this.#isDead = true;
  }

  constructor(disk: FakeDisk, clock: Clock) {
    this.#disk = disk;
    this.#clock = clock;
    for (const entry of disk.entries) this.#take(entry);
  }

  get position(): number {
    return this.#fold.position;
  }
  get head(): string | null {
    return this.#fold.head;
  }
  get outline(): readonly OutlineNode[] {
    return this.#fold.outline;
  }

  readonly blobs: Blobs = {
    put: (data) => {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
      const hash = createHash('sha256').update(bytes).digest('hex');
      this.#disk.blobs.set(hash, bytes);
      return Promise.resolve(hash);
    },
    get: (hash) => {
      const bytes = this.#disk.blobs.get(hash);
      if (bytes === undefined) return Promise.reject(new BoughError('LogDamaged', `no blob ${hash}`));
      return Promise.resolve(bytes);
    },
    has: (hash) => Promise.resolve(this.#disk.blobs.has(hash)),
  };

  readonly journal: StreamJournal = {
    begin: (head) => {
      this.#disk.journal = { head, text: '', reasoning: '' };
      return Promise.resolve();
    },
    add: ({ text, reasoning }) => {
      const { journal } = this.#disk;
      if (journal === null || this.#isDead) return;
      this.#disk.journal = {
        ...journal,
        text: journal.text + (text ?? ''),
        reasoning: journal.reasoning + (reasoning ?? ''),
      };
    },
    flush: () => Promise.resolve(),
    end: () => {
      this.#disk.journal = null;
      return Promise.resolve();
    },
    read: () => Promise.resolve(this.#disk.journal),
  };

  state(head?: string | null): PathState {
    return this.#fold.state(head);
  }
  path(head?: string | null): Promise<ConversationEntry[]> {
    const ids = new Set(this.#fold.pathIds(head));
    return Promise.resolve(this.#entries.filter(isConversation).filter(({ id }) => ids.has(id)));
  }
  line(head?: string | null): Promise<PlacedEntry[]> {
    const placed = this.#fold.linePositions(head).flatMap((position) => {
      const entry = this.#entries[position];
      return entry === undefined ? [] : [{ position, entry }];
    });
    return Promise.resolve(placed);
  }
  entry(id: string): Promise<Entry | undefined> {
    return Promise.resolve(this.#entries.find((entry) => entry.id === id));
  }
  since(position: number): Promise<PlacedEntry[]> {
    return Promise.resolve(this.#entries.map((entry, at) => ({ position: at, entry })).slice(position));
  }

  append(batch: readonly Draft[], options: AppendOptions = {}): Promise<Entry[]> {
    const work = this.#queue.then(() => this.#append(batch, options));
    this.#queue = work.catch(() => undefined);
    return work;
  }

  async #append(batch: readonly Draft[], options: AppendOptions): Promise<Entry[]> {
    await this.slow();
    if (this.#isDead) await new Promise<never>(() => undefined);
    const refusal = this.refuse(batch);
    if (refusal !== null) throw refusal;
    if (options.expectedHead !== undefined && options.expectedHead !== this.head) {
      throw new BoughError('SessionConflict', 'The head has moved.');
    }
    let head = this.head;
    const entries = batch.map((draft): Entry => {
      const entry = {
        ...draft,
        id: draft.id ?? this.#disk.newId(),
        parent_id: draft.parent_id === undefined ? head : draft.parent_id,
        timestamp: new Date(this.#clock.now()).toISOString(),
      } as Entry;
      if (isKnownType(entry.type)) entrySchemas[entry.type].parse(entry);
      if (isConversation(entry)) head = entry.id;
      if (entry.type === 'head') head = entry.entry_id;
      return structuredClone(entry);
    });
    if (entries.length === 0) throw new Error('an empty batch was appended');
    this.#disk.batches.push(entries);
    this.#tell(entries);
    return entries;
  }

  #tell(entries: readonly Entry[]): void {
    const placed = entries.map((entry) => ({ position: this.#take(entry), entry }));
    for (const listener of [...this.#listeners]) listener(placed);
  }

  #take(entry: Entry): number {
    const position = this.#entries.length;
    this.#entries.push(entry);
    this.#fold.add(entry, position);
    return position;
  }

  async acquire(): Promise<Lease> {
    const { holder } = this.#disk;
    if (holder !== null) {
      throw new BoughError('Locked', `The session is in use by window ${holder.window}.`, {
        holder: holder.window,
      });
    }
    await this.catchUp();
    this.leases += 1;
    let isHeld = true;
    return {
      session: this.id,
      dispose: () => {
        if (isHeld) this.leases -= 1;
        isHeld = false;
      },
    };
  }
  holder(): Promise<Holder | null> {
    return Promise.resolve(this.#disk.holder);
  }
  catchUp(): Promise<void> {
    const missing = this.#disk.entries.slice(this.#entries.length);
    if (missing.length > 0) this.#tell(missing);
    return Promise.resolve();
  }
  onAppend(listener: (placed: readonly PlacedEntry[]) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }
  onAccess(): Disposable {
    return { dispose: () => undefined };
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const diskFull = (): BoughError =>
  new BoughError('StorageFailure', 'The log could not be written: no space left on /data.', {
    errno: 'ENOSPC',
  });
