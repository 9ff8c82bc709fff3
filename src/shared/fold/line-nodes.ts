/** The nodes of one line, found where they are: what is looked for costs no walk through all of a long line. */
import { ROOT, type Outline, type SeldomType } from './outline.js';
import { placeIn } from './place-in.js';
import type { OutlineNode } from './types.js';

export class LineNodes {
  readonly #outline: Outline;
  readonly #path: readonly number[];

  /** `path`: ordinals, root first. */
  constructor(outline: Outline, path: readonly number[]) {
    this.#outline = outline;
    this.#path = path;
  }

  get length(): number {
    return this.#path.length;
  }

  /** Root first, from 0. */
  at(place: number): OutlineNode | undefined {
    return this.#outline.node(this.#path[place] ?? ROOT);
  }

  /** −1 for what is not on the line. */
  placeOf(id: string): number {
    const ordinal = this.#outline.ordinal(id);
    return ordinal === ROOT ? -1 : this.#placeOf(ordinal);
  }

  /** Places of the nodes of this type before `until`, the last one first. */
  *ofType(type: SeldomType, until = this.length): Generator<number> {
    const ordinals = this.#outline.ofType(type);
    for (let at = ordinals.length - 1; at >= 0; at--) {
      const place = this.#placeOf(ordinals[at] as number);
      if (place !== -1 && place < until) yield place;
    }
  }

  /** Parents stand before their children, so that ordinals grow along a line. */
  #placeOf(ordinal: number): number {
    return placeIn(this.#path, ordinal);
  }
}
