/**
 * Asks the model whether a goal is reached. An answer that is none, or a request that failed and may be sent again, is
 * tried once more by the retry policy, in sight and in the log; then it is a failure. Nothing of it joins the conversation.
 */
import type { Usage } from '../ports.js';
import { cancelled, isFailure, type Failure } from '../shared/failure.js';
import type { GoalNote } from '../shared/goal.js';
import type { Draft } from '../shared/notes.js';
import type { AttemptResult } from './attempt.js';
import { fitting } from './compaction/transcript.js';
import { selectPath } from './context/select.js';
import { toldLine } from './context/told-line.js';
import { wantedModel, type Core, type Run } from './core.js';
import { refused } from './failures.js';
import { evaluationRequest, readEvaluation, type Evaluation } from './goal-evaluation.js';
import { askAside, retryAside } from './side-request.js';
import { waitFor } from './wait.js';

/** The first request and one more. */
const MOST_REQUESTS = 2;

export interface Checked {
  outcome: Evaluation | Failure;
  /** One for each request that reported it. */
  usage: Draft[];
}

export async function checkGoal(core: Core, run: Run, goal: GoalNote): Promise<Checked> {
  const model = await core.parts.models.resolve(wantedModel(core));
  if (isFailure(model)) return { outcome: model, usage: [] };
  const transcript = fitting(selectPath(await toldLine(core.log)), model.info);
  const request = evaluationRequest(goal, transcript);
  const { clock } = core.parts;
  const began = clock.elapsed();
  const usage: Draft[] = [];
  for (let attempt = 1; ; attempt++) {
    const attempt_id = core.parts.ids.entry();
    const result = await askAside(core, run, { model, request, attempt_id });
    if (result.usage !== null) usage.push(usageOf(goal, attempt_id, result.usage));
    const outcome = outcomeOf(result, run);
    if (attempt > 1) await core.append([retryEnd(run, attempt - 1, isFailure(outcome) ? outcome : null)]);
    if (!isFailure(outcome)) return { outcome, usage };
    const wait = waitAfter(core, run, outcome, { attempt, attempt_id, elapsed: clock.elapsed() - began });
    if (wait === null) return { outcome, usage };
    await core.append([wait.note]);
    core.goal.trouble = outcome.message;
    run.enter('retrying');
    await waitFor(clock, run, wait);
    run.enter('running');
  }
}

function outcomeOf(result: AttemptResult, run: Run): Evaluation | Failure {
  if (run.signal.aborted || result.kind === 'aborted') return cancelled('The evaluation was stopped.');
  if (result.kind === 'failed') return result.failure;
  const read = readEvaluation(result.text);
  return typeof read === 'string' ? noEvaluation(result.reason === 'length' ? 'it was cut' : read) : read;
}

/** The next answer may well be one. */
const noEvaluation = (why: string): Failure => ({
  ...refused('InvalidEvaluation', `The evaluation's answer was not the JSON that was asked for: ${why}.`),
  transient: true,
});

function waitAfter(
  core: Core,
  run: Run,
  failure: Failure,
  at: { attempt: number; attempt_id: string; elapsed: number },
): { ms: number; hint_ms: number; due_at: string; note: Draft } | null {
  if (at.attempt >= MOST_REQUESTS) return null;
  const plan = retryAside(core, run, failure, at);
  if (plan === null) return null;
  const { delay_ms, hint_ms, max_attempts } = plan;
  const due_at = new Date(core.parts.clock.now() + delay_ms).toISOString();
  const note: Draft = {
    type: 'retry_start',
    turn_id: run.turn_id,
    kind: 'retry',
    step: 0,
    attempt_id: at.attempt_id,
    attempt: at.attempt,
    max_attempts: Math.min(MOST_REQUESTS, max_attempts),
    ...{ delay_ms, due_at, error: failure.message },
    ...(hint_ms > 0 ? { server_hint: true, hint_ms } : {}),
  };
  return { ms: delay_ms, hint_ms, due_at, note };
}

const retryEnd = ({ turn_id }: Run, attempt: number, failure: Failure | null): Draft => ({
  type: 'retry_end',
  turn_id,
  success: failure === null,
  attempt,
  ...(failure === null ? {} : { final_error: failure.message }),
});

/** It belongs to the iteration's turn: that is what it costs. */
const usageOf = ({ turn_id }: GoalNote, attempt_id: string, usage: Usage): Draft => ({
  type: 'usage',
  ...(turn_id === undefined ? {} : { turn_id }),
  attempt_id,
  purpose: 'evaluation',
  ...usage,
});
