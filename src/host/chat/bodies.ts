/** Bodies a view asks for by id, in file order, with the notes that belong to them. Unknown ids are left out. */
import type { PlacedEntry, SessionLog } from '../../log/store.js';
import { isConversation } from '../../shared/notes.js';
import type { Fitted } from './fitted.js';

export async function readBodies(
  log: Pick<SessionLog, 'outline' | 'nodes' | 'lineFrom'>,
  fitted: Fitted,
  ids: readonly string[],
): Promise<PlacedEntry[]> {
  const missing = new Set(ids);
  const newestFirst = log.outline.flatMap(([id]) => (missing.has(id) ? [id] : [])).reverse();
  const found = new Map<number, PlacedEntry>();
  for (const id of newestFirst) {
    // One line usually holds all that are asked for.
    if (!missing.has(id)) continue;
    const first = log.nodes(id).find(([node]) => missing.has(node))?.[0] ?? id;
    for (const placed of withNotes(await log.lineFrom(first, id), missing))
      found.set(placed.position, placed);
    for (const { entry } of found.values()) missing.delete(entry.id);
  }
  const sorted = [...found.values()].sort((a, b) => a.position - b.position);
  return fitted.all(sorted);
}

function withNotes(line: readonly PlacedEntry[], wanted: ReadonlySet<string>): PlacedEntry[] {
  let isWanted = false;
  return line.filter(({ entry }) => {
    if (isConversation(entry)) isWanted = wanted.has(entry.id);
    return isWanted;
  });
}
