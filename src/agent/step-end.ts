/** The ends of a step: an answer, a failure, a stop. What streamed is never lost, whichever it is. */
import type { IncompleteReason, Message } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import type { AttemptResult } from './attempt.js';
import type { Core, Run } from './core.js';
import { incompleteOutput, usageNote } from './entries.js';
import type { Attempted, StepResult, StepStop } from './step-result.js';
import { factsOf, type TurnFacts } from './turn-facts.js';

export const reported = (run: Run, { attempt_id, result }: Attempted): Draft[] =>
  result.usage === null ? [] : [usageNote(run.turn_id, attempt_id, result.usage)];

/** Ends the pair of the retry that this attempt was. */
export const retryEnd = (run: Run, facts: TurnFacts, error: string | null): Draft[] =>
  facts.openRetry === null
    ? []
    : [
        {
          type: 'retry_end',
          turn_id: run.turn_id,
          success: error === null,
          attempt: facts.openRetry,
          ...(error === null ? {} : { final_error: error }),
        },
      ];

type Finished = Extract<AttemptResult, { kind: 'finished' }>;

export async function finish(
  core: Core,
  run: Run,
  attempted: Attempted,
  result: Finished,
): Promise<StepResult> {
  const hasCalls = result.parts.some((part) => part.type === 'tool_call');
  const bad = badFinish(result, hasCalls);
  if (bad !== null) {
    const tail = [...reported(run, attempted), ...retryEnd(run, attempted.facts, bad.failure.message)];
    return failedStep(run, tail, bad);
  }
  const batch = [
    ...retryEnd(run, attempted.facts, null),
    assistantMessage(core, run, attempted, result),
    ...reported(run, attempted),
  ];
  if (!hasCalls) return { kind: 'answered', batch };
  await core.append(batch);
  run.partial = null;
  return { kind: 'calls' };
}

function assistantMessage(
  core: Core,
  run: Run,
  { attempt_id, step, model }: Attempted,
  result: Finished,
): Draft {
  const { agent_id } = core.log.state();
  const message: Omit<Message, 'id' | 'parent_id' | 'timestamp'> = {
    type: 'message',
    role: 'assistant',
    turn_id: run.turn_id,
    parts: result.parts,
    model: model.id,
    provider: model.provider,
    attempt_id,
    step,
    finish_reason: result.reason,
    ...(agent_id === null ? {} : { agent_id }),
  };
  return message;
}

interface BadFinish {
  reason: IncompleteReason;
  failure: Failure;
}

/** An end that the protocol calls regular and that leaves no answer to build on. */
function badFinish(result: Finished, hasCalls: boolean): BadFinish | null {
  if (result.reason === 'content_filter') {
    const message =
      'The provider withheld the rest of this answer (content filter). Rephrase the prompt or choose another model.';
    return {
      reason: 'error',
      failure: { kind: 'refused', code: 'ContentFilter', message, transient: false, action: 'select-model' },
    };
  }
  if (result.reason === 'length' && !hasCalls) {
    const message =
      "The answer was cut at the model's output limit. Continue, ask for a shorter answer, or raise maxOutput of the model.";
    return {
      reason: 'length',
      failure: { kind: 'refused', code: 'OutputLimit', message, transient: false, action: 'open-settings' },
    };
  }
  return null;
}

/** The step cannot be tried (again): what its earlier attempts left is kept. */
export const cannotGoOn = (run: Run, facts: TurnFacts, failure: Failure): StepStop =>
  failedStep(run, retryEnd(run, facts, failure.message), { reason: 'error', failure });

export const tooManySteps = (limit: number): Failure => ({
  kind: 'refused',
  code: 'MaxSteps',
  message: `The turn has reached its limit of ${String(limit)} steps (setting bough.turn.maxSteps). Continue starts a new turn from here.`,
  transient: false,
  action: 'open-settings',
});

const outOfTime = (): Failure => ({
  kind: 'refused',
  code: 'MaxDuration',
  message:
    'The turn has reached its time limit (setting bough.turn.maxDuration). Continue starts a new turn from here.',
  transient: false,
  action: 'open-settings',
});

const stopError = 'Stopped before the request was answered.';

/** A stop, the deadline, or the window closing. `batch` goes before the text. */
export async function stopped(core: Core, run: Run, batch: Draft[]): Promise<StepStop> {
  const facts = await factsOf(core, run.turn_id);
  const reason = run.stopReason() ?? 'stopped';
  const tail = [...batch, ...retryEnd(run, facts, stopError)];
  if (reason === 'deadline') return failedStep(run, tail, { reason: 'error', failure: outOfTime() });
  if (reason === 'stopped') {
    // Stopped after it had broken off by itself: both are said.
    const partial = incompleteOutput(run.turn_id, run.partial, {
      reason: 'stopped',
      error: run.partial?.error,
    });
    return { kind: 'ended', end: { status: 'stopped', failure: null }, batch: [...tail, ...partial] };
  }
  const closing = [...batch, ...incompleteOutput(run.turn_id, run.partial, { reason: 'closed' })];
  if (closing.length > 0) await core.append(closing);
  run.partial = null;
  return { kind: 'closed' };
}

/** The step failed for good: the last text stays, marked. */
export function failedStep(run: Run, batch: Draft[], { reason, failure }: BadFinish): StepStop {
  const partial = incompleteOutput(run.turn_id, run.partial, { reason, error: failure.message });
  return { kind: 'ended', end: { status: 'failed', failure }, batch: [...batch, ...partial] };
}
