/**
 * A store as one owner sees it (an extension that uses the API): its own sessions, and nothing of anybody else's. The
 * person's own view is not scoped.
 */
import type { Disposable } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import type {
  Deletion,
  ForkOptions,
  ListQuery,
  SessionInit,
  SessionLog,
  SessionStore,
  SessionSummary,
  StoreAbilities,
} from './store.js';

type Owned = SessionStore & Pick<StoreAbilities, 'summary' | 'opened' | 'setTags' | 'fork' | 'importCopy'>;

export class OwnedStore implements Owned {
  readonly #inner: Owned;
  readonly #owner: string;
  /** Sessions known to be this owner's: a change of one that is not is told to nobody. */
  readonly #own = new Set<string>();

  constructor(inner: Owned, owner: string) {
    this.#inner = inner;
    this.#owner = owner;
  }

  async create(init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    return this.#mine(await this.#inner.create(this.own(init), signal));
  }

  async open(id: string, signal?: AbortSignal): Promise<SessionLog> {
    await this.#check(id);
    return this.admit(await this.#inner.open(id, signal));
  }

  async openOrCreate(id: string, init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    await this.#check(id);
    return this.admit(await this.#inner.openOrCreate(id, this.own(init), signal));
  }

  async list(query: ListQuery = {}): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    const page = await this.#inner.list({ ...query, ...this.own(query) });
    for (const { id } of page.sessions) this.#own.add(id);
    return page;
  }

  async summary(id: string): Promise<SessionSummary | undefined> {
    const row = await this.#inner.summary(id);
    if (row !== undefined && row.owner !== this.#owner) throw this.#denied(id);
    return row;
  }

  opened(id: string): SessionLog | undefined {
    const log = this.#inner.opened(id);
    return log === undefined ? undefined : this.admit(log);
  }

  async rename(id: string, name: string, signal?: AbortSignal): Promise<void> {
    await this.#check(id);
    await this.#inner.rename(id, name, signal);
  }

  async setTags(id: string, tags: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#check(id);
    await this.#inner.setTags(id, tags, signal);
  }

  async archive(id: string, signal?: AbortSignal): Promise<void> {
    await this.#check(id);
    await this.#inner.archive(id, signal);
  }

  async unarchive(id: string, signal?: AbortSignal): Promise<void> {
    await this.#check(id);
    await this.#inner.unarchive(id, signal);
  }

  async fork(id: string, options: ForkOptions = {}): Promise<SessionLog> {
    await this.#check(id);
    return this.#mine(await this.#inner.fork(id, { ...options, ...this.own(options) }));
  }

  async importCopy(source: SessionLog, init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    this.admit(source);
    return this.#mine(await this.#inner.importCopy(source, this.own(init), signal));
  }

  async delete(id: string, signal?: AbortSignal): Promise<Deletion> {
    await this.#check(id);
    return this.#inner.delete(id, signal);
  }

  onChange(listener: (id: string) => void): Disposable {
    return this.#inner.onChange((id) => {
      if (this.#own.has(id)) listener(id);
    });
  }

  /** What is shared stays open: it is closed by whoever made it. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** One that is not written yet is in no list; its header says whose it is. @throws BoughError AccessDenied */
  admit(log: SessionLog): SessionLog {
    if (log.header.owner !== this.#owner) throw this.#denied(log.id);
    return this.#mine(log);
  }

  /** The same as this owner's. @throws BoughError AccessDenied for what is asked for another */
  own<T extends { owner?: string }>(given: T): T & { owner: string } {
    if (given.owner !== undefined && given.owner !== this.#owner)
      throw new BoughError('AccessDenied', `${this.#owner} cannot act for ${given.owner}.`);
    return { ...given, owner: this.#owner };
  }

  /** One that is not there is nobody's; of one that is open and not written yet, only its handle says whose it is. */
  async #check(id: string): Promise<void> {
    this.opened(id);
    await this.summary(id);
    this.opened(id); // who waits for the disk may be overtaken by who begins one
  }

  #mine(log: SessionLog): SessionLog {
    this.#own.add(log.id);
    return log;
  }

  #denied(id: string): BoughError {
    return new BoughError('AccessDenied', `The session ${id} does not belong to ${this.#owner}.`);
  }
}
