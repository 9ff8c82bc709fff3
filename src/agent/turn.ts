/**
 * A turn, from wherever the log says it stands: its open calls, then step after step, until the model answers without
 * calls, the person is needed, or something ends it. The log is asked at every boundary, so a turn that was left for a
 * night goes on by the same code as one that never stopped.
 */
import type { Disposable } from '../ports.js';
import { isBoughError, isFailure, type Failure } from '../shared/failure.js';
import type { Draft, Entry } from '../shared/notes.js';
import { closeCalls } from './approvals.js';
import { settleCalls } from './calls.js';
import { openCallsOf, wantedModel, type Core, type Partial, type Run } from './core.js';
import { turnEnd } from './entries.js';
import { endJournal, endUnlessPrinted } from './journal.js';
import { bothFailures, bugFailure, failureOf, orFailure, stackOf } from './failures.js';
import { holdQueue, queuedTurn, steerBatch } from './queue.js';
import { LiveRun } from './run.js';
import { stuckOn } from './repeats.js';
import { finishOf, leftOf, nextSegment, withoutTools, type Segment } from './segments.js';
import { withSkills } from './skills.js';
import { cannotGoOn, stopped } from './step-end.js';
import type { StepStop, TurnEnd } from './step-result.js';
import { stoppedInWait } from './step-wait.js';
import { runStep } from './step.js';
import { finishCall, STOPPED_IN_CALL, type ReadyCall } from './tool-run.js';
import { entriesOf, factsOf, turnFacts } from './turn-facts.js';
import { hasListOfItsOwn } from './turn-terms.js';
import { waitFor, type WaitPlan } from './wait.js';

/** Where a run begins: at what the log says, after the rest of a wait, or with a call that was just allowed. */
export type Begin = { at: 'log' } | { at: 'wait'; wait: WaitPlan } | { at: 'call'; ready: ReadyCall };

/** Starts to execute a turn that is open in the log. Takes the lease over from the caller. */
export function startRun(core: Core, turn_id: string, lease: Disposable, begin: Begin = { at: 'log' }): Run {
  const run = new LiveRun(core, turn_id);
  core.run = run;
  core.failure = null;
  run.enter(begin.at === 'wait' ? 'retrying' : 'running');
  run.done = execute(core, run, begin).finally(() => {
    lease.dispose();
    run.dispose();
  });
  return run;
}

/** Never rejects: whatever happens, the session can be used afterwards. */
async function execute(core: Core, run: LiveRun, begin: Begin): Promise<void> {
  try {
    await drive(core, run, begin);
  } catch (error) {
    broken(core, run, error);
  } finally {
    leave(core, run);
  }
}

async function drive(core: Core, run: Run, begin: Begin): Promise<void> {
  if (begin.at === 'wait') {
    const waited = await waitFor(core.parts.clock, run, begin.wait);
    if (waited === 'aborted') return conclude(core, run, await stoppedInWait(core, run));
    run.enter('running');
  }
  if (begin.at === 'call') await finishCall(core, run, begin.ready);
  for (;;) {
    const calls = await settleCalls(core, run);
    if (calls === 'stopped') return conclude(core, run, await stopped(core, run, []));
    if (calls === 'waiting') {
      if (await suspend(core, run)) return;
      continue;
    }
    const end = await endUnlessSteered(core, run);
    if (end !== null) return conclude(core, run, end);
    await betweenSteps(core, run);
    const result = await runStep(core, run);
    if (result.kind === 'calls') continue;
    if (result.kind === 'answered' && (await answer(core, run, result.batch))) continue;
    if (result.kind !== 'answered') await conclude(core, run, result);
    return;
  }
}

/** The end of a turn that said it is finished or goes round in circles, unless the person has just said something into it. */
async function endUnlessSteered(core: Core, run: Run): Promise<StepStop | null> {
  if (steerBatch(core, run.turn_id) !== null) return null;
  const entries = await entriesOf(core, run.turn_id);
  if (finishOf(entries) !== null)
    return { kind: 'ended', end: { status: 'completed', failure: null }, batch: [] };
  const failure = stuckOn(entries);
  return failure === null ? null : cannotGoOn(run, turnFacts(entries), failure);
}

/** Leaves the run while only approvals are open; not if one was decided, or the turn stopped, in this moment. */
function suspend(core: Core, run: Run): Promise<boolean> {
  return core.gate.pass(async () => {
    const calls = openCallsOf(core.log.state(), run.turn_id);
    if (run.signal.aborted || calls.length === 0 || calls.some((call) => call.status !== 'pending'))
      return false;
    leave(core, run);
    return true;
  });
}

/** Ends a step whose calls are all answered, and lets in what the person said meanwhile. */
function betweenSteps(core: Core, run: Run): Promise<void> {
  return core.gate.pass(async () => {
    const facts = await factsOf(core, run.turn_id);
    if (facts.isStepOpen && facts.message !== null) {
      await core.append([
        { type: 'step_end', turn_id: run.turn_id, step: facts.step, attempt_id: facts.message.attempt_id },
      ]);
    }
    if (run.signal.aborted) return;
    for (let batch = steerBatch(core, run.turn_id); batch !== null; batch = steerBatch(core, run.turn_id)) {
      await core.append(await withSkills(core, batch));
    }
  });
}

/** Writes the answer and what follows it: more steps, or the turn's end. True when the turn goes on. */
function answer(core: Core, run: Run, batch: Draft[]): Promise<boolean> {
  return core.gate.pass(async () => {
    const entries = await entriesOf(core, run.turn_id);
    const { step } = turnFacts(entries);
    const next = await followUp(core, run, entries);
    const isOver = next.kind === 'end' || next.kind === 'give-up';
    const failure = next.kind === 'give-up' ? next.failure : null;
    const end: TurnEnd = { status: failure === null ? 'completed' : 'failed', failure };
    await core.append([
      ...batch,
      { type: 'step_end', turn_id: run.turn_id, step },
      ...(next.kind === 'continue' ? next.batch : []),
      ...(isOver ? [turnEnd(run.turn_id, step, end)] : []),
      ...(failure === null ? [] : holdQueue(core.log.state(), run.turn_id)),
    ]);
    run.partial = null;
    await endJournal(core);
    if (isOver) await ended(core, run, end);
    return !isOver;
  });
}

/** The person's word goes before what the turn would do by itself; after a stop it does nothing by itself. */
async function followUp(
  core: Core,
  run: Run,
  entries: readonly Entry[],
): Promise<Segment | { kind: 'steered' }> {
  const left = leftOf(core.log.state().todos);
  const todos = left.length > 0 && (await hasListOfItsOwn(core.log)) ? left : [];
  if (run.signal.aborted) return { kind: 'end' };
  if (steerBatch(core, run.turn_id) !== null) return { kind: 'steered' };
  const next = nextSegment({
    turn_id: run.turn_id,
    entries,
    todos,
    requiresFinish: entries.some((entry) => entry.type === 'turn_start' && entry.requires_finish === true),
    maxContinuations: core.parts.settings().maxContinuations,
    steps: turnFacts(entries).step,
  });
  if (next.kind !== 'continue') return next;
  const model = await core.parts.models.resolve(wantedModel(core));
  // Why it cannot be had, the next step says.
  return isFailure(model) ? next : withoutTools(next, model.info);
}

/** Writes what belongs to the end of a turn that was stopped, failed, or ended with a call. */
async function conclude(core: Core, run: Run, result: StepStop): Promise<void> {
  if (result.kind === 'closed') {
    if (core.log.state().wait === null) await endUnlessPrinted(core);
    return;
  }
  if (result.kind === 'parked') return;
  run.ending = result.end.failure;
  const { partial } = run;
  await core.gate.pass(async () => {
    const facts = await factsOf(core, run.turn_id);
    const state = core.log.state();
    const ref = { turn_id: run.turn_id, step: facts.step };
    await core.append([
      ...result.batch,
      ...closeCalls(openCallsOf(state, run.turn_id), ref, {
        decision: 'cancelled',
        startedText: () => STOPPED_IN_CALL,
      }),
      ...(facts.isStepOpen ? [{ type: 'step_end' as const, ...ref }] : []),
      turnEnd(run.turn_id, facts.step, result.end),
      ...(result.end.status === 'completed' ? [] : holdQueue(state, run.turn_id)),
    ]);
    run.partial = null;
    await endJournal(core);
    await ended(core, run, result.end, partial);
  });
}

/** The turn is over in the log. In the gate: a queued prompt follows before any other intent. */
async function ended(core: Core, run: Run, end: TurnEnd, partial: Partial | null = null): Promise<void> {
  const isGood = end.status === 'completed' && !run.signal.aborted;
  const mayGoOn = isGood && core.after.mayGoOn(run.turn_id);
  core.goal.isGoingOn = mayGoOn;
  leave(core, run);
  core.failure = end.failure;
  core.live.emit({
    type: 'turn_end',
    turn_id: run.turn_id,
    failure: end.failure,
    ...(partial === null ? {} : { partial }),
  });
  let failure: Failure | void;
  try {
    failure = await orFailure(() => follow(core, run, end));
  } finally {
    core.goal.isGoingOn = false;
  }
  if (mayGoOn && core.run === null) core.announce();
  if (failure === undefined) return;
  core.failure = failure;
  core.goal.trouble = failure.message;
  core.live.emit({ type: 'turn_end', turn_id: run.turn_id, failure });
}

/** The person's word first, then what goes on by itself. */
async function follow(core: Core, run: Run, { status, failure }: TurnEnd): Promise<void> {
  if (core.isClosed) return;
  const isStopped = run.signal.aborted;
  await core.after.takeEnd({ turn_id: run.turn_id, status, failure, isStopped });
  if (status !== 'completed') return;
  if (isStopped) return keepQueued(core, run);
  await takeQueued(core);
  if (core.run === null) await core.after.goOn();
}

/** Starts a turn with the first queued prompt. A write that fails leaves the queue as it is. In the gate. */
export async function takeQueued(core: Core): Promise<void> {
  const turn_id = core.parts.ids.entry();
  if (queuedTurn(core, turn_id) === null) return;
  const lease = await core.lease.hold();
  try {
    // Asked for again: taking the lease may have told that another window took it.
    const batch = queuedTurn(core, turn_id);
    if (batch === null) return lease.dispose();
    await core.append(await withSkills(core, batch));
    startRun(core, turn_id, lease);
  } catch (error) {
    lease.dispose();
    throw error;
  }
}

/** The person stopped when the answer was just complete: what is queued waits all the same. */
async function keepQueued(core: Core, run: Run): Promise<void> {
  const hold = holdQueue(core.log.state(), run.turn_id);
  if (hold.length > 0) await core.append(hold);
}

/** The session has no run any more. */
function leave(core: Core, run: Run): void {
  const growing = core.live.growing;
  if (growing?.turn_id === run.turn_id) core.live.end(growing.attempt_id);
  if (core.run !== run) return;
  core.run = null;
  core.announce();
}

/**
 * A write failed, or there is a bug. Nothing is written again in this turn: what the log lacks is kept for whoever closes
 * the turn, and the journal stays.
 */
function broken(core: Core, run: Run, error: unknown): void {
  const failure: Failure = isBoughError(error) ? failureOf(error) : bugFailure(error);
  const { ending, partial } = run;
  core.parts.log('error', `turn ${run.turn_id}: ${isBoughError(error) ? failure.message : stackOf(error)}`);
  const kept = core.unsaved?.turn_id === run.turn_id ? core.unsaved.results : new Map<string, Draft[]>();
  core.unsaved = { turn_id: run.turn_id, partial, results: kept, reason: failure.message };
  core.goal.trouble = failure.message;
  if (isBoughError(error) && error.data['errno'] === 'ETIMEDOUT') expectLate(core, run);
  leave(core, run);
  core.failure = ending === null ? failure : bothFailures(ending, failure);
  core.live.emit({
    type: 'turn_end',
    turn_id: run.turn_id,
    failure: ending ?? failure,
    ...(ending === null ? {} : { save_failure: failure }),
    ...(partial === null ? {} : { partial }),
  });
}

/** A last write that was waited for no longer may arrive all the same: then nothing is left to be saved. */
function expectLate(core: Core, run: Run): void {
  const listening = core.log.onAppend((placed) => {
    const isArrived = placed.some(
      ({ entry }) =>
        entry.turn_id === run.turn_id && (entry.type === 'turn_end' || entry.type === 'incomplete_output'),
    );
    if (!isArrived) return;
    listening.dispose();
    if (core.unsaved?.turn_id !== run.turn_id) return;
    core.unsaved = null;
    core.failure = null;
    core.announce();
  });
}
