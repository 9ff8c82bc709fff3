/** What is known of a goal that nothing works on now, from the log alone; and what of it goes on in this window. */
import type { GoalNote, GoalView } from '../shared/goal.js';
import { isGoalStatus } from '../shared/goal.js';
import { OutlineFlag } from '../shared/fold/types.js';
import type { Core } from './core.js';
import { leftDraft, standingOf, type GoalDraft, type Left, type Standing, type Tail } from './goal.js';
import { lastTurn } from './last-turn.js';
import { finishOf } from './segments.js';
import { suspensionOf } from './suspended.js';
import { entriesOf } from './turn-facts.js';

/** Active by the log, and nothing goes on that could end it: nobody works on it, asks for it or waits. */
export const isStalled = (core: Core): boolean =>
  core.log.state().goal?.status === 'active' &&
  core.run === null &&
  !core.goal.isGoingOn &&
  !core.isElsewhere &&
  suspensionOf(core) === null;

/** What is so now; null when this line has no goal. */
export function goalView(core: Core): GoalView | null {
  const { goal } = core.log.state();
  if (goal === undefined || !isGoalStatus(goal.status)) return null;
  const { trouble, action } = core.goal;
  if (goal.status !== 'active') {
    const isOfIt = goal.status === 'blocked' && action?.goal_id === goal.goal_id;
    const mended = isOfIt ? { action: action.does } : {};
    return { status: goal.status, doing: null, ...because(goal.reason), ...mended };
  }
  if (isStalled(core)) {
    return trouble === null
      ? { status: 'paused', doing: null, reason: 'Nothing works on it here. Resume goes on from this place.' }
      : { status: 'blocked', doing: null, reason: trouble };
  }
  return { status: 'active', doing: doingOf(core), ...because(trouble ?? undefined) };
}

const because = (reason: string | undefined): Pick<GoalView, 'reason'> =>
  reason === undefined ? {} : { reason };

function doingOf(core: Core): GoalView['doing'] {
  if (core.goal.isChecked) return 'checking';
  if (core.run !== null || core.goal.isGoingOn) return 'working';
  if (core.isElsewhere) return 'elsewhere';
  return suspensionOf(core) === 'approvals' ? 'asking' : 'waiting';
}

export async function leftOf(core: Core, goal: GoalNote): Promise<{ left: Left; standing: Standing }> {
  const last = await lastTurn(core);
  const entries = last === null ? [] : await entriesOf(core, last.turn_id);
  const status = last?.end?.status;
  const left: Left = {
    tail: tailOf(core),
    end: status === undefined || status === 'interrupted' ? 'open' : status,
    isBlocked: finishOf(entries)?.status === 'blocked',
  };
  return { left, standing: standingOf(goal, left) };
}

function tailOf(core: Core): Tail {
  if (core.log.state().open_calls.length > 0) return 'calls';
  const { outline, head } = core.log;
  let at = outline.findIndex(([id]) => id === head);
  for (let node = outline[at]; node !== undefined; at = node[1], node = outline[at]) {
    if (node[2] !== 'message') continue;
    const flags = node[3];
    if ((flags & OutlineFlag.user) !== 0) return 'prompt';
    if ((flags & OutlineFlag.tool) !== 0) return 'results';
    if ((flags & OutlineFlag.assistant) !== 0) return (flags & OutlineFlag.calls) !== 0 ? 'calls' : 'answer';
  }
  return 'nothing';
}

/** The process that worked on it is gone. What it left is said in the log; nothing is sent. */
export async function leftGoal(core: Core): Promise<GoalDraft[]> {
  const { goal } = core.log.state();
  if (goal === undefined || !isStalled(core)) return [];
  const { left, standing } = await leftOf(core, goal);
  return [leftDraft(goal, standing, left)];
}
