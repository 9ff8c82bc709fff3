/**
 * Which entries count for a line of the tree, each marked with the first node of the path that it counts for: a line that
 * goes on, or leaves the last one that was asked for, is marked from there and not from its root.
 */
import { ROOT } from './outline.js';
import type { Digest, SessionFacts } from './session-facts.js';
import type { PlacedNote } from './base.js';

/** Marks: none, of the whole session, of what stands before the first node; then by the node's place in the path. */
const SESSION = 1;
const BEFORE_FIRST = 2;

/** Something of the line that had no end, decision or start anywhere when it was looked for. */
interface Missing {
  mark: number;
  facts: 'ends' | 'decisions' | 'starts';
  key: string;
}

export class LineMarks {
  readonly #facts: Pick<SessionFacts, Missing['facts']>;
  #path: readonly number[] = [];
  #head = ROOT;
  #marks = new Int32Array(0);
  #size = 0;
  #sessionWide = 0;
  #missing: Missing[] = [];
  #mark = BEFORE_FIRST;

  constructor(facts: Pick<SessionFacts, Missing['facts']>) {
    this.#facts = facts;
  }

  /** Ordinals, root first. */
  get path(): readonly number[] {
    return this.#path;
  }

  /** How many entries there were when it was marked. */
  get size(): number {
    return this.#size;
  }

  isOf(head: number, size: number): boolean {
    return this.#head === head && this.#size === size;
  }

  /**
   * Turns to the path to `head`; what is marked of the path that both have stays. Returns from which place on its nodes
   * are to be marked (−1: what stands before the first): the last that both have goes on differently here.
   */
  turnTo(head: number, size: number, parentOf: (ordinal: number) => number): number {
    const ahead: number[] = [];
    let shared = this.#path.length;
    let at = head;
    for (; at !== ROOT; at = parentOf(at)) {
      while (shared > 0 && (this.#path[shared - 1] as number) > at) shared--;
      if (this.#path[shared - 1] === at) break;
      ahead.push(at);
    }
    // A root that is reached without meeting the path has nothing in common with it.
    if (at === ROOT) shared = 0;
    this.#path = this.#path.slice(0, shared).concat(ahead.reverse());
    this.#head = head;
    const from = shared - 1;
    this.#forget(markOf(from));
    this.#grow(size);
    return from;
  }

  #forget(from: number): void {
    for (let at = 0; at < this.#size; at++) if ((this.#marks[at] as number) >= from) this.#marks[at] = 0;
    this.#missing = this.#missing.filter(({ mark }) => mark < from);
  }

  #grow(size: number): void {
    if (size > this.#marks.length) {
      const marks = new Int32Array(Math.ceil(size * 1.25));
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#size = size;
  }

  /** Those that hold whatever the path, and what came since of what was missing. */
  markLater(sessionWide: readonly number[]): void {
    for (; this.#sessionWide < sessionWide.length; this.#sessionWide++)
      this.#marks[sessionWide[this.#sessionWide] as number] = SESSION;
    const missing = this.#missing;
    this.#missing = [];
    for (const { mark, facts, key } of missing) {
      this.#mark = mark;
      this.#markFact(facts, key);
    }
  }

  /** What is marked next is so for the node at this place of the path. */
  standAt(place: number): void {
    this.#mark = markOf(place);
  }

  mark(position: number): void {
    const before = this.#marks[position] as number;
    if (before === 0 || before > this.#mark) this.#marks[position] = this.#mark;
  }

  /** What a note on the line began may end or be decided anywhere in the file. */
  markEnd({ id, note }: PlacedNote): void {
    if (note?.type === 'turn_start') this.#markFact('ends', note.turn_id);
    else if (note?.type === 'approval_request') this.#markFact('decisions', id);
  }

  markCalls(calls: Digest['calls']): void {
    for (const { call_id } of calls) this.#markFact('starts', call_id);
  }

  #markFact(facts: Missing['facts'], key: string): void {
    const position = this.#facts[facts].position(key);
    if (position === undefined) this.#missing.push({ mark: this.#mark, facts, key });
    else this.mark(position);
  }

  has(position: number): boolean {
    return (this.#marks[position] ?? 0) !== 0;
  }

  /** What is marked, from `begin` on. */
  from(begin: number): number[] {
    const positions: number[] = [];
    for (let at = begin; at < this.#size; at++) if (this.#marks[at] !== 0) positions.push(at);
    return positions;
  }
}

const markOf = (place: number): number => BEFORE_FIRST + 1 + place;
