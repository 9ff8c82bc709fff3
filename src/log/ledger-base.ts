/** What a ledger goes on from: an index's bytes, of which each part is made when it is asked for. */
import type {
  FactsBase,
  FoldBase,
  MarkedLine,
  PlacedChanges,
  PlacedFacts,
  PlacedNote,
} from '../shared/fold/base.js';
import { ROOT } from '../shared/fold/outline.js';
import { placeIn } from '../shared/fold/place-in.js';
import type { OutlineNode } from '../shared/fold/types.js';
import type { Digest, Placed } from '../shared/fold/session-facts.js';
import type { AccumulatedState } from '../shared/fold/state.js';
import type { Entry, Note } from '../shared/notes.js';
import { NOT_YET, type PlainPart, type StoredState } from './ledger-image.js';
import type { EntryPlace } from './ledger.js';
import type { Sections } from './sections.js';
import { StoredKeys, once } from './stored-keys.js';
import type { StoredTexts } from './stored-texts.js';
import type { Link, TreeBase } from './tree.js';

export class LedgerBase {
  readonly plain: PlainPart;
  readonly fold: FoldBase;
  readonly tree: TreeBase;
  readonly #places: {
    offsets: Float64Array;
    lengths: Uint32Array;
    indexes: Uint32Array;
    sums: Int32Array;
  };
  readonly #relinked: Map<number, NonNullable<EntryPlace['relinked']>>;
  readonly attempts: StoredKeys;

  /** @throws Error when something is missing */
  constructor(sections: Sections) {
    this.plain = sections.json<PlainPart>('plain');
    const ids = new StoredKeys(sections, 'ids');
    this.fold = new StoredFold(sections, this.plain, ids);
    this.tree = new StoredTree(sections, this.plain, ids);
    this.#places = {
      offsets: sections.float64('offsets'),
      lengths: sections.uint32('lengths'),
      indexes: sections.uint32('indexes'),
      sums: sections.int32('sums'),
    };
    this.#relinked = new Map(
      this.plain.relinked.map(([position, id, parent_id]) => [position, { id, parent_id }]),
    );
    this.attempts = new StoredKeys(sections, 'attempts');
  }

  get position(): number {
    return this.#places.offsets.length;
  }

  place(position: number): EntryPlace | undefined {
    const { offsets, lengths, indexes, sums } = this.#places;
    const offset = offsets[position];
    if (offset === undefined) return undefined;
    const relinked = this.#relinked.get(position);
    const sum = sums[position] ?? 0;
    const place = { offset, length: lengths[position] ?? 0, index: indexes[position] ?? 0, sum };
    return relinked === undefined ? place : { ...place, relinked };
  }
}

class StoredTree implements TreeBase {
  readonly lost: TreeBase['lost'];
  readonly gap: TreeBase['gap'];
  readonly ids: StoredKeys;
  readonly #anchors: Int32Array;
  readonly #parents: Int32Array;
  readonly #nodePositions: Uint32Array;

  constructor(sections: Sections, { lost, gap }: PlainPart, ids: StoredKeys) {
    this.lost = lost;
    this.gap = gap?.head;
    this.ids = ids;
    this.#anchors = sections.int32('anchors');
    this.#parents = sections.int32('parents');
    this.#nodePositions = sections.uint32('node positions');
  }

  link(id: string): Link | undefined {
    const position = this.ids.indexOf(id);
    if (position === undefined) return undefined;
    return {
      position,
      anchor: this.#idOf(this.#anchors[position]),
      parent: this.#idOf(this.#parents[position]),
    };
  }

  #idOf(ordinal: number | undefined): string | null {
    return this.ids.at(this.#nodePositions[ordinal ?? -1] ?? -1) ?? null;
  }
}

class StoredFold implements FoldBase {
  readonly position: number;
  readonly head: number;
  readonly headId: string | null;
  readonly nodes: () => readonly OutlineNode[];
  readonly #ids: StoredKeys;
  readonly #nodes: StoredTexts;
  readonly parents: Int32Array;
  readonly positions: Uint32Array;
  readonly seldom: PlainPart['seldom'];
  readonly sessionWide: readonly number[];
  readonly facts: FactsBase;
  readonly files: () => readonly PlacedChanges[];
  readonly #digests: StoredTexts;
  readonly #notes: StoredTexts;
  readonly #noteBegins: Uint32Array;
  readonly #notePositions: Uint32Array;
  readonly #noteElsewhere: Int32Array;
  readonly #startBegins: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #isNotBegun: Uint8Array;
  readonly #reaches: Int32Array;
  readonly #opened: StoredKeys;
  readonly #openedBy: Int32Array;
  readonly #checkpoints: StoredTexts;
  readonly #checkpointOf: ReadonlyMap<number, number>;

  constructor(sections: Sections, { head, headId, seldom, sessionWide, facts }: PlainPart, ids: StoredKeys) {
    this.#ids = ids;
    this.position = sections.float64('offsets').length;
    this.head = head;
    this.headId = headId;
    this.seldom = seldom;
    this.sessionWide = sessionWide;
    this.#nodes = sections.texts('nodes');
    this.nodes = once(() => this.#nodes.jsons<OutlineNode>());
    this.parents = sections.int32('node parents');
    // Whoever can write here may have made the checksum fit: no walk may go on for ever.
    if (!this.parents.every((parent, ordinal) => parent >= ROOT && parent < ordinal))
      throw new RangeError('node parents');
    this.positions = sections.uint32('node positions');
    this.facts = new StoredFacts(sections, facts);
    this.files = once(() => sections.json<PlacedChanges[]>('files'));
    this.#digests = sections.texts('digests');
    this.#notes = sections.texts('notes');
    this.#noteBegins = sections.uint32('note begins');
    this.#notePositions = sections.uint32('note positions');
    this.#noteElsewhere = sections.int32('note elsewhere');
    this.#startBegins = sections.uint32('start begins');
    this.#starts = sections.uint32('starts of calls');
    this.#isNotBegun = sections.bytes('calls not begun');
    this.#reaches = sections.int32('reaches');
    this.#opened = new StoredKeys(sections, 'opened');
    this.#openedBy = sections.int32('opened by');
    this.#checkpoints = sections.texts('checkpoints');
    const ordinals = sections.uint32('checkpoint ordinals');
    this.#checkpointOf = new Map([...ordinals].map((ordinal, index) => [ordinal, index]));
  }

  digest(ordinal: number): Digest {
    return {
      id: this.#ids.at(this.positions[ordinal] ?? -1) ?? '',
      ...this.#digests.json<Omit<Digest, 'id'>>(ordinal),
    };
  }

  node(ordinal: number): OutlineNode | undefined {
    return ordinal < 0 || ordinal >= this.parents.length ? undefined : this.#nodes.json<OutlineNode>(ordinal);
  }

  /** Positions grow with the ordinals. */
  ordinalOf(id: string): number {
    const position = this.#ids.indexOf(id);
    return position === undefined ? ROOT : placeIn(this.positions, position);
  }

  notes(ordinal: number): PlacedNote[] {
    const placed: PlacedNote[] = [];
    const end = this.#noteBegins[ordinal + 2] ?? 0;
    for (let at = this.#noteBegins[ordinal + 1] ?? 0; at < end; at++) placed.push(this.#note(at));
    return placed;
  }

  #note(at: number): PlacedNote {
    const text = this.#notes.text(at);
    const note = text === '' ? null : (JSON.parse(text) as Note);
    return { position: this.#notePositions[at] ?? 0, id: note?.id ?? '', note };
  }

  markLine(ordinal: number, until: number, line: MarkedLine): void {
    if (ordinal >= 0) {
      const end = this.#startBegins[ordinal + 1] ?? 0;
      for (let at = this.#startBegins[ordinal] ?? 0; at < end; at++) line.mark(this.#starts[at] ?? 0);
      if (this.#isNotBegun[ordinal] === 1) line.markCalls(this.#digests.json<Digest>(ordinal).calls);
    }
    const end = this.#noteBegins[ordinal + 2] ?? 0;
    for (let at = this.#noteBegins[ordinal + 1] ?? 0; at < end; at++) {
      const position = this.#notePositions[at] ?? 0;
      if (position >= until) break;
      line.mark(position);
      const elsewhere = this.#noteElsewhere[at] ?? 0;
      if (elsewhere >= 0) line.mark(elsewhere);
      else if (elsewhere === NOT_YET) line.markEnd(this.#note(at));
    }
  }

  reach(ordinal: number): number {
    return this.#reaches[ordinal + 1] ?? Infinity;
  }

  opened(key: string): number | undefined {
    const index = this.#opened.indexOf(key);
    if (index !== undefined) return this.#openedBy[index] ?? ROOT;
    // A call that began after its result: who made it is not kept.
    return this.facts.isAnswered(key) ? ROOT : undefined;
  }

  checkpoint(ordinal: number): AccumulatedState | undefined {
    const index = this.#checkpointOf.get(ordinal);
    if (index === undefined) return undefined;
    const stored = this.#checkpoints.json<StoredState>(index);
    return {
      ...stored,
      calls: stored.calls.map((open) => ({ ...open, call: this.#call(open) })),
      requests: stored.requests.map((id) => this.#request(id)),
    };
  }

  #call({ message_id, place }: StoredState['calls'][number]): Digest['calls'][number] {
    const call = this.digest(this.ordinalOf(message_id)).calls[place];
    if (call === undefined) throw new RangeError(`the index has no call ${String(place)} of ${message_id}`);
    return call;
  }

  #request(id: string): AccumulatedState['requests'][number] {
    const at = this.#notePositions.indexOf(this.#ids.indexOf(id) ?? -1);
    const { note } = this.#note(at);
    if (note?.type !== 'approval_request') throw new RangeError(`the index has no request ${id}`);
    return note;
  }
}

class StoredFacts implements FactsBase {
  readonly plain: FactsBase['plain'];
  readonly ends: FactsBase['ends'];
  readonly decisions: FactsBase['decisions'];
  readonly starts: FactsBase['starts'];
  readonly #answered: StoredKeys;

  constructor(sections: Sections, plain: FactsBase['plain']) {
    this.plain = plain;
    this.ends = new StoredPlaced(sections, 'ends');
    this.decisions = new StoredPlaced(sections, 'decisions');
    this.starts = new StoredPlaced(sections, 'starts');
    this.#answered = new StoredKeys(sections, 'answered');
  }

  isAnswered(call: string): boolean {
    return this.#answered.has(call);
  }

  answered(): Iterable<string> {
    return this.#answered;
  }
}

class StoredPlaced<T extends Entry> implements PlacedFacts<T> {
  readonly #positions: Uint32Array;
  readonly #texts: StoredTexts;
  readonly #keys: StoredKeys;

  constructor(sections: Sections, name: string) {
    this.#positions = sections.uint32(`${name} positions`);
    this.#texts = sections.texts(name);
    this.#keys = new StoredKeys(sections, `${name} keys`);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  position(key: string): number | undefined {
    const index = this.#keys.indexOf(key);
    return index === undefined ? undefined : this.#positions[index];
  }

  get(key: string): Placed<T> | undefined {
    const index = this.#keys.indexOf(key);
    return index === undefined ? undefined : this.#at(index);
  }

  *entries(): Iterable<[string, Placed<T>]> {
    let index = 0;
    for (const key of this.#keys) yield [key, this.#at(index++)];
  }

  #at(index: number): Placed<T> {
    return { position: this.#positions[index] ?? 0, entry: this.#texts.json<T>(index) };
  }
}
