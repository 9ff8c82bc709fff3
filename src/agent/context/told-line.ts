/**
 * Of a line only what decides what the model is told, so that a request costs what it says, however long the conversation
 * is: {@link selectPath} makes the same of it as of the whole.
 */
import type { PlacedEntry, SessionLog } from '../../log/store.js';
import type { LineNodes } from '../../shared/fold/line-nodes.js';

type Log = Pick<SessionLog, 'head' | 'lineNodes' | 'entries' | 'line' | 'lineFrom'>;

/** Of the line to `head` (default: the log's own). */
export async function toldLine(log: Log, head = log.head): Promise<PlacedEntry[]> {
  const nodes = log.lineNodes(head);
  const kept = await keptFrom(log, nodes);
  if (kept === undefined) return log.line(head);
  const begin = await beforeCollapsed(log, nodes, kept);
  const from = nodes.at(begin);
  if (from === undefined) return log.line(head);
  // Skills outlive a compaction.
  const skills = await log.entries(idsOf(nodes, nodes.ofType('skill_load', begin)).reverse());
  return [...skills, ...(await log.lineFrom(from[0], head))];
}

const idsOf = (nodes: LineNodes, places: Iterable<number>): string[] =>
  Array.from(places, (place) => nodes.at(place)?.[0] ?? '');

/** Where the kept part of the last compaction that can be applied begins. */
async function keptFrom(log: Log, nodes: LineNodes): Promise<number | undefined> {
  for (const place of nodes.ofType('compaction')) {
    const entry = (await log.entries(idsOf(nodes, [place])))[0]?.entry;
    const first = entry?.type === 'compaction' ? nodes.placeOf(entry.first_kept_entry_id) : -1;
    if (first !== -1 && first <= place) return first;
  }
  return undefined;
}

/** Ranges that are replaced count whole, and so do those they touch. */
async function beforeCollapsed(log: Log, nodes: LineNodes, kept: number): Promise<number> {
  let begin = kept;
  for (let until = nodes.length; until > begin;) {
    const places = [...nodes.ofType('branch_summary', until)].filter((place) => place >= begin);
    const summaries = await log.entries(idsOf(nodes, places.reverse()));
    until = begin;
    for (const { entry } of summaries) {
      if (entry.type !== 'branch_summary' || entry.collapse !== true) continue;
      const from = nodes.placeOf(entry.from_id);
      if (from !== -1) begin = Math.min(begin, from);
    }
  }
  return begin;
}
