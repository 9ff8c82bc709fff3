/**
 * Drives a goal: each turn that ends well is looked at, and what is missing begins the next one. Every word of it is in the
 * log before it is acted on, one iteration is active at a time, and what does not end well waits for the person.
 */
import { isFailure, type Failure } from '../shared/failure.js';
import type { GoalNote } from '../shared/goal.js';
import { beginTurn } from './begin.js';
import { wantedModel, type Core, type EndedTurn, type Run } from './core.js';
import { bugFailure, orFailure, stackOf } from './failures.js';
import { answered, blocked, evaluated, nextBatch, paused, type GoalDraft } from './goal.js';
import { checkGoal, type Checked } from './goal-check.js';
import { holdQueue } from './queue.js';
import { repairBatch } from './recover.js';
import { LiveRun } from './run.js';
import { finishOf } from './segments.js';
import { entriesOf } from './turn-facts.js';
import { takeQueued } from './turn.js';

/** The goal that goes on in this window: it was taken up here, or the turn that ends now is one of its own. */
function drivenGoal(core: Core, turn_id: string | undefined): GoalNote | null {
  const { goal } = core.log.state();
  if (goal?.status !== 'active') return null;
  return goal.goal_id === core.goal.driven || goal.turn_id === turn_id ? goal : null;
}

/** Whether something follows a turn that ended well, so that the session is not at rest in between. */
export const mayGoOn = (core: Core, turn_id: string): boolean =>
  core.goal.hold === null && !core.isClosed && drivenGoal(core, turn_id) !== null;

/** In the gate. A turn has ended, and its end is in the log: what that makes of the goal is next to it. */
export async function takeTurnEnd(core: Core, ended: EndedTurn): Promise<void> {
  const goal = drivenGoal(core, ended.turn_id);
  if (goal === null) return;
  core.goal.driven = goal.goal_id;
  const note = await noteOfEnd(core, goal, ended);
  if (note === null) return;
  await core.append([note]);
  if (note.status === 'active') return;
  core.goal.driven = null;
  core.goal.hold = null;
}

async function noteOfEnd(core: Core, goal: GoalNote, ended: EndedTurn): Promise<GoalDraft | null> {
  const hold = core.goal.hold ?? (ended.isStopped ? 'You stopped the turn.' : null);
  if (ended.status === 'failed' && hold === null)
    return blocked(goal, ended.failure?.message ?? 'The turn failed; the log does not say why.');
  if (ended.status !== 'completed') return paused(goal, hold ?? 'The turn was stopped.');
  if (hold !== null) return paused(withAnswer(goal), hold);
  const finish = finishOf(await entriesOf(core, ended.turn_id));
  if (finish?.status === 'blocked') return blocked(withAnswer(goal), finish.summary);
  return goal.phase === 'answered' ? null : answered(goal);
}

const withAnswer = (goal: GoalNote): GoalNote => ({ ...goal, phase: 'answered' });

/** In the gate. No prompt of the person's is next: the goal goes on, with a look at what is there. */
export async function goOn(core: Core): Promise<void> {
  const goal = drivenGoal(core, undefined);
  if (goal === null || core.run !== null || core.isClosed) return;
  if (goal.phase === 'evaluated') await iterate(core, goal, 'next');
  else await beginCheck(core, goal);
}

/** In the gate. @throws BoughError when nothing was written */
export async function iterate(core: Core, goal: GoalNote, how: 'next' | 'again'): Promise<void> {
  const turn_id = core.parts.ids.entry();
  core.goal.driven = goal.goal_id;
  core.goal.trouble = null;
  core.goal.action = null;
  const batch = nextBatch(goal, turn_id, how);
  await beginTurn(core, { turn_id, closing: await repairBatch(core), batch });
}

/** In the gate. The look is a run as far as everybody else is concerned: it can be stopped and holds the lease. */
export async function beginCheck(core: Core, goal: GoalNote): Promise<void> {
  const lease = await core.lease.hold();
  if (core.isClosed) return lease.dispose();
  core.goal.driven = goal.goal_id;
  core.goal.trouble = null;
  core.goal.action = null;
  core.goal.isChecked = true;
  const run = new LiveRun(core, core.parts.ids.entry());
  core.run = run;
  run.enter('running');
  run.done = check(core, run, goal).finally(() => {
    lease.dispose();
    run.dispose();
  });
}

/** Never rejects. */
async function check(core: Core, run: Run, goal: GoalNote): Promise<void> {
  const checked = await orBroken(core, () => checkGoal(core, run, goal));
  await core.gate.pass(async () => {
    const failure = await orBroken(core, () => conclude(core, run, goal, checked));
    core.goal.isGoingOn = false;
    if (isFailure(failure)) fail(core, failure);
    if (core.run === null) core.announce();
  });
}

async function orBroken<T>(core: Core, work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await orFailure(work);
  } catch (error) {
    core.parts.log('error', `a goal: ${stackOf(error)}`);
    return bugFailure(error);
  }
}

/** What could not be written is said all the same. */
function fail(core: Core, failure: Failure): void {
  core.failure = failure;
  core.goal.trouble = failure.message;
  core.goal.driven = null;
}

/** In the gate. What was found is in the log before anything follows from it. */
async function conclude(core: Core, run: Run, goal: GoalNote, checked: Checked | Failure): Promise<void> {
  const { outcome, usage } = isFailure(checked) ? { outcome: checked, usage: [] } : checked;
  const isStopped = run.signal.aborted;
  core.goal.isChecked = false;
  core.goal.trouble = null;
  core.goal.isGoingOn = !isStopped && !isFailure(outcome) && !outcome.completed;
  if (core.run === run) core.run = null;
  // The window closes: what it leaves is read from the log.
  if (run.stopReason() === 'closed' || core.log.access.mode !== 'write') return;
  const note = noteOfCheck(core, run, goal, outcome);
  await core.append([...usage, note, ...(isStopped ? holdQueue(core.log.state()) : [])]);
  if (note.status !== 'active') core.goal.driven = null;
  core.goal.hold = null;
  // It is the goal's own: the turn ended well.
  if (isFailure(outcome))
    core.goal.action = outcome.action === undefined ? null : { goal_id: goal.goal_id, does: outcome.action };
  if (isStopped) return;
  await takeQueued(core);
  if (core.run === null && note.status === 'active') await goOn(core);
}

function noteOfCheck(core: Core, run: Run, goal: GoalNote, outcome: Checked['outcome']): GoalDraft {
  if (run.signal.aborted) return paused(goal, core.goal.hold ?? 'You stopped the evaluation.');
  if (!isFailure(outcome)) return evaluated(goal, outcome);
  const wait = outcome.retry_after_ms;
  const due = wait === undefined ? {} : { not_before: new Date(core.parts.clock.now() + wait).toISOString() };
  return {
    ...blocked(goal, `Whether it is reached could not be found out: ${outcome.message}`),
    evaluation: { error: outcome.message, model: wantedModel(core), ...due },
  };
}
