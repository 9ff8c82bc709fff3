/**
 * Of a line only what decides what the model is told, so that a request costs what it says, however long the conversation
 * is: {@link selectPath} makes the same of it as of the whole.
 */
import type { PlacedEntry, SessionLog } from '../../log/store.js';
import type { OutlineNode } from '../../shared/fold/types.js';

type Log = Pick<SessionLog, 'head' | 'nodes' | 'entries' | 'line' | 'lineFrom'>;

/** Of the line to `head` (default: the log's own). */
export async function toldLine(log: Log, head = log.head): Promise<PlacedEntry[]> {
  const nodes = log.nodes(head);
  const compactions = idsOf(nodes, 'compaction');
  if (compactions.length === 0) return log.line(head);
  const places = new Map(nodes.map(([id], place) => [id, place]));
  const kept = await keptFrom(log, compactions, places);
  if (kept === undefined) return log.line(head);
  const begin = await beforeCollapsed(log, nodes, places, kept);
  const from = nodes[begin];
  if (from === undefined) return log.line(head);
  // Skills outlive a compaction.
  const skills = await log.entries(idsOf(nodes.slice(0, begin), 'skill_load'));
  return [...skills, ...(await log.lineFrom(from[0], head))];
}

const idsOf = (nodes: readonly OutlineNode[], wanted: OutlineNode[2]): string[] =>
  nodes.flatMap(([id, , type]) => (type === wanted ? [id] : []));

/** Where the kept part of the last compaction that can be applied begins. */
async function keptFrom(
  log: Log,
  compactions: readonly string[],
  places: ReadonlyMap<string, number>,
): Promise<number | undefined> {
  for (const id of compactions.toReversed()) {
    const entry = (await log.entries([id]))[0]?.entry;
    const first = entry?.type === 'compaction' ? places.get(entry.first_kept_entry_id) : undefined;
    if (first !== undefined && first <= (places.get(id) ?? -1)) return first;
  }
  return undefined;
}

/** Ranges that are replaced count whole, and so do those they touch. */
async function beforeCollapsed(
  log: Log,
  nodes: readonly OutlineNode[],
  places: ReadonlyMap<string, number>,
  kept: number,
): Promise<number> {
  let begin = kept;
  for (let until = nodes.length; until > begin;) {
    const summaries = await log.entries(idsOf(nodes.slice(begin, until), 'branch_summary'));
    until = begin;
    for (const { entry } of summaries) {
      if (entry.type !== 'branch_summary' || entry.collapse !== true) continue;
      begin = Math.min(begin, places.get(entry.from_id) ?? begin);
    }
  }
  return begin;
}
