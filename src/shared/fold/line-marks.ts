/**
 * Which entries count for a line of the tree, each marked with the first node of the path that it counts for: a line that
 * goes on, or leaves the last one that was asked for, is marked from there and not from its root, and one whose end is asked
 * for no further back than that takes.
 */
import { ROOT } from './outline.js';
import type { Digest, SessionFacts } from './session-facts.js';
import type { PlacedNote } from './base.js';

/** Marks: none, of the whole session, of what stands before the first node; then by the node's place in the path. */
const SESSION = 1;
const BEFORE_FIRST = 2;

/** So many of a page's entries are looked for with each node at first: those of a step are several. */
const ENTRIES_OF_A_NODE = 4;

/** Something of the line that had no end, decision or start anywhere when it was looked for. */
interface Missing {
  mark: number;
  facts: 'ends' | 'decisions' | 'starts';
  key: string;
}

/** The tree whose lines are marked. */
export interface LineSource {
  readonly facts: Pick<SessionFacts, Missing['facts'] | 'added'>;
  /** Positions of what holds whatever the path; only ever grows. */
  readonly sessionWide: readonly number[];
  parentOf(ordinal: number): number;
  /** Infinity for none. */
  positionOf(ordinal: number | undefined): number;
  /** Marks the notes on a node before `until`, and what stands elsewhere of what they and its calls began. */
  markNode(ordinal: number, until: number): void;
  /**
   * The last position that is marked for the node or one above it, what stands on them apart: −1 for none, Infinity where
   * that is not known.
   */
  reachOf(ordinal: number): number;
}

export class LineMarks {
  readonly #source: LineSource;
  #path: readonly number[] = [];
  #head = ROOT;
  /** Place in the path from which on it is marked; −1 when all is, what stands before the first node included. */
  #begun = 0;
  #marks = new Int32Array(0);
  /** Marked positions that stand before the node they were marked for. */
  #early: number[] = [];
  #size = 0;
  #sessionWide = 0;
  #missing: Missing[] = [];
  /** How many ends, decisions and starts there were when they were looked for. */
  #added = 0;
  #mark = BEFORE_FIRST;
  /** Position of the node that is being marked. */
  #stands = 0;

  constructor(source: LineSource) {
    this.#source = source;
  }

  /** Ordinals, root first: a list of its own for each line. */
  get path(): readonly number[] {
    return this.#path;
  }

  /** Turns to the line to `head` among the first `size` entries; what is marked of the path that both have stays. */
  turnTo(head: number, size: number): void {
    if (this.#head === head && this.#size === size) return;
    // The last node that both have goes on differently here.
    const from = this.#turnPath(head) - 1;
    this.#grow(size);
    this.#markLater();
    if (from === ROOT || this.#begun > from) this.#begun = this.#path.length;
    else for (let place = from; place < this.#path.length; place++) this.#markPlace(place);
  }

  /** Returns how many nodes both paths have in common; nothing is marked for others any more. */
  #turnPath(head: number): number {
    const before = this.#path;
    const ahead: number[] = [];
    let shared = before.length;
    let at = head;
    for (; at !== ROOT; at = this.#source.parentOf(at)) {
      while (shared > 0 && (before[shared - 1] as number) > at) shared--;
      if (before[shared - 1] === at) break;
      ahead.push(at);
    }
    // A root that is reached without meeting the path has nothing in common with it.
    if (at === ROOT) shared = 0;
    const first = Math.max(shared - 1, this.#begun);
    this.#forget(markOf(shared - 1), first === ROOT ? 0 : this.#source.positionOf(before[first]));
    this.#path = before.slice(0, shared).concat(ahead.reverse());
    this.#head = head;
    return shared;
  }

  /** Marks from this one on, none of which stands before position `first` but those that are kept as such. */
  #forget(mark: number, first: number): void {
    const marks = this.#marks;
    for (let at = first; at < this.#size; at++) if ((marks[at] as number) >= mark) marks[at] = 0;
    this.#early = this.#early.filter((at) => {
      if ((marks[at] as number) >= mark) marks[at] = 0;
      return marks[at] !== 0;
    });
    this.#missing = this.#missing.filter((missing) => missing.mark < mark);
  }

  #grow(size: number): void {
    if (size > this.#marks.length) {
      const marks = new Int32Array(Math.ceil(size * 1.25));
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#size = size;
  }

  /** What holds whatever the path, and what came since of what was missing. */
  #markLater(): void {
    const { sessionWide } = this.#source;
    for (; this.#sessionWide < sessionWide.length; this.#sessionWide++)
      this.#marks[sessionWide[this.#sessionWide] as number] = SESSION;
    const { facts } = this.#source;
    // Most of what comes is none of them, and calls that only read never start: there may be very many.
    if (facts.added === this.#added) return;
    this.#added = facts.added;
    this.#stands = 0;
    this.#missing = this.#missing.filter((missing) => {
      const position = facts[missing.facts].positionAdded(missing.key);
      if (position === undefined) return true;
      this.#mark = missing.mark;
      this.mark(position);
      return false;
    });
  }

  #markPlace(place: number): void {
    const source = this.#source;
    const ordinal = place === ROOT ? ROOT : (this.#path[place] as number);
    this.#mark = markOf(place);
    this.#stands = place === ROOT ? 0 : source.positionOf(ordinal);
    if (place !== ROOT) this.mark(this.#stands);
    source.markNode(ordinal, source.positionOf(this.#path[place + 1]));
  }

  /** Marks as much of the path as it takes to know of everything that stands at or behind `position`. */
  #markFrom(position: number): void {
    const least = this.#placeAt(position);
    while (this.#begun > least) this.#markPlace(--this.#begun);
    // What stands there may have been begun by nodes far before.
    while (this.#begun > ROOT && this.#reachBefore(this.#begun) >= position) this.#markPlace(--this.#begun);
  }

  #reachBefore(place: number): number {
    return this.#source.reachOf(place === 0 ? ROOT : (this.#path[place - 1] as number));
  }

  /** Place of the last node of the path that does not stand behind `position`; −1 when all do. */
  #placeAt(position: number): number {
    let from = 0;
    for (let to = this.#path.length; from < to;) {
      const middle = (from + to) >>> 1;
      if (this.#source.positionOf(this.#path[middle]) > position) to = middle;
      else from = middle + 1;
    }
    return from - 1;
  }

  mark(position: number): void {
    const before = this.#marks[position] as number;
    if (before !== 0 && before <= this.#mark) return;
    if (before === 0 && position < this.#stands) this.#early.push(position);
    this.#marks[position] = this.#mark;
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
    const position = this.#source.facts[facts].position(key);
    if (position === undefined) this.#missing.push({ mark: this.#mark, facts, key });
    else this.mark(position);
  }

  /** Positions of the line from `begin` on, in file order. */
  from(begin: number): number[] {
    this.#markFrom(begin);
    const positions: number[] = [];
    for (let at = begin; at < this.#size; at++) if (this.#marks[at] !== 0) positions.push(at);
    return positions;
  }

  /** The last `limit`, or as many more as it takes to begin with a node. `more`: there are nodes before. */
  page(limit: number): { positions: number[]; more: boolean } {
    const begin = this.#beginOf(limit);
    if (begin === ROOT) return { positions: this.from(0), more: false };
    return { positions: this.from(this.#source.positionOf(this.#path[begin])), more: begin > 0 };
  }

  /** Place of the node that a page of so many begins with; −1 when it begins before the first. */
  #beginOf(limit: number): number {
    for (let nodes = Math.ceil(limit / ENTRIES_OF_A_NODE); ; nodes = 1 + 4 * nodes) {
      const place = Math.max(ROOT, this.#path.length - nodes);
      const first = place === ROOT ? 0 : this.#source.positionOf(this.#path[place]);
      this.#markFrom(first);
      let left = limit;
      let at = this.#size;
      while (left > 0 && at > first) if (this.#marks[--at] !== 0) left--;
      if (left === 0) return this.#placeAt(at);
      if (place === ROOT) return ROOT;
    }
  }
}

const markOf = (place: number): number => BEFORE_FIRST + 1 + place;
