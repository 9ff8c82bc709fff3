/**
 * What of a session goes into a copy, of one of its lines or of all, and where it hangs there. Pure: it sees each entry
 * once in file order, then says for each what becomes of it, then how the copy ends. Every entry of the copy reaches its
 * root: whatever stood on an entry that is left out hangs on the nearest one that is not.
 */
import { APPROVAL_STATE } from '../shared/approval-state.js';
import { CUT_COPY } from '../shared/fold/stand-in.js';
import { isConversation, type Draft, type Entry } from '../shared/notes.js';
import type { OutlineNode } from '../shared/fold/types.js';

export interface CopyExtent {
  outline: readonly OutlineNode[];
  /** Ids of the conversation entries that are copied, in file order. */
  kept: readonly string[];
  /** The copy's head, one of those. */
  head: string | null;
  /** It may have come from anywhere: the copy's word on files is not ours. */
  isForeign: boolean;
  /** All of a session: a turn without an end has none in the original either. */
  isWhole?: boolean;
}

interface Turn {
  start_id: string;
  steps: number;
  /** Its end stands in the copy. */
  hasEnd: boolean;
  wait: string | undefined;
}

export class CopyPlan {
  readonly isForeign: boolean;
  readonly #isWhole: boolean;
  readonly #head: string | null;
  readonly #isHeadLast: boolean;
  readonly #kept: ReadonlySet<string>;
  readonly #parents: ReadonlyMap<string, string | null>;
  readonly #turns = new Map<string, Turn>();
  #turn: Turn | undefined;
  #name: string | undefined;
  #tags: string[] | undefined;

  constructor({ outline, kept, head, isForeign, isWhole = false }: CopyExtent) {
    this.isForeign = isForeign;
    this.#isWhole = isWhole;
    this.#head = head;
    this.#isHeadLast = (kept.at(-1) ?? null) === head;
    this.#kept = new Set(kept);
    this.#parents = new Map(outline.map(([id, parent]) => [id, outline[parent]?.[0] ?? null]));
  }

  see(entry: Entry): void {
    const named = entry.turn_id === undefined ? undefined : this.#turns.get(entry.turn_id);
    const turn = named ?? this.#turn;
    switch (entry.type) {
      case 'turn_start':
        this.#turn = { start_id: entry.id, steps: 0, hasEnd: false, wait: undefined };
        this.#turns.set(entry.turn_id, this.#turn);
        return;
      case 'turn_end':
        if (named !== undefined && !this.#isCut(entry.parent_id)) named.hasEnd = true;
        return;
      case 'step_start':
        if (turn !== undefined) turn.wait = undefined;
        return;
      case 'step_end':
        if (turn !== undefined) turn.steps = Math.max(turn.steps, entry.step);
        return;
      case 'retry_start':
      case 'resume_start':
        if (turn !== undefined) turn.wait = entry.id;
        return;
      case 'retry_end':
        if (turn !== undefined) turn.wait = undefined;
        return;
      case 'session_info':
        this.#name = entry.name ?? this.#name;
        this.#tags = entry.tags ?? this.#tags;
        return;
      case 'message':
        if (turn !== undefined && entry.role === 'assistant') turn.wait = undefined;
        return;
      default:
        return;
    }
  }

  /** Undefined for what is left out, else its parent in the copy. */
  place(entry: Entry): { parent_id: string | null } | undefined {
    if (isConversation(entry) && !this.#kept.has(entry.id)) return undefined;
    return this.#isLeftOut(entry) ? undefined : { parent_id: this.#nearestKept(entry.parent_id) };
  }

  /** What the copy ends with: where its head is, the ends of the turns that were cut, what the session is called. */
  ending(): Draft[] {
    const head: Draft[] = this.#isHeadLast ? [] : [{ type: 'head', entry_id: this.#head }];
    const ends = [...this.#turns].flatMap(([turn_id, turn]) => (turn.hasEnd ? [] : this.#end(turn_id, turn)));
    if (this.#name === undefined && this.#tags === undefined) return [...head, ...ends];
    const name = this.#name === undefined ? {} : { name: this.#name };
    const tags = this.#tags === undefined ? {} : { tags: this.#tags };
    return [...head, ...ends, { type: 'session_info', ...name, ...tags, parent_id: this.#head }];
  }

  /** Of a turn that was cut by where the copy was taken, or that has no end where it came from. */
  #end(turn_id: string, { start_id, steps }: Turn): Draft[] {
    const at = { turn_id, steps, parent_id: this.#head };
    if (!this.#isWhole) return [{ type: 'turn_end', ...at, status: 'stopped', is_cut: true }];
    const recovery = { turn_start_id: start_id, orphan_results: 0, closed_step: null, reason: CUT_COPY };
    return [
      { type: 'turn_end', ...at, status: 'interrupted' },
      { type: 'session_recovery', ...at, ...recovery },
    ];
  }

  #isLeftOut(entry: Entry): boolean {
    switch (entry.type) {
      // The copy's head is its last entry, its header is its own, and it is not archived because the original is.
      case 'head':
      case 'session_info':
      case 'queue_update':
        return true;
      // What may run without a card was said for the original, by who knows whom.
      case 'extension_data':
        return entry.ext_type === APPROVAL_STATE;
      case 'label':
        return !this.#kept.has(entry.target_id);
      case 'turn_end':
        return this.#turns.get(entry.turn_id)?.hasEnd !== true;
      case 'retry_start':
      case 'resume_start':
        return this.#isOpenWait(entry.id);
      default:
        return false;
    }
  }

  #isOpenWait(id: string): boolean {
    for (const { wait, hasEnd } of this.#turns.values()) if (wait === id && !hasEnd) return true;
    return false;
  }

  /** A turn whose end stands behind the fork point did not end in the copy; one that was ended elsewhere did. */
  #isCut(parent: string | null): boolean {
    if (parent === null || this.#kept.has(parent)) return false;
    return this.#nearestKept(parent) === this.#head;
  }

  #nearestKept(id: string | null): string | null {
    let at = id;
    while (at !== null && !this.#kept.has(at)) at = this.#parents.get(at) ?? null;
    return at;
  }
}
