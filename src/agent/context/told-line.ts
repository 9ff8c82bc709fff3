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
  const placeOf = placesIn(nodes);
  const kept = await keptFrom(log, compactions, placeOf);
  if (kept === undefined) return log.line(head);
  const begin = await beforeCollapsed(log, nodes, placeOf, kept);
  const from = nodes[begin];
  if (from === undefined) return log.line(head);
  // Skills outlive a compaction.
  const skills = await log.entries(idsOf(nodes.slice(0, begin), 'skill_load'));
  return [...skills, ...(await log.lineFrom(from[0], head))];
}

/** So many of a line's last nodes are looked through before there is a table of all. */
const NEAR = 2_000;

/** −1 for what is not on the line. What is asked for stands near the end, and a line may be long. */
function placesIn(nodes: readonly OutlineNode[]): (id: string) => number {
  let all: ReadonlyMap<string, number> | undefined;
  return (id) => {
    const until = Math.max(0, nodes.length - NEAR);
    for (let place = nodes.length - 1; place >= until; place--) if (nodes[place]?.[0] === id) return place;
    all ??= new Map(nodes.map((node, place) => [node[0], place]));
    return all.get(id) ?? -1;
  };
}

function idsOf(nodes: readonly OutlineNode[], wanted: OutlineNode[2]): string[] {
  const ids: string[] = [];
  for (const node of nodes) if (node[2] === wanted) ids.push(node[0]);
  return ids;
}

/** Where the kept part of the last compaction that can be applied begins. */
async function keptFrom(
  log: Log,
  compactions: readonly string[],
  placeOf: (id: string) => number,
): Promise<number | undefined> {
  for (const id of compactions.toReversed()) {
    const entry = (await log.entries([id]))[0]?.entry;
    const first = entry?.type === 'compaction' ? placeOf(entry.first_kept_entry_id) : -1;
    if (first !== -1 && first <= placeOf(id)) return first;
  }
  return undefined;
}

/** Ranges that are replaced count whole, and so do those they touch. */
async function beforeCollapsed(
  log: Log,
  nodes: readonly OutlineNode[],
  placeOf: (id: string) => number,
  kept: number,
): Promise<number> {
  let begin = kept;
  for (let until = nodes.length; until > begin;) {
    const summaries = await log.entries(idsOf(nodes.slice(begin, until), 'branch_summary'));
    until = begin;
    for (const { entry } of summaries) {
      if (entry.type !== 'branch_summary' || entry.collapse !== true) continue;
      const from = placeOf(entry.from_id);
      if (from !== -1) begin = Math.min(begin, from);
    }
  }
  return begin;
}
