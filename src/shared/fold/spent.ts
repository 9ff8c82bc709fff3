/** What requests took: of each turn that is over, told at the last row of it, and of a whole line. */
import type { Entry, NoteOf } from '../notes.js';
import type { Row, Spending, Spent } from './types.js';

/**
 * By turn; of those only that are over and whose entries are all here: a part of a sum says nothing. Requests of subagents
 * and summaries count for the turn that made them.
 */
export function spentByTurn(entries: readonly { entry: Entry }[]): Map<string, Spent> {
  const spent = new Map<string, Spent>();
  const begun = new Set<string>();
  const over = new Set<string>();
  const steps = new Map<string, number>();
  for (const { entry } of entries) {
    if (entry.type === 'turn_start') begun.add(entry.turn_id);
    if (entry.type === 'turn_end') over.add(entry.turn_id);
    if (entry.type === 'step_start') steps.set(entry.attempt_id, entry.step);
    if (entry.type !== 'usage' || entry.turn_id === undefined) continue;
    let turn = spent.get(entry.turn_id);
    if (turn === undefined) spent.set(entry.turn_id, (turn = { ...noSpending(), each: [] }));
    addTo(turn, entry);
    turn.each.push({ usage: entry, step: steps.get(entry.attempt_id ?? '') });
  }
  for (const turn of [...spent.keys()]) if (!begun.has(turn) || !over.has(turn)) spent.delete(turn);
  return spent;
}

/** Of these entries, each request once. */
export function spendingOf(entries: readonly { entry: Entry }[]): Spending {
  const sum = noSpending();
  for (const { entry } of entries) if (entry.type === 'usage') addTo(sum, entry);
  return sum;
}

const noSpending = (): Spending => ({ requests: 0, tokens: 0, cost: 0, unpriced: 0 });

function addTo(sum: Spending, { total_tokens, cost }: NoteOf<'usage'>): void {
  sum.requests += 1;
  sum.tokens += total_tokens;
  if (cost === undefined) sum.unpriced += 1;
  else sum.cost += cost;
}

/** Marks the last row of each turn with what it took. */
export function tellSpent(rows: Row[], spent: ReadonlyMap<string, Spent>): void {
  if (spent.size === 0) return;
  const told = new Set<string>();
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    const turn = row?.entry.turn_id;
    if (row === undefined || turn === undefined || row.kind === 'user' || told.has(turn)) continue;
    const taken = spent.get(turn);
    if (taken === undefined) continue;
    told.add(turn);
    rows[index] = { ...row, spent: taken };
  }
}
