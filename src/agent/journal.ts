/** Reading the stream journal: text of an attempt that no entry holds. */
import type { PathState } from '../shared/fold/types.js';
import type { Core, Partial } from './core.js';

export interface LeftText {
  turn_id: string;
  parent_id: string | null;
  partial: Partial;
}

/** What the journal holds that the log does not. */
export async function journalPartial(core: Core): Promise<LeftText | null> {
  const left = await core.log.journal.read();
  if (left === null) return null;
  const { attempt_id, parent_id, turn_id } = left.head;
  if (await isInLog(core, attempt_id, parent_id)) return null;
  return { turn_id, parent_id, partial: { attempt_id, text: left.text, reasoning: left.reasoning } };
}

/** An attempt's entry stands below the entry the attempt followed. */
async function isInLog(core: Core, attempt_id: string, parent_id: string | null): Promise<boolean> {
  const { outline } = core.log;
  const parent = parent_id === null ? -1 : outline.findIndex(([id]) => id === parent_id);
  for (const [id, at] of outline) {
    if (at !== parent) continue;
    const entry = await core.log.entry(id);
    if (entry !== undefined && 'attempt_id' in entry && entry.attempt_id === attempt_id) return true;
  }
  return false;
}

/** While a wait of its turn is open the text may still be replaced by the restarted step. */
export const isJournalKept = (state: PathState, turn_id: string): boolean =>
  state.wait !== null && state.turn?.turn_id === turn_id;
