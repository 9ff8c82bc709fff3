/**
 * Which of the entries that are here count for the line that is shown. Bodies of lines that were left stay, so that going
 * back to them takes no time; what was asked, decided and waited for there says nothing of this one.
 */
import { isConversation, type Entry } from '../src/shared/notes.js';

export interface Placed {
  position: number;
  entry: Entry;
}

/** In file order. `path`: ids of the end of the line whose bodies are here; `isWhole`: it begins with the line's root. */
export function entriesOfLine(
  entries: ReadonlyMap<string, Placed>,
  path: readonly string[],
  isWhole: boolean,
): Placed[] {
  // What is noted on a node once the line has gone on from it belongs to one that leaves it there.
  const until = new Map<string | null, number>();
  let before: string | null = null;
  for (const id of path) {
    if (before !== null || isWhole) until.set(before, entries.get(id)?.position ?? Infinity);
    before = id;
  }
  until.set(before, Infinity);
  const own = [...entries.values()].filter(({ position, entry }) => {
    if (isConversation(entry)) return until.has(entry.id);
    // These are about what they name, wherever they stand.
    if (entry.type === 'turn_end' || entry.type === 'approval_decision' || entry.type === 'tool_start')
      return true;
    const begin = entry.parent_id === null ? -1 : (entries.get(entry.parent_id)?.position ?? Infinity);
    return position > begin && position < (until.get(entry.parent_id) ?? -1);
  });
  return own.sort((a, b) => a.position - b.position);
}
