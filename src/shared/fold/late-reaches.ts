/**
 * How far what came behind a base reaches back into it: of the ends, decisions and starts that came since, only those of
 * something that a node of the base, or a note that came since and stands on one, had left open.
 */
import type { Entry } from '../notes.js';
import type { FoldBase, PlacedNote } from './base.js';
import { ROOT } from './outline.js';
import type { SessionFacts } from './session-facts.js';

/** From this node on, lines may name what stands at `position`. */
interface Reach {
  ordinal: number;
  position: number;
}

export class LateReaches {
  readonly #base: FoldBase;
  readonly #facts: SessionFacts;
  /** What notes that came since, on nodes of the base, have begun: by its key, the first of these nodes. */
  readonly #begun = new Map<string, number>();
  /** Both grow: one that reaches further and from a node before makes those behind it needless. */
  readonly #reaches: Reach[] = [];

  constructor(base: FoldBase, facts: SessionFacts) {
    this.#base = base;
    this.#facts = facts;
  }

  /** After the facts took it. Positions grow. */
  add(entry: Entry, position: number): void {
    const key = this.#keyOf(entry, position);
    if (key === undefined) return;
    const before = this.#base.opened(key);
    const since = this.#begun.get(key);
    if (before === undefined && since === undefined) return;
    const ordinal = Math.min(before ?? Infinity, since ?? Infinity);
    while ((this.#reaches.at(-1)?.ordinal ?? ROOT - 1) >= ordinal) this.#reaches.pop();
    this.#reaches.push({ ordinal, position });
  }

  /** Undefined for what is no end, decision or start, or not the first. */
  #keyOf(entry: Entry, position: number): string | undefined {
    const { ends, decisions, starts } = this.#facts;
    switch (entry.type) {
      case 'turn_end':
        return ends.positionAdded(entry.turn_id) === position ? entry.turn_id : undefined;
      case 'approval_decision':
        return decisions.positionAdded(entry.request_id) === position ? entry.request_id : undefined;
      case 'tool_start':
        return starts.positionAdded(entry.call_id) === position ? entry.call_id : undefined;
      default:
        return undefined;
    }
  }

  /**
   * A note that came since, on a node of the base. It is no reach itself, nor is what came before it: it counts where the
   * next node came since too.
   */
  begin(ordinal: number, { id, note }: PlacedNote): void {
    const key =
      note?.type === 'turn_start' ? note.turn_id : note?.type === 'approval_request' ? id : undefined;
    if (key !== undefined) this.#begun.set(key, Math.min(ordinal, this.#begun.get(key) ?? Infinity));
  }

  /** The last position that a node of the base (−1: what stands before the first), or one above it, may name. */
  of(ordinal: number): number {
    const late = this.#reaches.findLast((reach) => reach.ordinal <= ordinal);
    return Math.max(this.#base.reach(ordinal), late?.position ?? -1);
  }
}
