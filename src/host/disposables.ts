/** A bag of things to dispose of together, newest first. What is added after the end is disposed of at once. */
import type { Disposable } from '../ports.js';

export interface Bag extends Disposable {
  add<T extends Disposable>(thing: T): T;
}

export function createBag(): Bag {
  let things: Disposable[] | undefined = [];
  return {
    add(thing) {
      if (things) things.push(thing);
      else thing.dispose();
      return thing;
    },
    dispose() {
      const all = things ?? [];
      things = undefined;
      for (const thing of all.reverse()) thing.dispose();
    },
  };
}

/** A list of listeners. One that throws does not keep the others from hearing. */
export interface Signal<T> {
  on(listener: (value: T) => void): Disposable;
  fire(value: T): void;
}

export function createSignal<T>(onError: (error: unknown) => void): Signal<T> {
  const listeners = new Set<{ call: (value: T) => void }>();
  return {
    on(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return { dispose: () => void listeners.delete(entry) };
    },
    fire(value) {
      for (const { call } of [...listeners]) {
        try {
          call(value);
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}
