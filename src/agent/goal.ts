/**
 * A goal, as the log has it: the notes it is made of and what may follow. Pure. Each iteration is saved before its work,
 * after its answer and after it was evaluated; whatever is not known to be in order waits for the person.
 */
import type { Draft } from '../shared/notes.js';
import { MAX_ITERATIONS, criteriaOf, type GoalNote } from '../shared/goal.js';
import type { DraftOfType } from './entries.js';
import type { Evaluation } from './goal-evaluation.js';

export type GoalDraft = DraftOfType<'goal_update'>;

/** The same for every try of one iteration, and for no other. */
export const operationKey = (goal_id: string, iteration: number): string => `${goal_id}-${String(iteration)}`;

export interface GoalTerms {
  goal_id: string;
  objective: string;
  criteria: string;
  max_iterations: number;
}

const fresh = ({ goal_id, objective, criteria, max_iterations }: GoalTerms): GoalDraft => ({
  type: 'goal_update',
  goal_id,
  objective,
  criteria,
  status: 'active',
  iteration: 1,
  max_iterations,
  operation_key: operationKey(goal_id, 1),
  phase: 'begun',
});

/** All that stays from one note to the next. */
function same(goal: GoalNote): GoalDraft {
  const { goal_id, objective, criteria, status, iteration, max_iterations, operation_key, phase } = goal;
  return {
    type: 'goal_update',
    ...(goal.turn_id === undefined ? {} : { turn_id: goal.turn_id }),
    ...{ goal_id, objective, criteria, status, iteration, max_iterations },
    operation_key: operation_key ?? operationKey(goal_id, iteration),
    ...(phase === undefined ? {} : { phase }),
    ...(goal.next_prompt === undefined ? {} : { next_prompt: goal.next_prompt }),
    ...(phase === 'evaluated' && goal.evaluation !== undefined ? { evaluation: goal.evaluation } : {}),
  };
}

export const paused = (goal: GoalNote, reason: string): GoalDraft => ({
  ...same(goal),
  status: 'paused',
  reason,
});

export const blocked = (goal: GoalNote, reason: string): GoalDraft => ({
  ...same(goal),
  status: 'blocked',
  reason,
});

export const active = (goal: GoalNote): GoalDraft => ({ ...same(goal), status: 'active' });

/** Its turn has ended well. */
export const answered = (goal: GoalNote): GoalDraft => {
  const { evaluation: _, ...rest } = same(goal);
  return { ...rest, status: 'active', phase: 'answered' };
};

/** The person wants none of it any more. */
export const cleared = (goal: GoalNote): GoalDraft => ({
  ...same(goal),
  status: 'pruned',
  reason: 'The person cleared it.',
});

export const atLimit = (max: number): string =>
  `The limit of ${String(max)} ${max === 1 ? 'iteration' : 'iterations'} is reached and the goal is not. Retry looks again at what is there; for more work, clear it and start a goal with what is left.`;

/** What was found when the iteration was looked at: reached, at its limit, or what comes next. */
export function evaluated(goal: GoalNote, { completed, reason, next_prompt }: Evaluation): GoalDraft {
  const { next_prompt: _, ...rest } = same(goal);
  const found: GoalDraft = { ...rest, phase: 'evaluated', evaluation: { completed, reason } };
  if (completed) return { ...found, status: 'completed', reason };
  const next = next_prompt === '' ? reason : next_prompt;
  if (goal.iteration >= goal.max_iterations)
    return {
      ...found,
      status: 'blocked',
      reason: `${atLimit(goal.max_iterations)} ${reason}`,
      next_prompt: next,
    };
  return { ...found, status: 'active', reason, next_prompt: next };
}

/** What the model is told: the goal each time, since a compaction may have taken what was said of it before. */
export function promptText(goal: Pick<GoalNote, 'objective' | 'criteria'>, said: Iteration): string {
  const criteria = criteriaOf(goal).trim();
  const terms = criteria === '' ? [] : [`It is done when: ${criteria}`];
  const round = `(Goal, iteration ${String(said.iteration)} of ${String(said.max)}. When you stop, it is looked at apart whether the goal is reached. If something stands in the way that only the person can clear, call finish with the status blocked and say what.)`;
  if (said.next === undefined) return [goal.objective, ...terms, round].join('\n\n');
  return [said.next, `The goal: ${goal.objective}`, ...terms, round].join('\n\n');
}

export interface Iteration {
  iteration: number;
  max: number;
  /** Undefined at the first. */
  next?: string | undefined;
}

/** [message, turn_start, goal_update] of a new goal. */
export const firstBatch = (terms: GoalTerms, turn_id: string): Draft[] =>
  iterationBatch({ ...fresh(terms), turn_id }, turn_id, undefined);

/** The iteration behind the one that was evaluated, or the same one again. */
export function nextBatch(goal: GoalNote, turn_id: string, how: 'next' | 'again'): Draft[] {
  const iteration = how === 'next' ? goal.iteration + 1 : goal.iteration;
  const { evaluation: _, next_prompt: __, ...rest } = same(goal);
  const note: GoalDraft = {
    ...rest,
    turn_id,
    status: 'active',
    iteration,
    operation_key: operationKey(goal.goal_id, iteration),
    phase: 'begun',
    ...(how === 'next' && goal.reason !== undefined ? { reason: goal.reason } : {}),
  };
  const next = how === 'again' ? againText(goal) : (goal.next_prompt ?? goal.reason ?? 'Go on.');
  return iterationBatch(note, turn_id, next);
}

const againText = ({ reason }: GoalNote): string =>
  `The person asks you to try again what was in the way${reason === undefined ? '' : `: ${reason}`}`;

function iterationBatch(note: GoalDraft, turn_id: string, next: string | undefined): Draft[] {
  const text = promptText(note, { iteration: note.iteration, max: note.max_iterations, next });
  return [
    {
      type: 'message',
      role: 'user',
      turn_id,
      parts: [{ type: 'text', text }],
      origin: 'continuation',
      goal_id: note.goal_id,
    },
    { type: 'turn_start', turn_id },
    note,
  ];
}

/** [turn_start, goal_update] of a turn that takes up what an iteration left undone. */
export function continuingBatch(goal: GoalNote, turn_id: string, continues: string): Draft[] {
  const { evaluation: _, ...rest } = same(goal);
  return [
    { type: 'turn_start', turn_id, continues },
    { ...rest, turn_id, status: 'active', phase: 'begun' },
  ];
}

/** What the path ends with, incomplete text apart. */
export type Tail = 'prompt' | 'results' | 'calls' | 'answer' | 'nothing';

export interface Left {
  tail: Tail;
  /** How the last turn of the path ended; `open`: not at all, or it was closed as interrupted. */
  end: 'completed' | 'stopped' | 'failed' | 'open';
  /** Its model said that it cannot go on. */
  isBlocked: boolean;
}

/** How far an iteration is that nothing works on now. */
export type Standing = 'evaluated' | 'answered' | 'unfinished' | 'uncertain' | 'given-up';

export function standingOf(goal: Pick<GoalNote, 'phase'>, { tail, end, isBlocked }: Left): Standing {
  if (goal.phase === 'evaluated') return 'evaluated';
  switch (end) {
    case 'completed':
      return isBlocked ? 'given-up' : 'answered';
    case 'stopped':
      return 'unfinished';
    case 'failed':
      return 'uncertain';
    case 'open':
      if (tail === 'answer') return 'answered';
      return tail === 'prompt' || tail === 'results' ? 'unfinished' : 'uncertain';
  }
}

export type Move =
  | { kind: 'next' | 'again' | 'continue' | 'evaluate' }
  /** Nothing may be sent before the person asks for it by name. */
  | { kind: 'block'; reason: string };

export const UNCERTAIN =
  'It is not known what the last turn did before it broke off. Look at its calls and at the files, then Retry.';

/** What the person's Resume or Retry leads to. */
export function moveOf(goal: GoalNote, standing: Standing, asked: 'resume' | 'retry'): Move {
  switch (standing) {
    case 'evaluated':
      return { kind: goal.iteration < goal.max_iterations ? 'next' : 'evaluate' };
    case 'answered':
      return { kind: 'evaluate' };
    case 'unfinished':
      return { kind: 'continue' };
    case 'uncertain':
      return asked === 'retry' ? { kind: 'continue' } : { kind: 'block', reason: UNCERTAIN };
    case 'given-up':
      return { kind: 'again' };
  }
}

/** What a goal becomes that was active when the process ended: nothing is sent before the person says so. */
export function leftDraft(goal: GoalNote, standing: Standing, left: Left): GoalDraft {
  const at = `iteration ${String(goal.iteration)}`;
  switch (standing) {
    case 'evaluated':
      return paused(goal, `Bough was closed after ${at} was looked at. Resume begins the next.`);
    case 'answered':
      return paused(answeredNote(goal), `Bough was closed when ${at} was answered. Resume has it looked at.`);
    case 'unfinished':
      return left.end === 'stopped'
        ? paused(goal, `The turn of ${at} was stopped. Resume goes on from there.`)
        : paused(goal, `Bough was closed during ${at}. Resume goes on from what is in the conversation.`);
    case 'uncertain':
      return blocked(goal, UNCERTAIN);
    case 'given-up':
      return blocked(goal, 'The model said that it cannot go on.');
  }
}

const answeredNote = (goal: GoalNote): GoalNote => ({ ...goal, phase: 'answered' });

/** At most this many, whatever was asked for. */
export const iterationsOf = (asked: number | undefined): number =>
  asked === undefined || !Number.isFinite(asked)
    ? MAX_ITERATIONS
    : Math.min(MAX_ITERATIONS, Math.max(1, Math.floor(asked)));
