/**
 * Keys as an index keeps them, to be found without a table of all: what has the form of an id lies in eight bytes, sorted;
 * whatever else a log may call something is few, and kept as it is.
 */
import type { SectionWriter, Sections } from './sections.js';

const ID = /^[0-9a-f]{16}$/;
const HALF = 8;

const firstHalf = (id: string): number => Number.parseInt(id.slice(0, HALF), 16);
const secondHalf = (id: string): number => Number.parseInt(id.slice(HALF), 16);

/** `keys` differ from each other. */
export function putKeys(sections: SectionWriter, name: string, keys: readonly string[]): void {
  const first = new Uint32Array(keys.length);
  const second = new Uint32Array(keys.length);
  const ids: number[] = [];
  const others: [index: number, key: string][] = [];
  keys.forEach((key, index) => {
    if (!ID.test(key)) {
      others.push([index, key]);
      return;
    }
    first[index] = firstHalf(key);
    second[index] = secondHalf(key);
    ids.push(index);
  });
  const order = Uint32Array.from(ids).sort(
    (a, b) => (first[a] ?? 0) - (first[b] ?? 0) || (second[a] ?? 0) - (second[b] ?? 0),
  );
  sections.numbers(`${name} first`, first);
  sections.numbers(`${name} second`, second);
  sections.numbers(`${name} order`, order);
  sections.json(`${name} other`, others);
}

export class StoredKeys {
  readonly #first: Uint32Array;
  readonly #second: Uint32Array;
  /** Indexes of those that have the form of an id, sorted by it. */
  readonly #order: Uint32Array;
  readonly #others: () => { indexes: ReadonlyMap<string, number>; keys: ReadonlyMap<number, string> };

  constructor(sections: Sections, name: string) {
    this.#first = sections.uint32(`${name} first`);
    this.#second = sections.uint32(`${name} second`);
    this.#order = sections.uint32(`${name} order`);
    this.#others = once(() => {
      const others = sections.json<[number, string][]>(`${name} other`);
      return { indexes: new Map(others.map(([index, key]) => [key, index])), keys: new Map(others) };
    });
  }

  get length(): number {
    return this.#first.length;
  }

  has(key: string): boolean {
    return this.indexOf(key) !== undefined;
  }

  indexOf(key: string): number | undefined {
    if (!ID.test(key)) return this.#others().indexes.get(key);
    const first = firstHalf(key);
    const second = secondHalf(key);
    let from = 0;
    for (let to = this.#order.length; from < to;) {
      const middle = (from + to) >>> 1;
      const index = this.#order[middle] as number;
      const order = (this.#first[index] as number) - first || (this.#second[index] as number) - second;
      if (order === 0) return index;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  /** Undefined for one that there is not. */
  at(index: number): string | undefined {
    const first = this.#first[index];
    if (first === undefined) return undefined;
    // All that have the form of an id: there is nothing else to be looked through.
    if (this.#order.length === this.length) return this.#idAt(index);
    return this.#others().keys.get(index) ?? this.#idAt(index);
  }

  #idAt(index: number): string {
    return hexOf(this.#first[index] ?? 0) + hexOf(this.#second[index] ?? 0);
  }

  *[Symbol.iterator](): Generator<string> {
    for (let index = 0; index < this.length; index++) yield this.at(index) ?? '';
  }
}

const hexOf = (half: number): string => half.toString(16).padStart(HALF, '0');

/** Made when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
