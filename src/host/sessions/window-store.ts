/**
 * All sessions this window can show, as one store: those of its folders (each in a store of its own), those kept in memory
 * only, and logs opened from elsewhere. A session belongs to the store that has it; a new one to the first folder's.
 */
import path from 'node:path';
import type {
  DeletedSession,
  Deletion,
  ForkOptions,
  Holder,
  ListQuery,
  OnRead,
  SessionInit,
  SessionLog,
  SessionStore,
  SessionSummary,
} from '../../log/store.js';
import type {
  PruneOptions,
  PrunePolicy,
  PruneReport,
  VerifyOptions,
  VerifyReport,
} from '../../log/upkeep.js';
import type { Disposable } from '../../ports.js';
import { BoughError, isBoughError } from '../../shared/failure.js';
import { createSignal, type Signal } from '../disposables.js';
import { mergeLists } from './merge-lists.js';
import { has, messageOf, unable, type Place, type WholeStore } from './place.js';
import { pruneEach } from './prune-places.js';
import { ReadingLists } from './reading-lists.js';

export type { Place, WholeStore } from './place.js';

/** A session in the trash of one of the places, and the way back. */
export interface Restorable extends DeletedSession {
  restore: () => Promise<string>;
}

export interface WindowStoreParts {
  first: Place;
  memory: WholeStore;
  freshId: () => string;
  onError: (error: unknown) => void;
  /** Takes keys out of names, which are kept and shown like all else. */
  clean: (text: string) => string;
}

const NOTHING_PRUNED: PruneReport = { sessions: [], goals: [], results: [], bytes: 0, kept: [] };

export class WindowStore implements SessionStore {
  /** Those listed, the first folder's first. */
  #places: readonly Place[];
  /** Listed or not: a session that is open outlives the folder that was removed from the window. */
  readonly #known = new Map<string, Place>();
  #registered: readonly Place[] = [];
  readonly #begun = new Map<string, Place>();
  readonly #ephemeral = new Set<string>();
  /** Opened from elsewhere, by id. */
  readonly #files = new Set<string>();
  /** Those of them that can be opened by their path again, which is their id. */
  readonly #paths = new Set<string>();
  readonly #changed: Signal<string>;
  readonly #listening: Disposable[] = [];
  /** Of the logs that lists have to read. */
  readonly reading: ReadingLists;
  /** Of those that another extension took back: closed with the window, since what is open of them stays so. */
  readonly #takenBack: Place[] = [];
  /** What is wrong with a place, by its key, is told once, however often it is asked, until it works again. */
  readonly #told = new Map<string, string>();
  #failing: readonly string[] = [];
  /** How often the folders changed. */
  #follows = 0;

  constructor(private readonly parts: WindowStoreParts) {
    this.#places = [parts.first];
    this.#changed = createSignal(parts.onError);
    this.reading = new ReadingLists(createSignal(parts.onError));
    this.#listening.push(this.reading);
    this.#listening.push(parts.memory.onChange((id) => this.#changed.fire(id)));
    this.#know(parts.first);
  }

  get first(): Place {
    return this.parts.first;
  }

  get places(): readonly Place[] {
    return this.#places;
  }

  /**
   * The folders of the window changed; the first one stays. When they change again while they are read, what is read last
   * counts, however long each takes.
   */
  async follow(read: () => Promise<readonly Place[]>): Promise<void> {
    const turn = ++this.#follows;
    const others = await read();
    if (turn !== this.#follows) return;
    for (const place of others) this.#know(place);
    this.#places = [this.parts.first, ...others.filter(({ key }) => key !== this.parts.first.key)];
  }

  /** A place whose sessions can be opened here without being listed. */
  visit(place: Place): Place {
    const known = this.#known.get(place.key);
    if (known) return known;
    this.#know(place);
    return place;
  }

  /** The sessions of another extension's store are listed beside those of the folders. */
  register(place: Place): Disposable {
    this.#know(place);
    this.#registered = [...this.#registered, place];
    return {
      dispose: () => {
        if (!this.#registered.includes(place)) return;
        this.#registered = this.#registered.filter((other) => other !== place);
        // Asked no more; what was begun there is still found by its id.
        this.#known.delete(place.key);
        this.#takenBack.push(place);
      },
    };
  }

  /** The store that another extension registered last. */
  get registered(): Place | undefined {
    return this.#registered.at(-1);
  }

  /** A session of this id, which is nowhere yet, is to begin there. */
  beginIn(place: Place, id: string): void {
    this.#begun.set(id, place);
  }

  visited(key: string): Place | undefined {
    return this.#known.get(key);
  }

  /** An id whose session will be in memory only. */
  ephemeralId(wanted?: string): string {
    const id = wanted ?? this.parts.freshId();
    this.#ephemeral.add(id);
    return id;
  }

  isEphemeral(id: string): boolean {
    return this.#ephemeral.has(id);
  }

  /** It can be found again by its id in another window, or after a reload. */
  isKept(id: string): boolean {
    const begun = this.#begun.get(id);
    const isOnDisk = begun === undefined || begun.logs !== undefined;
    return isOnDisk && !this.#ephemeral.has(id) && !this.#files.has(id);
  }

  /** Of a session that is to begin in another place than the first. */
  folderOf(id: string): string | undefined {
    return this.#begun.get(id)?.folder;
  }

  /** Its log was opened from elsewhere. */
  isForeign(id: string): boolean {
    return this.#files.has(id);
  }

  /** The file of a session outside of all places, which is not in the list. */
  fileOf(id: string): string | undefined {
    return this.#paths.has(id) ? id : undefined;
  }

  /**
   * Shown before this window began. A path that is no session of a place is a log that was opened from elsewhere: whether
   * it is there still, opening it says.
   */
  async recall(id: string): Promise<void> {
    if (!path.isAbsolute(id) || (await this.summary(id)) !== undefined) return;
    this.#files.add(id);
    this.#paths.add(id);
  }

  /** The place that has this session; the first when none has it yet. One that cannot tell keeps none from the others. */
  async placeOf(id: string): Promise<Place> {
    const begun = this.#begun.get(id);
    if (begun) return begun;
    if (this.#known.size > 1) {
      for (const place of this.#known.values()) if (await this.#hasIt(place, id)) return place;
    }
    return this.parts.first;
  }

  create(init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    return this.parts.first.store.create(this.#clean(init), signal);
  }

  async open(id: string, signal?: AbortSignal, onRead?: OnRead): Promise<SessionLog> {
    if (this.#paths.has(id)) return this.#openAgain(id, signal);
    return (await this.#of(id)).open(id, signal, onRead);
  }

  async openOrCreate(id: string, init?: SessionInit, signal?: AbortSignal): Promise<SessionLog> {
    return (await this.#of(id)).openOrCreate(id, init && this.#clean(init), signal);
  }

  /** A log wherever it lies. */
  async openFile(file: string, signal?: AbortSignal): Promise<SessionLog> {
    const { store } = this.parts.first;
    const log = await (store.openFile?.(file, signal) ?? unable('open a file'));
    if (await has(store, log.id)) return log;
    this.#files.add(log.id);
    if (log.file === log.id) this.#paths.add(log.id);
    return log;
  }

  /** By its path; that there is no log any more is trouble with this session, not with what was asked. */
  async #openAgain(file: string, signal?: AbortSignal): Promise<SessionLog> {
    try {
      return await this.openFile(file, signal);
    } catch (error) {
      if (!isBoughError(error, 'InvalidArgument')) throw error;
      throw new BoughError('LogDamaged', error.message, error.data, { cause: error });
    }
  }

  /** A log of another storage folder, only to be read, for the reason that `why` gives. */
  async openToRead(file: string, why: string): Promise<SessionLog> {
    const { store } = this.parts.first;
    const log = await (store.openToRead?.(file, why) ?? unable('open a file'));
    this.#files.add(log.id);
    return log;
  }

  /** Its live handle, whichever store it is of. */
  opened(id: string): SessionLog | undefined {
    const stores = [this.parts.memory, ...[...this.#known.values()].map(({ store }) => store)];
    return stores.map((store) => store.opened?.(id)).find((log) => log !== undefined);
  }

  /** Its row; undefined when it is not listed, or its store cannot tell. */
  async summary(id: string): Promise<SessionSummary | undefined> {
    return (await this.#of(id)).summary?.(id);
  }

  /** Who works in it in another window. */
  async holder(id: string): Promise<Holder | null> {
    return (await (await this.#of(id)).holder?.(id)) ?? null;
  }

  async list(query: ListQuery = {}): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    const places = [...this.#places, ...this.#registered];
    const all = [...this.#places.map(({ store }) => store), ...this.besideFolders()];
    const failing = new Map<string, unknown>();
    const page = await mergeLists(all, query, (index, error) =>
      failing.set(places[index]?.key ?? 'memory', error),
    );
    for (const { key } of places) if (!failing.has(key)) this.#told.delete(key);
    for (const [key, error] of failing) this.#tell(key, error);
    this.#failing = [...failing.values()].map(messageOf);
    return page;
  }

  /** Stores of other extensions, and what is in memory. */
  besideFolders(): WholeStore[] {
    const registered = this.#registered.map(({ store }) => store);
    return this.#ephemeral.size > 0 ? [...registered, this.parts.memory] : registered;
  }

  /** Why some sessions were not in the list that was given last. */
  get failing(): readonly string[] {
    return this.#failing;
  }

  async rename(id: string, name: string, signal?: AbortSignal): Promise<void> {
    await (await this.#of(id)).rename(id, this.parts.clean(name), signal);
  }

  async setTags(id: string, tags: readonly string[], signal?: AbortSignal): Promise<void> {
    const store = await this.#of(id);
    const cleaned = tags.map((tag) => this.parts.clean(tag));
    await (store.setTags?.(id, cleaned, signal) ?? unable('tag a session'));
  }

  async archive(id: string, signal?: AbortSignal): Promise<void> {
    await (await this.#of(id)).archive(id, signal);
  }

  async unarchive(id: string, signal?: AbortSignal): Promise<void> {
    await (await this.#of(id)).unarchive(id, signal);
  }

  async delete(id: string, signal?: AbortSignal): Promise<Deletion> {
    return (await this.#of(id)).delete(id, signal);
  }

  /** The copy is where the original is. */
  async fork(id: string, options: ForkOptions = {}): Promise<SessionLog> {
    const store = await this.#of(id);
    const copy = await (store.fork?.(id, this.#clean(options)) ?? unable('fork a session'));
    if (this.#ephemeral.has(id)) this.#ephemeral.add(copy.id);
    return copy;
  }

  /** The copy is a session of the first folder. */
  async importCopy(source: SessionLog, init?: SessionInit, signal?: AbortSignal): Promise<SessionLog> {
    const { store } = this.parts.first;
    return store.importCopy?.(source, init && this.#clean(init), signal) ?? unable('take in a copy');
  }

  /** What the trash of each place holds, the newest first; where there is none, nothing. */
  async deleted(): Promise<Restorable[]> {
    const stores = [...this.#places.map(({ store }) => store), this.parts.memory];
    const found = await Promise.all(
      stores.map(async (store): Promise<Restorable[]> =>
        ((await store.deleted?.()) ?? []).map((one) => ({
          ...one,
          restore: () => store.restore?.(one.key) ?? unable('bring back a session'),
        })),
      ),
    );
    return found.flat().sort((a, b) => b.deleted - a.deleted);
  }

  /** What is deleted of it is kept for a while. */
  async hasTrash(id: string): Promise<boolean> {
    return (await this.#of(id)).deleted !== undefined;
  }

  verify(options?: VerifyOptions): Promise<VerifyReport[]> {
    return Promise.all(
      this.#places.map(({ store }) => store.verify?.(options) ?? unable('look through its sessions')),
    );
  }

  /** In all folders and in these stores. When one fails, what it fails with says what was deleted in the others. */
  prune(
    policy: PrunePolicy,
    options?: PruneOptions,
    beside: readonly WholeStore[] = [],
  ): Promise<PruneReport[]> {
    const folders = this.#places.map(
      ({ store }) => store.prune?.(policy, options) ?? unable('delete by age'),
    );
    // One that throws at once fails as one that does later.
    const others = beside.map(async (store) => (await store.prune?.(policy, options)) ?? NOTHING_PRUNED);
    return pruneEach([...folders, ...others], options?.dryRun);
  }

  onChange(listener: (id: string) => void): Disposable {
    return this.#changed.on(listener);
  }

  async close(): Promise<void> {
    for (const listening of this.#listening) listening.dispose();
    const stores = [...this.#known.values(), ...this.#takenBack].map(({ store }) => store);
    await Promise.all([...stores, this.parts.memory].map((store) => store.close()));
  }

  #know(place: Place): void {
    if (this.#known.has(place.key)) return;
    this.#known.set(place.key, place);
    this.#listening.push(place.store.onChange((id) => this.#changed.fire(id)));
    if (place.store.reading !== undefined) this.reading.add(place.store.reading);
  }

  async #hasIt(place: Place, id: string): Promise<boolean> {
    try {
      return await has(place.store, id);
    } catch (error) {
      this.#tell(place.key, error);
      return false;
    }
  }

  #tell(key: string, error: unknown): void {
    const message = messageOf(error);
    if (this.#told.get(key) === message) return;
    this.#told.set(key, message);
    this.parts.onError(error);
  }

  #clean<T extends { title?: string }>(named: T): T {
    return named.title === undefined ? named : { ...named, title: this.parts.clean(named.title) };
  }

  async #of(id: string): Promise<WholeStore> {
    if (this.#ephemeral.has(id)) return this.parts.memory;
    if (this.#files.has(id)) return this.parts.first.store;
    return (await this.placeOf(id)).store;
  }
}
