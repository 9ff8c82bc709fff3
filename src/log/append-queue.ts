/** Appends in the order they were asked for, gathered into groups: a burst becomes one write and one sync. */
import type { Draft, Entry } from '../shared/notes.js';
import type { AppendOptions } from './store.js';

/** What a store may do that others may not. */
export interface StoreAppendOptions extends AppendOptions {
  /** Name, tags and archived may be changed while the session is archived. */
  isArchivedAllowed?: boolean;
  /** It says nothing of when the session was worked in: the file keeps its time. */
  keepsTime?: boolean;
}

export interface AppendRequest {
  batch: readonly Draft[];
  options: StoreAppendOptions;
  resolve: (entries: Entry[]) => void;
  reject: (error: unknown) => void;
}

/** How many appends share a write at most. */
const GROUP_SIZE = 1_000;

export class AppendQueue {
  readonly #drain: (takeGroup: () => AppendRequest[]) => Promise<void>;
  #waiting: AppendRequest[] = [];
  #isDraining = false;

  /** `drain` takes groups until one is empty and settles every request it took. */
  constructor(drain: (takeGroup: () => AppendRequest[]) => Promise<void>) {
    this.#drain = drain;
  }

  add(batch: readonly Draft[], options: StoreAppendOptions): Promise<Entry[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, options, resolve, reject });
      if (this.#isDraining) return;
      this.#isDraining = true;
      this.#drain(() => this.#takeGroup()).catch(reject);
    });
  }

  #takeGroup(): AppendRequest[] {
    const group = this.#waiting.splice(0, GROUP_SIZE);
    this.#isDraining = group.length > 0;
    return group;
  }
}
