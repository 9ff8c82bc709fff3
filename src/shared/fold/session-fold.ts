/**
 * The one fold of a session: takes entries in file order and answers for any head what its path is and what the notes
 * say there. Pure and incremental: an append costs the same however long the file is, the state of a head that went on
 * costs what was added, and that of another head its path.
 */
import { isConversation, type Entry } from '../notes.js';
import type { Checkpoint, FoldBase, FoldImage, PlacedNote } from './base.js';
import { FileStates, type FileState } from './file-states.js';
import { LateReaches } from './late-reaches.js';
import { LineNodes } from './line-nodes.js';
import { LineMarks, type LineSource } from './line-marks.js';
import { Outline, ROOT, outlineNode } from './outline.js';
import { SessionFacts, digestOf, type Digest } from './session-facts.js';
import { PathAccumulator, bareCall, isPathNote } from './state.js';
import type { Fork, OutlineNode, PathState } from './types.js';

/** How many heads' folds are kept to be extended. */
const KEPT_FOLDS = 4;
/** So many entries of a path are at most walked again to a head that is not kept, where there is a base. */
const CHECKPOINT_EVERY = 32;

const NONE: readonly PlacedNote[] = [];
/** How many results of one message's calls are looked back over. */
const RESULTS_IN_A_ROW = 64;

/** Notes that hold for the session whatever the path. */
const sessionWide = new Set<Entry['type']>(['head', 'session_info', 'label', 'queue_update']);

/** A fold that has walked to `ordinal` and taken its notes before position `until`. */
interface Walked {
  ordinal: number;
  until: number;
  fold: PathAccumulator;
  /** The result and the file's position it was made at. */
  made: { position: number; state: PathState } | null;
}

export class SessionFold {
  readonly #base: FoldBase | undefined;
  readonly #outline: Outline;
  readonly #facts: SessionFacts;
  readonly #files: FileStates;
  readonly #late: LateReaches | undefined;
  /** By ordinal, behind those of the base. */
  readonly #digests: Digest[] = [];
  readonly #positions: number[] = [];
  /** By the ordinal of the entry they stand on; −1 for those before the first. In file order, behind those of the base. */
  readonly #notes = new Map<number, PlacedNote[]>();
  readonly #sessionWide: number[];
  #walked: Walked[] = [];
  /** The last line that was asked for: who reads its end goes on with what stands before, or with one beside it. */
  readonly #line: LineMarks;
  #head: number;
  #position: number;

  /** `base`: what was folded before, with the same result as if its entries were added. */
  constructor(base?: FoldBase) {
    this.#base = base;
    this.#outline = base === undefined ? new Outline() : Outline.of(base);
    this.#facts = new SessionFacts(base?.facts);
    this.#late = base === undefined ? undefined : new LateReaches(base, this.#facts);
    this.#sessionWide = [...(base?.sessionWide ?? [])];
    this.#line = new LineMarks(this.#lineSource());
    this.#files = new FileStates(base === undefined ? undefined : () => base.files());
    this.#head = base?.head ?? ROOT;
    this.#position = base?.position ?? 0;
  }

  /**
   * Takes the next entry of the file. Positions grow; one that was taken before is ignored, so that overlapping pieces
   * can be added. `recovered` marks an entry whose parent had to be guessed.
   */
  add(entry: Entry, position: number, recovered = false): void {
    if (position < this.#position) return;
    this.#position = position + 1;
    if (isConversation(entry) && this.#outline.ordinal(entry.id) !== ROOT) return;
    this.#facts.add(position, entry);
    this.#late?.add(entry, position);
    if (isConversation(entry)) {
      const parent = this.#outline.ordinal(entry.parent_id);
      const isLost = parent === ROOT && entry.parent_id !== null;
      this.#outline.add(outlineNode(entry, parent, recovered || isLost));
      const digest = digestOf(entry);
      if (digest.answers.length > 0) this.#bareCalls(digest.answers, parent);
      this.#digests.push(digest);
      this.#positions.push(position);
      this.#head = this.#outline.size - 1;
      return;
    }
    if (sessionWide.has(entry.type)) this.#sessionWide.push(position);
    if (entry.type === 'head') this.#moveHead(entry.entry_id);
    this.#addNote(entry, position);
  }

  /** What a call was given may be as long as a file, and is not asked for once it has its result. */
  #bareCalls(answers: readonly string[], parent: number): void {
    let at = parent - this.#baseCount;
    for (let steps = 0; at >= 0 && steps < RESULTS_IN_A_ROW; steps++) {
      const digest = this.#digests[at];
      if (digest?.calls.some(({ call_id }) => answers.includes(call_id)) === true) {
        const calls = digest.calls.map((call) =>
          this.#facts.isAnswered(call.call_id) ? bareCall(call) : call,
        );
        this.#digests[at] = { ...digest, calls };
      }
      if (digest?.kind !== 'tool') return;
      at = this.#outline.parent(at + this.#baseCount) - this.#baseCount;
    }
  }

  /** For logs whose notes are nodes of the tree: the one that was taken last stands on this entry, and so does the head. */
  standOn(id: string): void {
    this.#moveHead(id);
  }

  /** A head that names nothing known leaves the head where it was: the line that is there stays in view. */
  #moveHead(target: string | null): void {
    const ordinal = this.#outline.ordinal(target);
    if (target === null || ordinal !== ROOT) this.#head = ordinal;
  }

  #addNote(entry: Exclude<Entry, { type: 'message' }>, position: number): void {
    const parent = this.#outline.ordinal(entry.parent_id);
    if (parent === ROOT && entry.parent_id !== null) return;
    if (entry.type === 'files_changed') this.#files.add({ position, ordinal: parent, note: entry });
    const placed = { position, id: entry.id, note: isPathNote(entry) ? entry : null };
    const there = this.#notes.get(parent);
    if (there === undefined) this.#notes.set(parent, [placed]);
    else there.push(placed);
    if (parent < this.#baseCount) this.#late?.begin(parent, placed);
  }

  /** How many entries were taken. */
  get position(): number {
    return this.#position;
  }

  get head(): string | null {
    return this.#idOf(this.#head);
  }

  get outline(): readonly OutlineNode[] {
    return this.#outline.nodes;
  }

  /** Ordinal among the conversation entries, −1 when there is none of this id. */
  ordinal(id: string): number {
    return this.#outline.ordinal(id);
  }

  /** Where the conversation entry of this id stands; undefined when there is none. */
  positionOf(id: string): number | undefined {
    const ordinal = this.#outline.ordinal(id);
    return ordinal === ROOT ? undefined : this.#positionOf(ordinal);
  }

  /** Ids from the root to `head` (default: the session's head). */
  pathIds(head?: string | null): string[] {
    return this.#outline.path(this.#ordinalOf(head)).map((ordinal) => this.#idOf(ordinal) ?? '');
  }

  /** The path to `head` without bodies, root first. */
  pathNodes(head?: string | null): OutlineNode[] {
    const { nodes } = this.#outline;
    return this.#lineTo(this.#ordinalOf(head)).path.map((ordinal) => nodes[ordinal] as OutlineNode);
  }

  /** The same, to be looked up. */
  lineNodes(head?: string | null): LineNodes {
    return new LineNodes(this.#outline, this.#lineTo(this.#ordinalOf(head)).path);
  }

  /** All ends of lines, oldest first. */
  leaves(): string[] {
    return this.#outline.leaves();
  }

  forks(head?: string | null): Map<string, Fork> {
    return this.#outline.forks(this.#ordinalOf(head));
  }

  /** Whether a `turn_end` of this turn stands anywhere in the file. */
  turnEnded(turnId: string): boolean {
    return this.#facts.ends.has(turnId);
  }

  /**
   * Positions, in file order, of the path's conversation entries, of the notes that count for it, of session-wide notes,
   * and of what ends, decides or starts something of this path though it stands on another.
   */
  linePositions(head?: string | null): number[] {
    return this.#lineTo(this.#ordinalOf(head)).from(0);
  }

  #lineTo(head: number): LineMarks {
    this.#line.turnTo(head, this.#position);
    return this.#line;
  }

  #lineSource(): LineSource {
    return {
      facts: this.#facts,
      sessionWide: this.#sessionWide,
      parentOf: (ordinal) => this.#outline.parent(ordinal),
      positionOf: (ordinal) => this.#positionOf(ordinal),
      markNode: (ordinal, until) => {
        this.#markNode(ordinal, until);
      },
      reachOf: (ordinal) => this.#reachOf(ordinal),
    };
  }

  #markNode(ordinal: number, until: number): void {
    const line = this.#line;
    this.#base?.markLine(ordinal, until, line);
    const digest = this.#digests[ordinal - this.#baseCount];
    if (digest !== undefined) line.markCalls(digest.calls);
    for (const placed of this.#notes.get(ordinal) ?? NONE) {
      if (placed.position >= until) break;
      line.mark(placed.position);
      line.markEnd(placed);
    }
  }

  /** What came since is not known of without a look at it. */
  #reachOf(ordinal: number): number {
    return this.#late === undefined || ordinal >= this.#baseCount ? Infinity : this.#late.of(ordinal);
  }

  /**
   * The end of {@link linePositions}: the last `limit`, or as many more as it takes to begin with a conversation entry.
   * `more`: there are conversation entries before.
   * @throws RangeError for a limit that is no number from 0 on
   */
  pagePositions(limit: number, head?: string | null): { positions: number[]; more: boolean } {
    if (!(limit >= 0)) throw new RangeError(`a page of ${String(limit)} entries`);
    return this.#lineTo(this.#ordinalOf(head)).page(limit);
  }

  /** Those of {@link linePositions} from the conversation entry `from` on; all when it is not on the path. */
  positionsFrom(from: string, head?: string | null): number[] {
    const ordinal = this.#outline.ordinal(from);
    const begin = ordinal === ROOT ? 0 : this.#positionOf(ordinal);
    return this.#lineTo(this.#ordinalOf(head)).from(begin);
  }

  /** What stands in the files the session changed, on the line to `head` (default: the session's head). */
  files(head?: string | null): FileState[] {
    const path = this.#outline.path(this.#ordinalOf(head));
    const until = new Map([[ROOT, this.#positionOf(path[0])]]);
    path.forEach((ordinal, index) => until.set(ordinal, this.#positionOf(path[index + 1])));
    return this.#files.at(until);
  }

  /** What the notes say at `head` (default: the session's head). The same object until something is added. */
  state(head?: string | null): PathState {
    const target = this.#ordinalOf(head);
    const walked = this.#walkTo(target);
    this.#walked = [walked, ...this.#walked.filter((other) => other !== walked)].slice(0, KEPT_FOLDS);
    if (walked.made?.position !== this.#position) {
      const state = walked.fold.state(this.#idOf(target), this.#facts);
      walked.made = { position: this.#position, state };
    }
    return walked.made.state;
  }

  /** Extends a kept fold that stands on the path to `target` and has not seen too much, or begins at the root. */
  #walkTo(target: number): Walked {
    const ahead: number[] = [];
    let next = ROOT;
    for (let at = target; ; at = this.#outline.parent(at)) {
      const limit = next === ROOT ? Infinity : this.#positionOf(next);
      const kept = this.#walked.find((walked) => walked.ordinal === at && walked.until <= limit);
      if (kept !== undefined) return this.#extend(kept, ahead.reverse());
      if (at === ROOT) break;
      const begun = this.#begunAt(at);
      if (begun !== undefined) return this.#extend(begun, ahead.reverse());
      ahead.push(at);
      next = at;
    }
    const fresh = { ordinal: ROOT, until: 0, fold: new PathAccumulator(), made: null };
    return this.#extend(fresh, ahead.reverse());
  }

  /** The base knows what holds there before the entry's own notes. */
  #begunAt(ordinal: number): Walked | undefined {
    const state = this.#base?.checkpoint(ordinal);
    if (state === undefined) return undefined;
    return { ordinal, until: this.#positionOf(ordinal), fold: PathAccumulator.from(state), made: null };
  }

  #extend(walked: Walked, ahead: readonly number[]): Walked {
    for (const ordinal of ahead) this.#step(walked, ordinal);
    this.#takeNotes(walked, this.#position);
    return walked;
  }

  #step(walked: Walked, ordinal: number): void {
    const position = this.#positionOf(ordinal);
    this.#takeNotes(walked, position);
    walked.fold.enter(this.#digestOf(ordinal));
    walked.ordinal = ordinal;
    walked.until = position;
    walked.made = null;
  }

  #takeNotes(walked: Walked, until: number): void {
    const notes = this.#notesOn(walked.ordinal);
    // Those taken before stand at the front; search from the end, where the new ones are.
    let from = notes.length;
    while (from > 0 && (notes[from - 1]?.position ?? 0) >= walked.until) from--;
    for (const { position, note } of notes.slice(from)) {
      if (position >= until) break;
      if (note !== null) walked.fold.note(note);
    }
    walked.until = until;
  }

  /** Everything, for an index that a fold can go on from. */
  image(): FoldImage {
    const ordinals = [...this.#outline.nodes.keys()];
    const notes = [ROOT, ...ordinals].flatMap((ordinal) =>
      this.#notesOn(ordinal).map((placed) => ({ ordinal, placed })),
    );
    return {
      position: this.#position,
      head: this.#head,
      nodes: this.#outline.nodes,
      seldom: this.#outline.seldom,
      positions: ordinals.map((ordinal) => this.#positionOf(ordinal)),
      sessionWide: this.#sessionWide,
      digests: ordinals.map((ordinal) => this.#digestOf(ordinal)),
      notes,
      facts: this.#facts,
      files: this.#files.all(),
      checkpoints: this.#checkpoints(),
    };
  }

  /** Along the line to the head: others leave it soon after one of them. */
  #checkpoints(): Checkpoint[] {
    const path = this.#outline.path(this.#head);
    const walked: Walked = { ordinal: ROOT, until: 0, fold: new PathAccumulator(), made: null };
    let steps = 0;
    return path.flatMap((ordinal) => {
      this.#step(walked, ordinal);
      steps++;
      // Where much is open, as in a log whose results cannot be read, all of it is in each.
      const isKept = steps >= Math.max(CHECKPOINT_EVERY, walked.fold.open) || ordinal === this.#head;
      if (!isKept) return [];
      steps = 0;
      return [{ ordinal, state: walked.fold.save() }];
    });
  }

  get #baseCount(): number {
    return this.#base?.parents.length ?? 0;
  }

  #idOf(ordinal: number): string | null {
    // The head is asked for by whoever opens a session, the others by few.
    if (this.#base !== undefined && ordinal === this.#base.head) return this.#base.headId;
    return this.#outline.node(ordinal)?.[0] ?? null;
  }

  #digestOf(ordinal: number): Digest {
    const added = ordinal - this.#baseCount;
    if (this.#base !== undefined && added < 0) return this.#base.digest(ordinal);
    const digest = this.#digests[added];
    if (digest === undefined) throw new RangeError(`there is no conversation entry ${String(ordinal)}`);
    return digest;
  }

  #notesOn(ordinal: number): readonly PlacedNote[] {
    const before = this.#base === undefined || ordinal >= this.#baseCount ? NONE : this.#base.notes(ordinal);
    const added = this.#notes.get(ordinal) ?? NONE;
    if (before.length === 0) return added;
    return added.length === 0 ? before : [...before, ...added];
  }

  #positionOf(ordinal: number | undefined): number {
    if (ordinal === undefined) return Infinity;
    const added = ordinal - this.#baseCount;
    return (added < 0 ? this.#base?.positions[ordinal] : this.#positions[added]) ?? Infinity;
  }

  #ordinalOf(head: string | null | undefined): number {
    return head === undefined ? this.#head : this.#outline.ordinal(head);
  }
}
