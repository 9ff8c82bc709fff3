/**
 * The logs that a list has to read, which may be ten thousand on a slow disk: how far it is, and an end to it when the person
 * has had enough. What was left then is not read by the lists that follow, unless it changed, until it is asked for.
 */
import type { Disposable, FileStat } from '../ports.js';
import { inParallel } from './in-parallel.js';
import { Listeners } from './listeners.js';

const READS_AT_ONCE = 2;

/** How many of the logs that have to be read were. */
export interface ListProgress {
  read: number;
  of: number;
}

export interface Readable {
  name: string;
  stat: FileStat;
}

export class ListReading {
  readonly #listeners = new Listeners<ListProgress | null>();
  #left: ReadonlyMap<string, FileStat> = new Map();
  #isStopped = false;
  /** While logs are read: what is left of them is not to stay so. */
  #isAsked = false;

  /** Told with each log that is read; null: it is over, or another number of logs is left. */
  on(listener: (progress: ListProgress | null) => void): Disposable {
    return this.#listeners.add(listener);
  }

  /** Ends what is being read, if anything is. */
  stop(): void {
    this.#isStopped = true;
    this.#isAsked = false;
  }

  /** The next list reads what was left. */
  again(): void {
    this.#left = new Map();
    this.#isAsked = true;
  }

  /** All logs that are there are known as they are. */
  done(): void {
    if (this.#left.size === 0) return;
    this.#left = new Map();
    this.#listeners.tell(null);
  }

  /** How many logs were left. */
  get left(): number {
    return this.#left.size;
  }

  /** Returns those that are left. `isWhole`: none may be. */
  async each<T extends Readable>(
    logs: readonly T[],
    isWhole: boolean,
    read: (log: T) => Promise<void>,
  ): Promise<T[]> {
    const before = this.#left;
    this.#isStopped = false;
    this.#isAsked = false;
    const left: T[] = [];
    const wanted: T[] = [];
    for (const log of logs) {
      const isLeft = !isWhole && isSame(log.stat, before.get(log.name));
      (isLeft ? left : wanted).push(log);
    }
    let count = 0;
    try {
      await inParallel(READS_AT_ONCE, wanted, async (log) => {
        if (this.#isStopped && !isWhole) {
          left.push(log);
          return;
        }
        await read(log);
        this.#listeners.tell({ read: ++count, of: wanted.length });
      });
      if (!this.#isAsked) this.#left = new Map(left.map(({ name, stat }) => [name, stat]));
    } finally {
      if (count > 0 || this.#left.size !== before.size) this.#listeners.tell(null);
    }
    return left;
  }
}

const isSame = (stat: FileStat, other: FileStat | undefined): boolean =>
  other !== undefined && stat.size === other.size && stat.mtime === other.mtime;
