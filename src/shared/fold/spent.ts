/** What each turn that is over cost, told at the last row of it. */
import type { Entry } from '../notes.js';
import type { Row, Spent } from './types.js';

/** By turn; of those only whose cost is known and whose entries are all here: a part of a sum says nothing. Requests of subagents and summaries count for the turn that made them. */
export function spentByTurn(entries: readonly { entry: Entry }[]): Map<string, Spent> {
  const spent = new Map<string, Spent>();
  const begun = new Set<string>();
  const over = new Set<string>();
  for (const { entry } of entries) {
    if (entry.type === 'turn_start') begun.add(entry.turn_id);
    if (entry.type === 'turn_end') over.add(entry.turn_id);
    if (entry.type !== 'usage' || entry.turn_id === undefined || entry.cost === undefined) continue;
    const before = spent.get(entry.turn_id) ?? { tokens: 0, cost: 0 };
    spent.set(entry.turn_id, {
      tokens: before.tokens + entry.total_tokens,
      cost: before.cost + entry.cost,
    });
  }
  for (const turn of [...spent.keys()]) if (!begun.has(turn) || !over.has(turn)) spent.delete(turn);
  return spent;
}

/** Marks the last row of each turn with what it cost. */
export function tellSpent(rows: Row[], spent: ReadonlyMap<string, Spent>): void {
  if (spent.size === 0) return;
  const told = new Set<string>();
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    const turn = row?.entry.turn_id;
    if (row === undefined || turn === undefined || row.kind === 'user' || told.has(turn)) continue;
    const cost = spent.get(turn);
    if (cost === undefined) continue;
    told.add(turn);
    rows[index] = { ...row, spent: cost };
  }
}
