/** The lists of all places of a window, while their logs are read, as one. */
import type { ListProgress, ListReading } from '../../log/list-reading.js';
import type { Disposable } from '../../ports.js';
import { createBag, type Signal } from '../disposables.js';

export class ReadingLists implements Disposable {
  readonly #bag = createBag();
  readonly #lists = new Map<ListReading, ListProgress | null>();

  /** Told with each log that is read; null: none is being read any more. */
  constructor(private readonly changed: Signal<ListProgress | null>) {}

  on(listener: (progress: ListProgress | null) => void): Disposable {
    return this.changed.on(listener);
  }

  add(reading: ListReading): void {
    this.#lists.set(reading, null);
    this.#bag.add(
      reading.on((progress) => {
        this.#lists.set(reading, progress);
        this.changed.fire(this.#progress());
      }),
    );
  }

  #progress(): ListProgress | null {
    const all = [...this.#lists.values()].filter((progress) => progress !== null);
    if (all.length === 0) return null;
    return {
      read: all.reduce((sum, { read }) => sum + read, 0),
      of: all.reduce((sum, { of }) => sum + of, 0),
    };
  }

  stop(): void {
    for (const reading of this.#lists.keys()) reading.stop();
  }

  /** The next lists read what was left. */
  again(): void {
    for (const reading of this.#lists.keys()) reading.again();
  }

  /** How many logs were left. */
  get left(): number {
    return [...this.#lists.keys()].reduce((sum, { left }) => sum + left, 0);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}
