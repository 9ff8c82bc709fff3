/** What a goal comes to, in words that host and view share: the last `goal_update` of the path and what goes on now. */
import type { FailureAction } from './failure.js';
import type { NoteOf } from './notes.js';

export type GoalNote = NoteOf<'goal_update'>;

export const MAX_ITERATIONS = 20;

export const goalStatuses = ['active', 'paused', 'blocked', 'completed'] as const;
export type GoalStatus = (typeof goalStatuses)[number];

/** What goes on for a goal that is active: its turn works, is looked at, asks the person, waits for a server. */
export type GoalDoing = 'working' | 'checking' | 'asking' | 'waiting' | 'elsewhere';

/** What is so of the goal now. The log's own word is in the state of the path. */
export interface GoalView {
  status: GoalStatus;
  doing: GoalDoing | null;
  /** Why it does not go on; while it is looked at, why that is tried again. */
  reason?: string;
  /** Where what is in the way can be mended, as far as it is known. */
  action?: FailureAction;
}

export const isGoalStatus = (status: string): status is GoalStatus =>
  goalStatuses.some((known) => known === status);

/** What cannot be right in what a note says of its goal; undefined: nothing. One that is pruned is gone. */
export function faultOf({ status, objective, max_iterations }: GoalNote): string | undefined {
  if (!isGoalStatus(status) && status !== 'pruned') return `a goal that is "${status}"`;
  if (objective.trim() === '') return 'a goal without an objective';
  return max_iterations < 1 ? `a goal of ${String(max_iterations)} iterations` : undefined;
}

export const criteriaOf = ({ criteria }: Pick<GoalNote, 'criteria'>): string => {
  if (typeof criteria === 'string') return criteria;
  if (Array.isArray(criteria)) return criteria.filter((one) => typeof one === 'string').join('\n');
  return '';
};

/** What was found when it was looked at whether the goal is reached. */
export interface Evaluated {
  completed: boolean;
  reason: string;
}

/** Undefined when it was not looked at, or not to an end. */
export function evaluatedOf({ evaluation }: Pick<GoalNote, 'evaluation'>): Evaluated | undefined {
  if (typeof evaluation !== 'object' || evaluation === null) return undefined;
  const { completed, reason } = evaluation as { completed?: unknown; reason?: unknown };
  return typeof completed === 'boolean'
    ? { completed, reason: typeof reason === 'string' ? reason : '' }
    : undefined;
}

/** One line of what a note says to who reads the conversation; undefined when it says nothing new to them. */
export function goalLine(note: GoalNote): string | undefined {
  const evaluated = evaluatedOf(note);
  switch (note.status) {
    case 'completed':
      return `Goal: completed${behindDash(evaluated?.reason ?? note.reason)}`;
    case 'blocked':
      return `Goal: blocked${behindDash(note.reason)}`;
    case 'paused':
      return `Goal: paused${behindDash(note.reason)}`;
    case 'active':
      if (note.phase === 'begun')
        return `Goal: iteration ${String(note.iteration)} of ${String(note.max_iterations)}`;
      return note.phase === 'evaluated' && evaluated?.completed === false
        ? `Goal: not yet${behindDash(evaluated.reason)}`
        : undefined;
    default:
      return undefined;
  }
}

const behindDash = (text: string | undefined): string =>
  text === undefined || text.trim() === '' ? '' : ` – ${text.trim()}`;
