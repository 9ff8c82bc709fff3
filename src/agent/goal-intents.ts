/** What the person does with a goal: begin it, let it rest, take it up, try again, be done with it. */
import type { Failure } from '../shared/failure.js';
import { isFailure } from '../shared/failure.js';
import type { GoalNote } from '../shared/goal.js';
import type { Intent } from '../shared/protocol.js';
import { beginTurn } from './begin.js';
import { continueTurn } from './branches.js';
import { underLease, wantedModel, type Core } from './core.js';
import { orFailure, refused } from './failures.js';
import {
  active,
  answered,
  blocked,
  cleared,
  continuingBatch,
  firstBatch,
  iterationsOf,
  moveOf,
  paused,
} from './goal.js';
import { goalView, leftOf } from './goal-left.js';
import { beginCheck, iterate } from './goal-run.js';
import { lastTurn } from './last-turn.js';
import { repairBatch } from './recover.js';
import {
  headMoved,
  parked,
  pendingFailure,
  running,
  timeOf,
  type Done,
  type ExpectedHead,
} from './refusals.js';
import { stop } from './stop.js';
import { suspensionOf } from './suspended.js';

type GoalIntent = Extract<Intent, { type: `goal_${string}` }>;

export function carryOutGoal(
  core: Core,
  intent: GoalIntent,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  const inGate = (work: () => Promise<Done | Failure>): Promise<Done | Failure> =>
    core.gate.pass(() => orFailure(() => underLease(core, work)));
  switch (intent.type) {
    case 'goal_start':
      return inGate(() => start(core, intent, expected));
    case 'goal_pause':
      return pause(core);
    case 'goal_resume':
      return inGate(() => takeUp(core, 'resume'));
    case 'goal_retry':
      return inGate(() => takeUp(core, 'retry'));
    case 'goal_clear':
      return clear(core);
  }
}

const noGoal = (): Failure =>
  refused('NoGoal', 'There is no goal on this branch. Start one, or go to the branch that has it.');

const blank = (): Failure =>
  refused('EmptyPrompt', 'The goal was not started: say what is to be reached, in a sentence.');

const another = ({ objective, status }: GoalNote): Failure =>
  refused(
    'GoalOpen',
    `This branch has a goal that is ${status}: "${objective.slice(0, 200)}". Clear it before another is started.`,
  );

/** Whether nothing is open that a new turn would get in the way of; the failure says what is. */
function busy(core: Core): Failure | null {
  if (core.run !== null) return running();
  const suspension = suspensionOf(core);
  if (suspension === 'approvals') return pendingFailure(core);
  return suspension === 'parked' ? parked(core.log.state().wait?.due_at ?? '') : null;
}

async function start(
  core: Core,
  { objective, criteria, max_iterations }: Extract<GoalIntent, { type: 'goal_start' }>,
  expected: ExpectedHead,
): Promise<Done | Failure> {
  if (objective.trim() === '') return blank();
  const { goal } = core.log.state();
  if (goal !== undefined && goal.status !== 'completed') return another(goal);
  const wrong = busy(core) ?? headMoved(core, expected);
  if (wrong !== null) return wrong;
  const turn_id = core.parts.ids.entry();
  const terms = {
    goal_id: core.parts.ids.entry(),
    objective: objective.trim(),
    criteria: criteria.trim(),
    max_iterations: iterationsOf(max_iterations),
  };
  core.goal.trouble = null;
  core.goal.driven = terms.goal_id;
  const batch = firstBatch(terms, turn_id);
  const written = await beginTurn(core, { turn_id, closing: await repairBatch(core), batch });
  const message = written.findLast(({ type }) => type === 'message');
  return message === undefined ? {} : { entry_id: message.id };
}

/** What runs is stopped; what waits for the person goes on waiting, and nothing follows it. */
async function pause(core: Core): Promise<Done | Failure> {
  const isActive = (): boolean => goalView(core)?.status === 'active';
  const notActive = (): Failure =>
    core.log.state().goal === undefined
      ? noGoal()
      : refused('GoalNotActive', 'The goal is not being worked on: there is nothing to pause.');
  if (!isActive()) return notActive();
  if (core.run === null) {
    const rested = await core.gate.pass(() =>
      orFailure(async (): Promise<Done | Failure | null> => {
        if (core.run !== null) return null;
        return underLease(core, async () => {
          const { goal } = core.log.state();
          if (goal === undefined || !isActive()) return notActive();
          await core.append([paused(goal, PAUSED)]);
          core.goal.driven = null;
          core.announce();
          return {};
        });
      }),
    );
    if (rested !== null) return rested;
  }
  return stopFor(core, PAUSED);
}

const PAUSED = 'You paused it.';

/** Stops what runs; why is said in the goal's next note. */
async function stopFor(core: Core, reason: string): Promise<Done | Failure> {
  core.goal.hold = reason;
  try {
    return await stop(core);
  } finally {
    core.goal.hold = null;
  }
}

async function clear(core: Core): Promise<Done | Failure> {
  if (core.log.state().goal === undefined) return noGoal();
  if (core.run !== null && goalView(core)?.status === 'active') {
    const stopped = await stopFor(core, 'It was cleared.');
    if (isFailure(stopped)) return stopped;
  }
  return core.gate.pass(() =>
    orFailure(() =>
      underLease(core, async () => {
        const { goal } = core.log.state();
        if (goal === undefined) return noGoal();
        await core.append([cleared(goal)]);
        core.goal.driven = null;
        core.goal.trouble = null;
        core.announce();
        return {};
      }),
    ),
  );
}

/** In the gate and under the lease. Goes on from what the log says, whatever happened meanwhile. */
async function takeUp(core: Core, asked: 'resume' | 'retry'): Promise<Done | Failure> {
  const { goal } = core.log.state();
  const view = goalView(core);
  if (goal === undefined || view === null) return noGoal();
  if (view.status !== (asked === 'resume' ? 'paused' : 'blocked')) return notNow(view.status, asked);
  const wait = notBefore(core, goal);
  if (wait !== null) return wait;
  core.goal.trouble = null;
  // What is under way comes first; the goal goes on when it has ended well.
  if (core.run !== null || suspensionOf(core) !== null) {
    await core.append([active(goal)]);
    core.goal.driven = goal.goal_id;
    core.announce();
    return {};
  }
  const { standing } = await leftOf(core, goal);
  const move = moveOf(goal, standing, asked);
  switch (move.kind) {
    case 'block':
      await core.append([blocked(goal, move.reason)]);
      core.announce();
      return refused('GoalBlocked', move.reason);
    case 'next':
    case 'again':
      await iterate(core, goal, move.kind);
      return {};
    case 'continue':
      return continueGoal(core, goal);
    case 'evaluate':
      await core.append([...(await repairBatch(core)), answered(goal)]);
      await beginCheck(core, core.log.state().goal ?? goal);
      return {};
  }
}

const notNow = (status: string, asked: 'resume' | 'retry'): Failure =>
  refused(
    'GoalNotActive',
    asked === 'resume'
      ? `The goal is ${status}, not paused: there is nothing to resume.${status === 'blocked' ? ' Retry tries again what is in its way.' : ''}`
      : `The goal is ${status}, not blocked: there is nothing to try again.${status === 'paused' ? ' Resume goes on with it.' : ''}`,
  );

/** A server that asked for a wait is not asked before, whoever wants it; another model may be. */
function notBefore(core: Core, { evaluation }: GoalNote): Failure | null {
  if (typeof evaluation !== 'object' || evaluation === null) return null;
  const { not_before, model } = evaluation as { not_before?: unknown; model?: unknown };
  if (typeof not_before !== 'string' || model !== wantedModel(core)) return null;
  if (!(Date.parse(not_before) > core.parts.clock.now())) return null;
  return refused(
    'RetryNotAllowed',
    `The server permits no request before ${timeOf(not_before)}. Retry then, or choose another model.`,
  );
}

async function continueGoal(core: Core, goal: GoalNote): Promise<Done | Failure> {
  core.goal.driven = goal.goal_id;
  const { turn, wait } = core.log.state();
  if (turn !== null && wait !== null && core.unsaved?.turn_id !== turn.turn_id) {
    await core.append([active(goal)]);
    return continueTurn(core, undefined);
  }
  const last = await lastTurn(core);
  if (last === null) {
    await iterate(core, goal, 'again');
    return {};
  }
  const turn_id = core.parts.ids.entry();
  const batch = continuingBatch(goal, turn_id, last.turn_id);
  await beginTurn(core, { turn_id, closing: await repairBatch(core), batch });
  return {};
}
