/** Ends a turn that is open but not running: approvals are pending, or it waits where only the person can end the wait. */
import type { Draft } from '../shared/notes.js';
import { closeCalls, type Decision } from './approvals.js';
import { openCallsOf, type Core } from './core.js';
import { incompleteOutput, turnEnd } from './entries.js';
import { paused } from './goal.js';
import { journalPartial } from './journal.js';
import { holdQueue } from './queue.js';
import { openRetryEnd, standInText } from './recover.js';
import { factsOf } from './turn-facts.js';

/** Nothing follows a turn that was closed while it waited for the person. */
const LEFT = 'The turn was ended while it waited for you.';

export interface Closing {
  decision: Decision;
  /** What the model is told of a call that was waiting for a decision. */
  pendingText?: string;
  holdsQueue: boolean;
}

/** The whole batch: decisions, a result for each call, the last text, the step's and the turn's end. */
export async function closeSuspended(core: Core, how: Closing): Promise<Draft[]> {
  const state = core.log.state();
  const { turn, wait } = state;
  if (turn === null) return [];
  const { turn_id } = turn;
  const facts = await factsOf(core, turn_id);
  const ref = { turn_id, step: facts.step };
  const left = await journalPartial(core);
  const text = left?.turn_id === turn_id ? left.partial : null;
  const calls = openCallsOf(state, turn_id);
  const started = new Map<string, string>();
  for (const call of calls) {
    if (call.status === 'started') started.set(call.call.call_id, await standInText(core, call));
  }
  return [
    ...openRetryEnd(turn_id, facts),
    ...incompleteOutput(turn_id, text, { reason: 'stopped', error: wait?.error }),
    ...closeCalls(calls, ref, { ...how, startedText: (call) => started.get(call.call.call_id) ?? '' }),
    ...(facts.isStepOpen ? [{ type: 'step_end' as const, ...ref }] : []),
    turnEnd(turn_id, facts.step, { status: 'stopped' }),
    ...(how.holdsQueue ? holdQueue(state, turn_id) : []),
    ...(how.holdsQueue && state.goal?.status === 'active' ? [paused(state.goal, LEFT)] : []),
  ];
}

/** Whether the open turn only waits for the person: a decision, or a wait the server asked for. */
export function suspensionOf(core: Core): 'approvals' | 'parked' | null {
  if (core.run !== null) return null;
  const state = core.log.state();
  if (state.turn === null) return null;
  if (openCallsOf(state, state.turn.turn_id).some((call) => call.status === 'pending')) return 'approvals';
  return state.wait?.kind === 'parked' && core.unsaved?.turn_id !== state.turn.turn_id ? 'parked' : null;
}
