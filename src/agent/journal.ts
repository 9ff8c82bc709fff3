/** The stream journal from the agent's side: text of an attempt that no entry holds, and its orderly end. */
import type { StreamJournal } from '../log/store.js';
import { isBoughError } from '../shared/failure.js';
import type { PathState } from '../shared/fold/types.js';
import type { Core, Partial } from './core.js';
import { partialOf } from './partial.js';

/** For an answer that is for the log alone: nothing of it is shown or kept while it comes. */
export const noJournal: StreamJournal = {
  begin: () => Promise.resolve(),
  add: () => undefined,
  flush: () => Promise.resolve(),
  end: () => Promise.resolve(),
  read: () => Promise.resolve(null),
  output: () => Promise.resolve(null),
};

export interface LeftText {
  turn_id: string;
  parent_id: string | null;
  partial: Partial;
}

/** What the journal holds that the log does not. */
export async function journalPartial(core: Core): Promise<LeftText | null> {
  const left = await core.log.journal.read();
  if (left === null) return null;
  const { attempt_id, parent_id, turn_id, earlier = [] } = left.head;
  const last = { attempt_id, text: left.text, reasoning: left.reasoning };
  return { turn_id, parent_id, partial: partialOf(last, earlier) };
}

/** While a wait of its turn is open the text may still be replaced by the restarted step. */
export const isJournalKept = (state: PathState, turn_id: string): boolean =>
  state.wait !== null && state.turn?.turn_id === turn_id;

/** Nothing more comes of this attempt: all that did is in the file before anything is waited for. */
export async function settleJournal(core: Core): Promise<void> {
  await orWarn(core, () => core.journal.flush());
}

/** What it held is in the log. One that cannot be removed does no harm: its attempt is known there. */
export async function endJournal(core: Core): Promise<void> {
  await orWarn(core, () => core.log.journal.end());
}

/** What a call without a result had printed stays for whoever closes its turn. */
export async function endUnlessPrinted(core: Core): Promise<void> {
  const printed = await core.log.journal.output();
  const isOpen = core.log
    .state()
    .open_calls.some(({ call, status }) => call.call_id === printed?.call_id && status === 'started');
  if (!isOpen) await endJournal(core);
}

async function orWarn(core: Core, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isBoughError(error)) throw error;
    core.parts.log('warn', error.message);
  }
}
