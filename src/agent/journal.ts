/** The stream journal from the agent's side: text of an attempt that no entry holds, and its orderly end. */
import { isBoughError } from '../shared/failure.js';
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
  return { turn_id, parent_id, partial: { attempt_id, text: left.text, reasoning: left.reasoning } };
}

/** While a wait of its turn is open the text may still be replaced by the restarted step. */
export const isJournalKept = (state: PathState, turn_id: string): boolean =>
  state.wait !== null && state.turn?.turn_id === turn_id;

/** What it held is in the log. One that cannot be removed does no harm: its attempt is known there. */
export async function endJournal(core: Core): Promise<void> {
  try {
    await core.log.journal.end();
  } catch (error) {
    if (!isBoughError(error)) throw error;
    core.parts.log('warn', error.message);
  }
}
