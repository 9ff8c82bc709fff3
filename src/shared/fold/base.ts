/**
 * What a fold can go on from without having seen the entries: all it would know of them, in parts that are made only when
 * they are asked for. An index beside the log keeps it; {@link FoldImage} is what such an index is made of.
 */
import type { Entry, Note, NoteOf, QueueItem } from '../notes.js';
import type { Digest, Placed } from './session-facts.js';
import type { OutlineBase, Seldom } from './outline.js';
import type { AccumulatedState } from './state.js';
import type { OutlineNode, UsageTotals } from './types.js';

export interface PlacedNote {
  position: number;
  id: string;
  /** Null when only its place matters here. */
  note: Note | null;
}

export interface PlacedChanges {
  position: number;
  /** Of the node the note hangs on. */
  ordinal: number;
  note: NoteOf<'files_changed'>;
}

/** Facts that are few, whatever the length of the log. */
export interface PlainFacts {
  name: string | null;
  archived: boolean;
  tags: string[];
  labels: [string, string][];
  usage: UsageTotals;
  queueHeld: boolean;
  queue: QueueItem[];
  sent: string[];
}

/** By key, where the first note stands that says it. */
export interface PlacedFacts<T extends Entry> {
  has(key: string): boolean;
  position(key: string): number | undefined;
  get(key: string): Placed<T> | undefined;
  entries(): Iterable<[string, Placed<T>]>;
}

export interface FactsBase {
  plain: PlainFacts;
  ends: PlacedFacts<NoteOf<'turn_end'>>;
  decisions: PlacedFacts<NoteOf<'approval_decision'>>;
  starts: PlacedFacts<NoteOf<'tool_start'>>;
  isAnswered(call: string): boolean;
  answered(): Iterable<string>;
}

/** A fold along the path to `ordinal`, before its own notes. */
export interface Checkpoint {
  ordinal: number;
  state: AccumulatedState;
}

/** Where the entries of a line are marked. */
export interface MarkedLine {
  mark(position: number): void;
  markEnd(placed: PlacedNote): void;
  markCalls(calls: Digest['calls']): void;
}

export interface FoldBase {
  /** How many entries were taken. */
  readonly position: number;
  /** Ordinal of the head; −1 before the first entry. */
  readonly head: number;
  readonly headId: string | null;
  /** By ordinal, as {@link nodes} have them. */
  readonly parents: Int32Array;
  readonly nodes: () => readonly OutlineNode[];
  readonly seldom: OutlineBase['seldom'];
  node(ordinal: number): OutlineNode | undefined;
  ordinalOf(id: string): number;
  /** Positions of the conversation entries, by ordinal. */
  readonly positions: ArrayLike<number>;
  readonly sessionWide: readonly number[];
  readonly facts: FactsBase;
  digest(ordinal: number): Digest;
  /** Notes that stand on this entry, in file order. */
  notes(ordinal: number): readonly PlacedNote[];
  /**
   * Marks the positions of those before `until`, and of what ends, decides or starts elsewhere what they or the entry
   * itself began. What had neither end nor decision nor start here may have one since: that is for the line to find.
   */
  markLine(ordinal: number, until: number, line: MarkedLine): void;
  /**
   * The last position that {@link markLine} marks for this node (−1: for what stands before the first) or one above it,
   * the notes that stand on them apart; −1 for none.
   */
  reach(ordinal: number): number;
  /**
   * The first node (−1: what stands before it) that began a turn, asked for approval or called a tool by this key where
   * no end, decision or start of it is known; may be one before. Undefined for none.
   */
  opened(key: string): number | undefined;
  files(): readonly PlacedChanges[];
  checkpoint(ordinal: number): AccumulatedState | undefined;
}

export interface FoldImage {
  position: number;
  head: number;
  nodes: readonly OutlineNode[];
  seldom: Seldom;
  positions: readonly number[];
  sessionWide: readonly number[];
  digests: readonly Digest[];
  /** In file order: what is kept of each note, and the ordinal it stands on. */
  notes: readonly { ordinal: number; placed: PlacedNote }[];
  facts: FactsBase;
  files: readonly PlacedChanges[];
  checkpoints: readonly Checkpoint[];
}
