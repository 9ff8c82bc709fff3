/** Those who want to be told. What is written is written: one that throws is a bug of its own and stops nobody else. */
import type { Disposable } from '../ports.js';

export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Disposable {
    // The same function may be added twice; each time it is its own.
    const own = (value: T): void => listener(value);
    this.#all.add(own);
    return { dispose: () => this.#all.delete(own) };
  }

  tell(value: T): void {
    for (const listener of this.#all) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
