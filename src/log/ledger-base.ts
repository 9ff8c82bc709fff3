/** What a ledger goes on from: an index's bytes, of which each part is made when it is asked for. */
import type {
  FactsBase,
  FoldBase,
  MarkedLine,
  PlacedChanges,
  PlacedFacts,
  PlacedNote,
} from '../shared/fold/base.js';
import type { OutlineNode } from '../shared/fold/types.js';
import type { Digest, Placed } from '../shared/fold/session-facts.js';
import type { AccumulatedState } from '../shared/fold/state.js';
import type { Entry, Note } from '../shared/notes.js';
import { NOT_YET, type PlainPart } from './ledger-image.js';
import type { EntryPlace } from './ledger.js';
import type { Sections, StoredTexts } from './sections.js';
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
  readonly attempts: () => ReadonlySet<string>;

  /** @throws Error when something is missing */
  constructor(sections: Sections) {
    this.plain = sections.json<PlainPart>('plain');
    const fold = new StoredFold(sections, this.plain);
    this.fold = fold;
    this.tree = new StoredTree(sections, this.plain, fold.nodes);
    this.#places = {
      offsets: sections.float64('offsets'),
      lengths: sections.uint32('lengths'),
      indexes: sections.uint32('indexes'),
      sums: sections.int32('sums'),
    };
    this.#relinked = new Map(
      this.plain.relinked.map(([position, id, parent_id]) => [position, { id, parent_id }]),
    );
    this.attempts = once(() => new Set(sections.json<string[]>('attempts')));
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
  readonly ids: () => readonly string[];
  readonly #anchors: Int32Array;
  readonly #parents: Int32Array;
  readonly #nodes: () => readonly OutlineNode[];
  readonly #positions: () => ReadonlyMap<string, number>;

  constructor(sections: Sections, { lost, gap }: PlainPart, nodes: () => readonly OutlineNode[]) {
    this.lost = lost;
    this.gap = gap?.head;
    this.#nodes = nodes;
    this.#anchors = sections.int32('anchors');
    this.#parents = sections.int32('parents');
    this.ids = once(() => sections.json<string[]>('ids'));
    this.#positions = once(() => new Map(this.ids().map((id, position) => [id, position])));
  }

  link(id: string): Link | undefined {
    const position = this.#positions().get(id);
    if (position === undefined) return undefined;
    return {
      position,
      anchor: this.#idOf(this.#anchors[position]),
      parent: this.#idOf(this.#parents[position]),
    };
  }

  #idOf(ordinal: number | undefined): string | null {
    return this.#nodes()[ordinal ?? -1]?.[0] ?? null;
  }
}

class StoredFold implements FoldBase {
  readonly position: number;
  readonly head: number;
  readonly headId: string | null;
  readonly nodes: () => readonly OutlineNode[];
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
  readonly #checkpoints: StoredTexts;
  readonly #checkpointOf: ReadonlyMap<number, number>;

  constructor(sections: Sections, { head, headId, seldom, sessionWide, facts }: PlainPart) {
    this.position = sections.float64('offsets').length;
    this.head = head;
    this.headId = headId;
    this.seldom = seldom;
    this.sessionWide = sessionWide;
    this.nodes = once(() => sections.json<OutlineNode[]>('nodes'));
    this.parents = sections.int32('node parents');
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
    this.#checkpoints = sections.texts('checkpoints');
    const ordinals = sections.uint32('checkpoint ordinals');
    this.#checkpointOf = new Map([...ordinals].map((ordinal, index) => [ordinal, index]));
  }

  digest(ordinal: number): Digest {
    return { id: this.nodes()[ordinal]?.[0] ?? '', ...this.#digests.json<Omit<Digest, 'id'>>(ordinal) };
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

  checkpoint(ordinal: number): AccumulatedState | undefined {
    const index = this.#checkpointOf.get(ordinal);
    return index === undefined ? undefined : this.#checkpoints.json<AccumulatedState>(index);
  }
}

class StoredFacts implements FactsBase {
  readonly plain: FactsBase['plain'];
  readonly ends: FactsBase['ends'];
  readonly decisions: FactsBase['decisions'];
  readonly starts: FactsBase['starts'];
  readonly #answered: () => ReadonlySet<string>;

  constructor(sections: Sections, plain: FactsBase['plain']) {
    this.plain = plain;
    this.ends = new StoredPlaced(sections, 'ends');
    this.decisions = new StoredPlaced(sections, 'decisions');
    this.starts = new StoredPlaced(sections, 'starts');
    this.#answered = once(() => new Set(sections.json<string[]>('answered')));
  }

  isAnswered(call: string): boolean {
    return this.#answered().has(call);
  }

  answered(): Iterable<string> {
    return this.#answered();
  }
}

class StoredPlaced<T extends Entry> implements PlacedFacts<T> {
  readonly #positions: Uint32Array;
  readonly #texts: StoredTexts;
  readonly #keys: () => ReadonlyMap<string, number>;

  constructor(sections: Sections, name: string) {
    this.#positions = sections.uint32(`${name} positions`);
    this.#texts = sections.texts(name);
    this.#keys = once(
      () => new Map(sections.json<string[]>(`${name} keys`).map((key, index) => [key, index])),
    );
  }

  has(key: string): boolean {
    return this.#keys().has(key);
  }

  position(key: string): number | undefined {
    const index = this.#keys().get(key);
    return index === undefined ? undefined : this.#positions[index];
  }

  get(key: string): Placed<T> | undefined {
    const index = this.#keys().get(key);
    return index === undefined ? undefined : this.#at(index);
  }

  *entries(): Iterable<[string, Placed<T>]> {
    for (const [key, index] of this.#keys()) yield [key, this.#at(index)];
  }

  #at(index: number): Placed<T> {
    return { position: this.#positions[index] ?? 0, entry: this.#texts.json<T>(index) };
  }
}

/** Made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
