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
  /** Which entries, for who looks into the file. */
  ids?: string;
}

export interface Linked {
  entry: Entry;
  /** Its parent had to be guessed. */
  isRecovered: boolean;
  faults: LinkFault[];
}

export interface Link {
  position: number;
  /** The conversation entry (or none) that a child of this one belongs under: itself, or what a note stands on. */
  anchor: string | null;
  parent: string | null;
}

/** What a tree goes on from: links of the records that an index knows. */
export interface TreeBase {
  lost: TreeImage['lost'];
  gap: TreeImage['gap'];
  link(id: string): Link | undefined;
  /** All ids, in the order of the file. */
  readonly ids: Iterable<string>;
}

/** Everything a tree knows, for an index. */
export interface TreeImage {
  lost: [id: string, { place: string | null; child: string }][];
  gap: string | null | undefined;
  links: [id: string, Pick<Link, 'anchor' | 'parent'>][];
}

export class Tree {
  readonly #base: TreeBase | undefined;
  /** Behind those of the base. */
  readonly #links = new Map<string, Link>();
  /** By a parent's id that was not there: what took its place, and the entry that named it first. */
  readonly #lost: Map<string, { place: string | null; child: string }>;
  /** The parent that was looked up last. */
  #linked: { id: string; link: Link } | undefined;
  /** The head just before the last unreadable lines; undefined while every line was good. */
  #gap: string | null | undefined;

  constructor(base?: TreeBase) {
    this.#base = base;
    this.#lost = new Map(base?.lost);
    this.#gap = base?.gap;
  }

  has(id: string): boolean {
    return this.#link(id) !== undefined;
  }

  position(id: string): number | undefined {
    return this.#link(id)?.position;
  }

  image(): TreeImage {
    const before = this.#base?.ids ?? [];
    const links = [...before, ...this.#links.keys()].map((id): TreeImage['links'][number] => {
      const { anchor, parent } = this.#link(id) as Link;
      return [id, { anchor, parent }];
    });
    return { lost: [...this.#lost], gap: this.#gap, links };
  }

  #link(id: string): Link | undefined {
    return this.#links.get(id) ?? this.#base?.link(id);
  }

  /** A line could not be read: what names a parent that is missing from here on follows `head`. */
  markGap(head: string | null): void {
    this.#gap = head;
  }

  add(raw: Entry, place: RecordPlace, position: number): Linked {
    const faults: LinkFault[] = [];
    const id = this.#uniqueId(raw.id, place, faults);
    const named = raw.parent_id === null ? undefined : this.#linkAgain(raw.parent_id);
    const parent = named === undefined ? this.#standIn(raw, id, faults) : named.anchor;
    const isRecovered = raw.parent_id !== null && named === undefined;
    this.#links.set(id, { position, anchor: isConversation(raw) ? id : parent, parent });
    this.#noteClosedCycle(id, faults);
    const isAsWritten = id === raw.id && parent === raw.parent_id;
    return { entry: isAsWritten ? raw : { ...raw, id, parent_id: parent }, isRecovered, faults };
  }

  #uniqueId(id: string, place: RecordPlace, faults: LinkFault[]): string {
    if (!this.has(id)) return id;
    let fresh = `${id}:${place.offset}:${place.index}`;
    do fresh = createHash('sha256').update(fresh).digest('hex').slice(0, 16);
    while (this.has(fresh));
    faults.push({
      kind: 'duplicate-id',
      reason: `the id ${id} was there before; this entry is now ${fresh}`,
    });
    return fresh;
  }

  /** Notes follow each other on the same entry. */
  #linkAgain(id: string): Link | undefined {
    if (this.#linked?.id === id) return this.#linked.link;
    const link = this.#link(id);
    if (link !== undefined) this.#linked = { id, link };
    return link;
  }

  /** Of a parent that is not there. */
  #standIn(raw: Entry, id: string, faults: LinkFault[]): string | null {
    const named = raw.parent_id;
    if (named === null) return null;
    const known = this.#lost.get(named);
    if (known !== undefined) return known.place;
    if (named === raw.id) {
      faults.push({ kind: 'cycle', reason: `entry ${id} names itself as its parent; it is shown as a root` });
      return null;
    }
    const place = this.#gap ?? null;
    this.#lost.set(named, { place, child: id });
    const what = isConversation(raw) ? 'a message' : 'a note';
    const shown =
      place === null
        ? 'it is shown as a beginning of its own'
        : 'it is shown after the last one before the lines that could not be read';
    faults.push({
      kind: 'missing-parent',
      reason: `${what} lost the one before it; ${shown}`,
      ids: `entry ${id}, its parent ${named}${place === null ? '' : `, shown after ${place}`}`,
    });
    return place;
  }

  /** An entry that was named as a parent before it came, and now descends from its child. */
  #noteClosedCycle(id: string, faults: LinkFault[]): void {
    const child = this.#lost.get(id)?.child;
    if (child === undefined) return;
    for (let at: string | null = id; at !== null; at = this.#link(at)?.parent ?? null) {
      if (at !== child) continue;
      faults.push({
        kind: 'cycle',
        reason: `entries ${child} and ${id} descend from each other; ${child} was cut loose`,
      });
      return;
    }
  }
}
