/** The list's rows with those of subagents apart: each stands below the session that gave it its task. */
import type { SessionSummary } from '../../log/store.js';
import { parentSessionOf } from '../../shared/route.js';

export interface NestedRows {
  sessions: SessionSummary[];
  /** Of subagents, by the session they work for. */
  below: Map<string, SessionSummary[]>;
}

/** One whose parent is not among the rows stands by itself: nothing is hidden. */
export function nestRows(all: readonly SessionSummary[]): NestedRows {
  const ids = new Set(all.map(({ id }) => id));
  const sessions: SessionSummary[] = [];
  const below = new Map<string, SessionSummary[]>();
  for (const summary of all) {
    const parent = parentSessionOf(summary.id);
    if (parent === undefined || !ids.has(parent)) sessions.push(summary);
    else below.set(parent, [...(below.get(parent) ?? []), summary]);
  }
  return { sessions, below };
}
