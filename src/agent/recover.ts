/**
 * What a process that died left behind: the scan that says what is known of an open turn, the one batch that closes it,
 * and what is done at once when a session is opened. Idempotent: a repaired log has nothing to repair.
 */
import { isFailure } from '../shared/failure.js';
import {
  INTERRUPTED_RESULT,
  LOST_RESULT,
  NOT_APPROVED_RESULT,
  NOT_RUN_RESULT,
  OTHER_LINE_RESULT,
} from '../shared/fold/stand-in.js';
import type { CallState, OpenTurn, PathState } from '../shared/fold/types.js';
import type { Draft } from '../shared/notes.js';
import { standInResult } from './approvals.js';
import { openCallsOf, type Core } from './core.js';
import { incompleteOutput, resultMessage, turnEnd, type DraftOfType } from './entries.js';
import { endJournal, endUnlessPrinted, isJournalKept, journalPartial } from './journal.js';
import { printedBy } from './output-journal.js';
import { holdQueue } from './queue.js';
import { subagentOf } from './subagents.js';
import { factsOf, type TurnFacts } from './turn-facts.js';

export interface Interruption {
  turn: OpenTurn;
  calls: CallState[];
}

/** An open turn that nothing will take up by itself: not running, not waiting, no approval pending. */
export function interruptionOf(core: Core): Interruption | null {
  if (core.run !== null || core.isElsewhere) return null;
  const state = core.log.state();
  const { turn, wait } = state;
  if (turn === null) return null;
  const calls = openCallsOf(state, turn.turn_id);
  if (calls.some((call) => call.status === 'pending')) return null;
  const mayGoOn = wait?.kind === 'parked' || (wait !== null && !core.isRecovered);
  if (mayGoOn && core.unsaved?.turn_id !== turn.turn_id) return null;
  return { turn, calls };
}

/** The end of the file was torn off in this turn: what is missing there may have happened. */
export function isTorn({ log }: Pick<Core, 'log'>, turn_id: string): boolean {
  const { turn } = log.state();
  if (turn?.turn_id !== turn_id) return false;
  if (log.damage.some(({ kind, moved }) => kind === 'torn-tail' && moved !== true)) return true;
  // It was set aside since, here or by a process that came no further. What was said after that is known.
  const said = log.nodes().findLast(([, , kind]) => kind === 'message')?.[0] ?? turn.start_id;
  return [turn.start_id, said].every((id) => log.isCutBehind(id));
}

/** What is known of it, in one sentence. */
export function describe(core: Core, { turn, calls }: Interruption): string {
  const state = core.log.state();
  const step = turn.steps_started === 0 ? 'before its first step' : `in step ${String(turn.steps_started)}`;
  if (core.unsaved?.turn_id === turn.turn_id) return `The turn ended ${step}: ${core.unsaved.reason}`;
  if (state.wait !== null) {
    return `The turn was waiting to ask the model again (${state.wait.error}); the wait ended while Bough was not running.`;
  }
  const isLost = isTorn(core, turn.turn_id);
  const facts = [
    ...calls
      .filter((call) => call.status === 'started')
      .map((call) => `${call.call.name} was running and may have partly run`),
    ...calls
      .filter((call) => call.status !== 'started')
      .map(({ call, status }) =>
        isLost && mayHaveRun(status) ? `whether ${call.name} ran is not known` : `${call.name} did not run`,
      ),
  ];
  if (state.incomplete) facts.push('the text so far is kept');
  if (isLost) {
    const since = turn.steps_started === 0 ? 'began' : `was ${step}`;
    const known =
      facts.length === 0 ? `how it went on after the turn ${since} is not known` : facts.join(', ');
    return `The end of the file is lost; ${known}.`;
  }
  return `The turn was interrupted ${step}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}.`;
}

/** As far as the log says, should its end be missing. */
const mayHaveRun = (status: CallState['status']): boolean => status === 'open' || status === 'allowed';

/** The sentence for a call that nobody answered, and for a file tool what the disk says of it. */
export async function standInText(core: Core, call: CallState): Promise<string> {
  switch (call.status) {
    case 'answered':
      return OTHER_LINE_RESULT;
    case 'started':
      return (
        [INTERRUPTED_RESULT, ...(await compareDisk(core, call))].join(' ') +
        (await subagentOf(core, call.call.call_id)) +
        (await printedText(core, call))
      );
    case 'open':
    case 'pending':
    case 'allowed':
      return isTorn(core, call.turn_id ?? '') && mayHaveRun(call.status) ? LOST_RESULT : NOT_RUN_RESULT;
    case 'refused':
      return NOT_APPROVED_RESULT;
  }
}

async function printedText(core: Core, { call }: CallState): Promise<string> {
  const printed = await printedBy(core, call.call_id);
  return printed.trim() === '' ? '' : `\n\nWhat it had printed until then:\n${printed.trimEnd()}`;
}

async function compareDisk(core: Core, call: CallState): Promise<string[]> {
  const said: string[] = [];
  for (const { path, hash } of call.started?.before ?? []) {
    const resolved = await core.parts.workspace.resolve(path);
    if (isFailure(resolved)) {
      said.push(`${path} could not be compared with what was there before the call: ${resolved.message}`);
      continue;
    }
    const isSame = (await core.parts.workspace.hash(resolved)) === hash;
    said.push(
      isSame ? `${path} is unchanged since before the call.` : `${path} has changed since before the call.`,
    );
  }
  return said;
}

/** Results that a failed write kept out of the log, else stand-ins. */
async function answers(
  core: Core,
  calls: readonly CallState[],
  ref: { turn_id: string; step: number },
): Promise<Draft[]> {
  const drafts: Draft[] = [];
  for (const call of calls) {
    const known =
      core.unsaved?.turn_id === ref.turn_id ? core.unsaved.results.get(call.call.call_id) : undefined;
    drafts.push(...(known ?? [standIn(ref, call, await standInText(core, call))]));
  }
  return drafts;
}

const standIn = (ref: { turn_id: string; step: number }, call: CallState, text: string): Draft =>
  resultMessage(ref, call.call, standInResult(call, text));

/** The batch that closes the open turn, or only what is unknown while an approval of it is pending. */
export async function repairBatch(core: Core): Promise<Draft[]> {
  const state = core.log.state();
  const { turn } = state;
  if (turn === null) return [];
  const { turn_id } = turn;
  const facts = await factsOf(core, turn_id);
  const ref = { turn_id, step: facts.step };
  const calls = openCallsOf(state, turn_id);
  if (calls.some((call) => call.status === 'pending')) {
    return answers(
      core,
      calls.filter((call) => call.status === 'started'),
      ref,
    );
  }
  return [
    ...openRetryEnd(turn_id, facts),
    ...(await lostText(core, state, turn_id)),
    ...(await answers(core, calls, ref)),
    ...(facts.isStepOpen ? [{ type: 'step_end' as const, ...ref }] : []),
    turnEnd(turn_id, facts.step, { status: 'interrupted' }),
    {
      type: 'session_recovery',
      turn_id,
      turn_start_id: turn.start_id,
      steps: facts.step,
      orphan_results: calls.length,
      closed_step: facts.isStepOpen ? facts.step : null,
      reason: reasonOf(core, turn_id),
    },
    ...holdQueue(state, turn_id),
  ];
}

function reasonOf(core: Core, turn_id: string): string {
  if (core.unsaved?.turn_id === turn_id) return core.unsaved.reason;
  return isTorn(core, turn_id)
    ? 'The end of the file was lost, and with it what the turn did last.'
    : 'The process ended before the turn did.';
}

export const openRetryEnd = (turn_id: string, facts: TurnFacts): Draft[] =>
  facts.openRetry === null
    ? []
    : [
        {
          type: 'retry_end',
          turn_id,
          success: false,
          attempt: facts.openRetry,
          final_error: 'The request was not answered before the turn ended.',
        },
      ];

async function lostText(core: Core, state: PathState, turn_id: string): Promise<Draft[]> {
  const { unsaved } = core;
  if (unsaved?.turn_id === turn_id && unsaved.partial !== null) {
    return incompleteOutput(turn_id, unsaved.partial, { reason: 'error', error: unsaved.reason });
  }
  const left = await journalPartial(core);
  if (left === null || left.turn_id !== turn_id) return [];
  return state.wait === null
    ? incompleteOutput(turn_id, left.partial, { reason: 'crash' })
    : incompleteOutput(turn_id, left.partial, { reason: 'connection', error: state.wait.error });
}

/**
 * Closes what was interrupted before something new is written. Nothing to do for a log that is in order. In the gate and
 * under the lease.
 */
export async function repair(core: Core): Promise<void> {
  const batch = await repairBatch(core);
  if (batch.length === 0) return;
  await core.append(batch);
  await closed(core);
}

/** A batch that closed the open turn is in the log: what was kept for it is of no use any more. */
export async function closed(core: Core): Promise<void> {
  core.unsaved = null;
  const { turn, wait } = core.log.state();
  if (turn === null || wait === null) await endJournal(core);
}

/**
 * Text that a dead process left in the journal becomes an entry of its own, marked as cut by a crash. While a wait of the
 * turn is open it stays where it is: the restarted step replaces it.
 */
export async function keepJournal(core: Core): Promise<void> {
  const left = await journalPartial(core);
  if (left === null) {
    await endUnlessPrinted(core);
    return;
  }
  if (isJournalKept(core.log.state(), left.turn_id)) return;
  const drafts = incompleteOutput(left.turn_id, left.partial, { reason: 'crash' });
  if (drafts.length > 0) await core.append(await placed(core, drafts, left.parent_id));
  await endJournal(core);
}

/** Below the entry it followed; when the head is elsewhere meanwhile it stays there. */
async function placed(
  core: Core,
  drafts: DraftOfType<'incomplete_output'>[],
  parent_id: string | null,
): Promise<Draft[]> {
  const { head } = core.log;
  const isThere = parent_id === null || (await core.log.entry(parent_id)) !== undefined;
  if (head === parent_id || !isThere) return drafts;
  return [...drafts.map((draft) => ({ ...draft, parent_id })), { type: 'head', entry_id: head }];
}
