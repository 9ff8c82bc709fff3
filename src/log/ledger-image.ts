/** A ledger as bytes, made of what it knows; {@link LedgerBase} in ledger-base.ts goes on from them. */
import type { Header } from '../shared/entry.js';
import type { FactsBase, FoldImage, PlacedFacts, PlainFacts } from '../shared/fold/base.js';
import { ROOT, type Seldom } from '../shared/fold/outline.js';
import { bareCall, folded } from '../shared/fold/state.js';
import type { Digest } from '../shared/fold/session-facts.js';
import type { AccumulatedState, OpenCall } from '../shared/fold/state.js';
import type { Entry } from '../shared/notes.js';
import type { EntryPlace } from './ledger.js';
import { SectionWriter } from './sections.js';
import type { LogDamage } from './store.js';
import { putKeys } from './stored-keys.js';
import type { TreeImage } from './tree.js';

export interface LedgerImage {
  header: Header;
  messages: number;
  isArchived: boolean;
  /** Where the next piece of the file begins, and the number of its first line. */
  next: { from: number; line: number };
  damage: readonly LogDamage[];
  unlisted: { count: number; last: LogDamage } | undefined;
  places: readonly EntryPlace[];
  attempts: Iterable<string>;
  tree: TreeImage;
  fold: FoldImage;
}

/** What is read at once. */
export interface PlainPart {
  header: Header;
  messages: number;
  isArchived: boolean;
  next: { from: number; line: number };
  damage: readonly LogDamage[];
  unlisted: { count: number; last: LogDamage } | undefined;
  lost: TreeImage['lost'];
  /** Undefined stands for: every line was good. */
  gap: { head: string | null } | undefined;
  relinked: [position: number, id: string, parent_id: string | null][];
  head: number;
  headId: string | null;
  seldom: Seldom;
  sessionWide: readonly number[];
  facts: PlainFacts;
}

/** A note that looks elsewhere and found nothing there yet, and one that does not look. */
export const NOT_YET = -2;
export const NOWHERE = -1;

/** All of the image is read before this returns; what is made of it may take longer. */
export function piecesOf(image: LedgerImage, deflatedFrom?: number): Promise<Uint8Array[]> {
  const sections = new SectionWriter(deflatedFrom);
  const { fold } = image;
  sections.json('plain', plainOf(image));
  sections.jsons('nodes', fold.nodes);
  sections.numbers(
    'node parents',
    Int32Array.from(fold.nodes, ([, parent]) => parent),
  );
  sections.numbers('node positions', Uint32Array.from(fold.positions));
  putLinks(sections, image);
  sections.numbers(
    'offsets',
    Float64Array.from(image.places, ({ offset }) => offset),
  );
  sections.numbers(
    'lengths',
    Uint32Array.from(image.places, ({ length }) => length),
  );
  sections.numbers(
    'indexes',
    Uint32Array.from(image.places, ({ index }) => index),
  );
  sections.numbers(
    'sums',
    Int32Array.from(image.places, ({ sum }) => sum),
  );
  putKeys(sections, 'attempts', [...image.attempts]);
  const reaches = new Reaches(fold.nodes);
  const opened: Opened = new Map();
  putDigests(sections, fold, { reaches, opened });
  putNotes(sections, fold, { reaches, opened });
  sections.numbers('reaches', reaches.alongPaths());
  putKeys(sections, 'opened', [...opened.keys()]);
  sections.numbers('opened by', Int32Array.from(opened.values()));
  putFacts(sections, fold.facts);
  sections.json('files', fold.files);
  sections.numbers(
    'checkpoint ordinals',
    Uint32Array.from(fold.checkpoints, ({ ordinal }) => ordinal),
  );
  sections.texts(
    'checkpoints',
    fold.checkpoints.map(({ state }) => JSON.stringify(storedState(state))),
  );
  return sections.pieces();
}

function plainOf(image: LedgerImage): PlainPart {
  const { header, messages, isArchived, next, damage, unlisted, places, tree, fold } = image;
  const relinked = places.flatMap(({ relinked: link }, position): PlainPart['relinked'] =>
    link === undefined ? [] : [[position, link.id, link.parent_id]],
  );
  return {
    header,
    messages,
    isArchived,
    next,
    damage,
    unlisted,
    lost: tree.lost,
    gap: tree.gap === undefined ? undefined : { head: tree.gap },
    relinked,
    head: fold.head,
    headId: fold.nodes[fold.head]?.[0] ?? null,
    seldom: fold.seldom,
    sessionWide: fold.sessionWide,
    facts: fold.facts.plain,
  };
}

function putLinks(sections: SectionWriter, { tree, fold }: LedgerImage): void {
  const ordinals = new Map(fold.nodes.map(([id], ordinal) => [id, ordinal]));
  const ordinalOf = (id: string | null): number => (id === null ? ROOT : (ordinals.get(id) ?? ROOT));
  putKeys(
    sections,
    'ids',
    tree.links.map(([id]) => id),
  );
  sections.numbers(
    'anchors',
    Int32Array.from(tree.links, ([, { anchor }]) => ordinalOf(anchor)),
  );
  sections.numbers(
    'parents',
    Int32Array.from(tree.links, ([, { parent }]) => ordinalOf(parent)),
  );
}

/** A state without what may be as long as a file and stands in the digests and notes already: it may be in many. */
export interface StoredState extends Omit<AccumulatedState, 'calls' | 'requests'> {
  calls: Omit<OpenCall, 'call'>[];
  /** Ids of their notes. */
  requests: string[];
}

const storedState = (state: AccumulatedState): StoredState => ({
  ...state,
  calls: state.calls.map(({ place, message_id, turn_id }) => ({ place, message_id, turn_id })),
  requests: state.requests.map(({ id }) => id),
});

/** The input of a call that has its result is not asked for any more. */
const shortened = (call: Digest['calls'][number], facts: FactsBase): Digest['calls'][number] =>
  facts.isAnswered(call.call_id) ? bareCall(call) : call;

/** The last position that each node (the first: what stands before any) names elsewhere in the file; −1 for none. */
class Reaches {
  readonly #nodes: FoldImage['nodes'];
  readonly #last: Int32Array;

  constructor(nodes: FoldImage['nodes']) {
    this.#nodes = nodes;
    this.#last = new Int32Array(nodes.length + 1).fill(NOWHERE);
  }

  add(ordinal: number, position: number): void {
    this.#last[ordinal + 1] = Math.max(this.#last[ordinal + 1] ?? NOWHERE, position);
  }

  /** Of each node and those above it: parents stand before their children. */
  alongPaths(): Int32Array {
    this.#nodes.forEach(([, parent], ordinal) => this.add(ordinal, this.#last[parent + 1] ?? NOWHERE));
    return this.#last;
  }
}

/** What has no end, decision or start yet, by its key, and the first node (−1: what stands before it) that began it. */
type Opened = Map<string, number>;

function addOpened(opened: Opened, key: string, ordinal: number): void {
  opened.set(key, Math.min(ordinal, opened.get(key) ?? Infinity));
}

interface Elsewhere {
  reaches: Reaches;
  opened: Opened;
}

function putDigests(
  sections: SectionWriter,
  { digests, facts }: FoldImage,
  { reaches, opened }: Elsewhere,
): void {
  sections.texts(
    'digests',
    digests.map((digest) => {
      const { kind, turn_id, answers, tokens } = digest;
      const calls = digest.calls.map((call) => shortened(call, facts));
      return JSON.stringify({ kind, turn_id, answers, tokens, calls });
    }),
  );
  const begins = new Uint32Array(digests.length + 1);
  const starts: number[] = [];
  const open = new Uint8Array(digests.length);
  digests.forEach(({ calls }, ordinal) => {
    for (const { call_id } of calls) {
      const start = facts.starts.get(call_id);
      if (start === undefined) {
        open[ordinal] = 1;
        // Those that only read never start, and are many: that they have a result is kept anyway.
        if (!facts.isAnswered(call_id)) addOpened(opened, call_id, ordinal);
      } else {
        starts.push(start.position);
        reaches.add(ordinal, start.position);
      }
    }
    begins[ordinal + 1] = starts.length;
  });
  sections.numbers('start begins', begins);
  sections.numbers('starts of calls', Uint32Array.from(starts));
  sections.numbers('calls not begun', open);
}

function putNotes(
  sections: SectionWriter,
  { notes, nodes, facts }: FoldImage,
  { reaches, opened }: Elsewhere,
): void {
  // By the ordinal they stand on, beginning with none.
  const begins = new Uint32Array(nodes.length + 2);
  for (const { ordinal } of notes) begins[ordinal + 2] = (begins[ordinal + 2] ?? 0) + 1;
  for (let at = 1; at < begins.length; at++) begins[at] = (begins[at] ?? 0) + (begins[at - 1] ?? 0);
  sections.numbers('note begins', begins);
  sections.numbers(
    'note positions',
    Uint32Array.from(notes, ({ placed }) => placed.position),
  );
  sections.texts(
    'notes',
    notes.map(({ placed: { note } }) => (note === null ? '' : JSON.stringify(folded(note)))),
  );
  const elsewhere = notes.map(({ placed: { id, note } }) => {
    if (note?.type === 'turn_start') return facts.ends.get(note.turn_id)?.position ?? NOT_YET;
    return note?.type === 'approval_request' ? (facts.decisions.get(id)?.position ?? NOT_YET) : NOWHERE;
  });
  sections.numbers('note elsewhere', Int32Array.from(elsewhere));
  notes.forEach(({ ordinal, placed: { id, note } }, at) => {
    const position = elsewhere[at] ?? NOWHERE;
    reaches.add(ordinal, position);
    if (position !== NOT_YET) return;
    addOpened(opened, note?.type === 'turn_start' ? note.turn_id : id, ordinal);
  });
}

function putFacts(sections: SectionWriter, facts: FactsBase): void {
  putPlaced(sections, 'ends', facts.ends);
  putPlaced(sections, 'decisions', facts.decisions);
  putPlaced(sections, 'starts', facts.starts);
  putKeys(sections, 'answered', [...facts.answered()]);
}

function putPlaced<T extends Entry>(sections: SectionWriter, name: string, facts: PlacedFacts<T>): void {
  const all = [...facts.entries()];
  putKeys(
    sections,
    `${name} keys`,
    all.map(([key]) => key),
  );
  sections.numbers(
    `${name} positions`,
    Uint32Array.from(all, ([, { position }]) => position),
  );
  sections.texts(
    name,
    all.map(([, { entry }]) => JSON.stringify(entry)),
  );
}
