/**
 * The tree as links: nodes in file order whose parents stand before them, so that every walk ends. Gives paths, newest
 * leaves and forks without any body.
 */
import type { ConversationEntry, ConversationType, Message } from '../entry.js';
import { OutlineFlag, type Fork, type OutlineNode } from './types.js';

export const PREVIEW_LENGTH = 80;

/** The parent's ordinal of a root. */
export const ROOT = -1;

/** How often an id is looked for among the last nodes, and among how many, before there is a table of all. */
const LOOKS = 16;
const NEAR = 2_000;

/** First words of a text on one line, at most {@link PREVIEW_LENGTH} characters, never half a character. */
export function firstWords(text: string): string {
  const beginning = onOneLine(text.slice(0, 2 * PREVIEW_LENGTH));
  const line = beginning.length > PREVIEW_LENGTH + 1 ? beginning : onOneLine(text.slice(0, 1000));
  if (line.length <= PREVIEW_LENGTH) return line;
  const cut = line.slice(0, PREVIEW_LENGTH - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().toWellFormed();

function messagePreview(message: Message): string {
  for (const part of message.parts) {
    if (part.type === 'text') {
      const words = firstWords(part.text || (part.preview ?? ''));
      if (words !== '') return words;
    }
  }
  const names: string[] = [];
  for (const part of message.parts) if ('name' in part) names.push(part.name);
  return firstWords(names.join(', '));
}

function previewOf(entry: ConversationEntry): string {
  switch (entry.type) {
    case 'message':
      return messagePreview(entry);
    case 'incomplete_output':
      return firstWords(entry.text || (entry.preview ?? ''));
    case 'compaction':
    case 'branch_summary':
      return firstWords(entry.summary);
    case 'skill_load':
      return firstWords(entry.name);
  }
}

function flagsOf(entry: ConversationEntry): number {
  if (entry.type === 'incomplete_output') {
    return OutlineFlag.incomplete | (entry.error === undefined ? 0 : OutlineFlag.error);
  }
  if (entry.type !== 'message') return 0;
  let flags: number = OutlineFlag[entry.role];
  for (const part of entry.parts) {
    if (part.type === 'tool_call') flags |= OutlineFlag.calls;
    if (part.type === 'tool_result' && part.is_error) flags |= OutlineFlag.error;
  }
  return flags;
}

export function outlineNode(entry: ConversationEntry, parent: number, recovered: boolean): OutlineNode {
  const flags = flagsOf(entry) | (recovered ? OutlineFlag.recovered : 0);
  return [entry.id, parent, entry.type, flags, previewOf(entry)];
}

/** A message that has a row of its own: tool messages live in the cards of the calls they answer. */
const isShownMessage = (node: OutlineNode): boolean =>
  node[2] === 'message' && (node[3] & OutlineFlag.tool) === 0;

/** Nodes that are few on any line. */
export type SeldomType = Exclude<ConversationType, 'message' | 'incomplete_output'>;

/** Ordinals, ascending. */
export type Seldom = Record<SeldomType, number[]>;

const isSeldom = (type: ConversationType): type is SeldomType =>
  type !== 'message' && type !== 'incomplete_output';

/** First and last child and next sibling by ordinal + 1, so that 0 stands for the roots' common parent. */
class Siblings {
  readonly first: number[];
  readonly last: number[];
  readonly next: number[];
  leaves = 0;

  constructor(size: number, parentOf: (ordinal: number) => number) {
    this.first = Array<number>(size + 1).fill(ROOT);
    this.last = [...this.first];
    this.next = [...this.first];
    for (let ordinal = 0; ordinal < size; ordinal++) this.#link(ordinal, parentOf(ordinal));
  }

  add(ordinal: number, parent: number): void {
    this.first.push(ROOT);
    this.last.push(ROOT);
    this.next.push(ROOT);
    this.#link(ordinal, parent);
  }

  #link(ordinal: number, parent: number): void {
    const last = this.last[parent + 1] ?? ROOT;
    if (last === ROOT) this.first[parent + 1] = ordinal;
    else this.next[last + 1] = ordinal;
    this.last[parent + 1] = ordinal;
    // The first below a leaf takes its place as the end of a line.
    if (last !== ROOT || parent === ROOT) this.leaves++;
  }
}

/** What an outline goes on from: links at once, nodes when they are asked for. */
export interface OutlineBase {
  readonly parents: Int32Array;
  readonly nodes: () => readonly OutlineNode[];
  /** One of them, where that costs less than all. */
  readonly node?: (ordinal: number) => OutlineNode | undefined;
  /** −1 when there is none of this id. Absent: a table of all is made. */
  readonly ordinalOf?: (id: string) => number;
  /** Absent: they are looked for. */
  readonly seldom?: Readonly<Record<SeldomType, readonly number[]>>;
}

/** An index over outline nodes; grows by {@link add}. What it looks things up by is made when it is first needed. */
export class Outline {
  /** Undefined until the base is asked for its nodes. */
  #made: OutlineNode[] | undefined;
  #base: OutlineBase | undefined;
  #ordinals: Map<string, number> | undefined;
  #siblings: Siblings | undefined;
  #seldom: Seldom | undefined;
  #looks = 0;
  #newest: Int32Array = new Int32Array(0);
  /** What was looked up last: notes follow each other on the same node. */
  #found: { id: string; ordinal: number } | undefined;

  constructor(nodes: Iterable<OutlineNode> = []) {
    for (const node of nodes) this.add(node);
  }

  /** Of nodes as another outline has them. */
  static of(base: OutlineBase): Outline {
    const outline = new Outline();
    outline.#base = base;
    return outline;
  }

  get nodes(): readonly OutlineNode[] {
    return this.#nodes;
  }

  get size(): number {
    return this.#made?.length ?? this.#base?.parents.length ?? 0;
  }

  get #nodes(): OutlineNode[] {
    return (this.#made ??= [...(this.#base?.nodes() ?? [])]);
  }

  /** Of all, or of those that the base does not find itself. */
  get #places(): Map<string, number> {
    return (this.#ordinals ??= new Map(
      this.#base?.ordinalOf === undefined ? this.#nodes.map(([id], ordinal) => [id, ordinal]) : [],
    ));
  }

  #inBase(id: string): number {
    return this.#base?.ordinalOf?.(id) ?? ROOT;
  }

  get #links(): Siblings {
    return (this.#siblings ??= new Siblings(this.size, (ordinal) => this.parent(ordinal)));
  }

  /** Ordinals of all nodes of this type, ascending. */
  ofType(type: SeldomType): readonly number[] {
    return this.seldom[type];
  }

  get seldom(): Seldom {
    return (this.#seldom ??= this.#findSeldom());
  }

  #findSeldom(): Seldom {
    const known = this.#base?.seldom;
    const lists: Seldom = {
      compaction: [...(known?.compaction ?? [])],
      branch_summary: [...(known?.branch_summary ?? [])],
      skill_load: [...(known?.skill_load ?? [])],
    };
    const before = known === undefined ? 0 : (this.#base?.parents.length ?? 0);
    for (let ordinal = before; ordinal < this.size; ordinal++) {
      const type = this.node(ordinal)?.[2];
      if (type !== undefined && isSeldom(type)) lists[type].push(ordinal);
    }
    return lists;
  }

  /** Appends a node. A known id is ignored; a parent that does not stand before it makes it a root. */
  add(node: OutlineNode): void {
    const places = this.#places;
    if (places.has(node[0]) || this.#inBase(node[0]) !== ROOT) return;
    const ordinal = this.#nodes.length;
    const valid = Number.isInteger(node[1]) && node[1] >= 0 && node[1] < ordinal;
    const parent = valid ? node[1] : ROOT;
    this.#nodes.push(parent === node[1] ? node : [node[0], parent, node[2], node[3], node[4]]);
    places.set(node[0], ordinal);
    this.#siblings?.add(ordinal, parent);
    if (isSeldom(node[2])) this.#seldom?.[node[2]].push(ordinal);
  }

  /** −1 when there is no such conversation entry. */
  ordinal(id: string | null): number {
    if (id === null) return ROOT;
    if (this.#found?.id === id) return this.#found.ordinal;
    const ordinal = this.#lookUp(id);
    if (ordinal === ROOT) return ROOT;
    this.#found = { id, ordinal };
    return ordinal;
  }

  #lookUp(id: string): number {
    if (this.#base?.ordinalOf === undefined) return this.#nearEnd(id) ?? this.#places.get(id) ?? ROOT;
    return this.#ordinals?.get(id) ?? this.#inBase(id);
  }

  /** Few are asked for of an outline that is only looked at, mostly of its last: it takes no table of all. */
  #nearEnd(id: string): number | undefined {
    if (this.#ordinals !== undefined || this.#looks >= LOOKS) return undefined;
    this.#looks++;
    const until = Math.max(0, this.size - NEAR);
    for (let at = this.size - 1; at >= until; at--) if (this.node(at)?.[0] === id) return at;
    return undefined;
  }

  node(ordinal: number): OutlineNode | undefined {
    if (this.#made === undefined && this.#base?.node !== undefined) return this.#base.node(ordinal);
    return this.#nodes[ordinal];
  }

  /** −1 at a root. */
  parent(ordinal: number): number {
    // Numbers that lie beside each other: a walk to the root is long.
    return this.#base?.parents[ordinal] ?? this.#made?.[ordinal]?.[1] ?? ROOT;
  }

  /** Ordinals from the root to `head`; empty for −1. */
  path(head: number): number[] {
    const path: number[] = [];
    for (let at = head; at !== ROOT; at = this.parent(at)) path.push(at);
    return path.reverse();
  }

  /** The end of {@link path} of nodes that `isThere`. */
  pathEnd(head: number, isThere: (ordinal: number) => boolean): number[] {
    const path: number[] = [];
    for (let at = head; at !== ROOT && isThere(at); at = this.parent(at)) path.push(at);
    return path.reverse();
  }

  *children(ordinal: number): Generator<number> {
    const { first, next } = this.#links;
    for (let child = first[ordinal + 1] ?? ROOT; child !== ROOT; child = next[child + 1] ?? ROOT) yield child;
  }

  isLeaf(ordinal: number): boolean {
    return (this.#links.first[ordinal + 1] ?? ROOT) === ROOT;
  }

  /** All ends of lines, oldest first. */
  leaves(): string[] {
    const leaves: string[] = [];
    this.#nodes.forEach((node, ordinal) => {
      if (this.isLeaf(ordinal)) leaves.push(node[0]);
    });
    return leaves;
  }

  /** How many lines there are. */
  get leafCount(): number {
    return this.#links.leaves;
  }

  /** The latest entry below `ordinal` (itself when nothing follows): always a leaf. */
  newestLeaf(ordinal: number): number {
    if (this.#newest.length !== this.size) {
      this.#newest = Int32Array.from({ length: this.size }, (_, at) => at);
      for (let at = this.#newest.length - 1; at >= 0; at--) {
        const parent = this.parent(at);
        const newest = this.#newest[at] ?? at;
        if (parent !== ROOT && newest > (this.#newest[parent] ?? ROOT)) this.#newest[parent] = newest;
      }
    }
    return this.#newest[ordinal] ?? ordinal;
  }

  /**
   * The forks on the path to `head`, by the entry that carries the picker: on each line after the fork point its first
   * message with a row (looking through summaries, compactions, skills, incomplete output and tool messages), or the
   * end of a line that has none, so that every line can be reached. A head before that carries the picker itself. `from`:
   * the node of the path with which that which is shown begins.
   */
  forks(head: number, from = ROOT): Map<string, Fork> {
    const forks = new Map<string, Fork>();
    let point = this.#shownBefore(from);
    let isForked = this.#hasSeveralChildren(point);
    for (const ordinal of this.pathEnd(head, (at) => at > point)) {
      const node = this.node(ordinal);
      if (node === undefined) continue;
      if (isShownMessage(node) || this.isLeaf(ordinal) || ordinal === head) {
        if (isForked) this.#addFork(forks, point, ordinal, node);
        point = ordinal;
        isForked = false;
      }
      isForked ||= this.#hasSeveralChildren(ordinal);
    }
    return forks;
  }

  /** The nearest message with a row above a node. */
  #shownBefore(ordinal: number): number {
    let at = ordinal === ROOT ? ROOT : this.parent(ordinal);
    for (; at !== ROOT; at = this.parent(at)) {
      const node = this.node(at);
      if (node !== undefined && isShownMessage(node)) break;
    }
    return at;
  }

  #hasSeveralChildren(ordinal: number): boolean {
    return this.#links.first[ordinal + 1] !== this.#links.last[ordinal + 1];
  }

  #isOnPath(ancestor: number, ordinal: number): boolean {
    let at = ordinal;
    while (at > ancestor) at = this.parent(at);
    return at === ancestor;
  }

  #addFork(forks: Map<string, Fork>, point: number, shown: number, node: OutlineNode): void {
    const lines = this.#lines(point);
    if (lines.length < 2) return;
    forks.set(node[0], {
      entry_id: node[0],
      index: lines.findIndex((line) => this.#isOnPath(shown, line)),
      siblings: lines.map((line) => ({
        entry_id: this.node(line)?.[0] ?? '',
        leaf_id: this.node(this.newestLeaf(line))?.[0] ?? '',
        preview: this.node(line)?.[4] ?? '',
      })),
    });
  }

  /** What stands for each line that leaves `point`, oldest first. */
  #lines(point: number): number[] {
    const lines: number[] = [];
    const open = [...this.children(point)];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = this.node(at);
      if (node === undefined) continue;
      if (isShownMessage(node) || this.isLeaf(at)) lines.push(at);
      else for (const child of this.children(at)) open.push(child);
    }
    return lines.sort((a, b) => a - b);
  }
}
