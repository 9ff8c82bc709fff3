/**
 * Who holds what within this process. One table is shared by all stores, so that two of them on the same folder exclude
 * each other as two processes do.
 */
import type { Holder } from './store.js';

export class LockTable {
  readonly #held = new Map<string, Holder | null>();

  /** True when `key` is held from now on. A `holder` of null is one that will be done in a moment. */
  tryTake(key: string, holder: Holder | null): boolean {
    if (this.#held.has(key)) return false;
    this.#held.set(key, holder);
    return true;
  }

  /** Undefined when `key` is free. */
  holder(key: string): Holder | null | undefined {
    return this.#held.get(key);
  }

  name(key: string, holder: Holder | null): void {
    if (this.#held.has(key)) this.#held.set(key, holder);
  }

  release(key: string): void {
    this.#held.delete(key);
  }
}
