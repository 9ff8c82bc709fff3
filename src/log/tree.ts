/**
 * Gives every record a unique id and a parent that stands before it, so that no walk can loop and nothing readable is
 * hidden. What it decides depends only on the records before, so that it is the same on every open.
 */
import { createHash } from 'node:crypto';
import { isConversation, type Entry } from '../shared/notes.js';

export interface RecordPlace {
  line: number;
  /** Of the line. */
  offset: number;
  /** Within the line. */
  index: number;
}

export interface LinkFault {
  kind: 'duplicate-id' | 'missing-parent' | 'cycle';
  reason: string;
}

export interface Linked {
  entry: Entry;
  /** Its parent had to be guessed. */
  isRecovered: boolean;
  faults: LinkFault[];
}

interface Link {
  position: number;
  /** The conversation entry (or none) that a child of this one belongs under: itself, or what a note stands on. */
  anchor: string | null;
  parent: string | null;
}

export class Tree {
  readonly #links = new Map<string, Link>();
  /** By a parent's id that was not there: what took its place, and the entry that named it first. */
  readonly #lost = new Map<string, { place: string | null; child: string }>();
  /** The head just before the last unreadable lines; undefined while every line was good. */
  #gap: string | null | undefined;

  has(id: string): boolean {
    return this.#links.has(id);
  }

  position(id: string): number | undefined {
    return this.#links.get(id)?.position;
  }

  /** A line could not be read: what names a parent that is missing from here on follows `head`. */
  markGap(head: string | null): void {
    this.#gap = head;
  }

  add(raw: Entry, place: RecordPlace, position: number): Linked {
    const faults: LinkFault[] = [];
    const id = this.#uniqueId(raw.id, place, faults);
    const parent = this.#parentOf(raw, id, faults);
    const isRecovered = raw.parent_id !== null && !this.#links.has(raw.parent_id);
    this.#links.set(id, { position, anchor: isConversation(raw) ? id : parent, parent });
    this.#noteClosedCycle(id, faults);
    const isAsWritten = id === raw.id && parent === raw.parent_id;
    return { entry: isAsWritten ? raw : { ...raw, id, parent_id: parent }, isRecovered, faults };
  }

  #uniqueId(id: string, place: RecordPlace, faults: LinkFault[]): string {
    if (!this.#links.has(id)) return id;
    let fresh = `${id}:${place.offset}:${place.index}`;
    do fresh = createHash('sha256').update(fresh).digest('hex').slice(0, 16);
    while (this.#links.has(fresh));
    faults.push({
      kind: 'duplicate-id',
      reason: `the id ${id} was there before; this entry is now ${fresh}`,
    });
    return fresh;
  }

  #parentOf(raw: Entry, id: string, faults: LinkFault[]): string | null {
    const named = raw.parent_id;
    if (named === null) return null;
    const link = this.#links.get(named);
    if (link !== undefined) return link.anchor;
    const known = this.#lost.get(named);
    if (known !== undefined) return known.place;
    if (named === raw.id) {
      faults.push({ kind: 'cycle', reason: `entry ${id} names itself as its parent; it is shown as a root` });
      return null;
    }
    const place = this.#gap ?? null;
    this.#lost.set(named, { place, child: id });
    const shown =
      place === null ? 'is shown as a root' : `follows ${place}, the last entry before the unreadable lines`;
    faults.push({
      kind: 'missing-parent',
      reason: `the parent ${named} of entry ${id} is missing; it ${shown}`,
    });
    return place;
  }

  /** An entry that was named as a parent before it came, and now descends from its child. */
  #noteClosedCycle(id: string, faults: LinkFault[]): void {
    const child = this.#lost.get(id)?.child;
    if (child === undefined) return;
    for (let at: string | null = id; at !== null; at = this.#links.get(at)?.parent ?? null) {
      if (at !== child) continue;
      faults.push({
        kind: 'cycle',
        reason: `entries ${child} and ${id} descend from each other; ${child} was cut loose`,
      });
      return;
    }
  }
}
