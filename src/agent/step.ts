/**
 * One step: attempts of its model request, with retries, resumes and waits in the log, until there is an assistant
 * message or the turn cannot go on. Writes nothing of a turn's end itself: it hands over what belongs to it.
 */
import type { Clock, Model } from '../ports.js';
import type { IncompleteReason, Message } from '../shared/entry.js';
import { isFailure, type Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { runAttempt, type AttemptResult } from './attempt.js';
import type { Core, Run } from './core.js';
import { incompleteOutput, usageNote } from './entries.js';
import { effectivePolicy, MIN_GAP_MS, type Plan } from './retry.js';
import { planAfter } from './resume.js';
import { requestFor } from './request.js';
import { factsOf, type TurnFacts } from './turn-facts.js';
import { sleep, waitFor } from './wait.js';

export interface TurnEnd {
  status: 'completed' | 'stopped' | 'failed';
  failure: Failure | null;
}

export type StepResult =
  /** The message asks for tools; it is in the log. */
  | { kind: 'calls' }
  /** The answer, not written yet: it goes into one batch with the step's end. */
  | { kind: 'answered'; batch: Draft[] }
  | { kind: 'ended'; end: TurnEnd; batch: Draft[] }
  /** The server asked for a wait that only the person can end. It is in the log. */
  | { kind: 'parked' }
  /** The window closes; what streamed is in the log. */
  | { kind: 'closed' };

/** All ways a step can end but the good ones. */
export type StepStop = Exclude<StepResult, { kind: 'calls' | 'answered' }>;

interface Attempted {
  attempt_id: string;
  step: number;
  facts: TurnFacts;
  result: AttemptResult;
}

export async function runStep(core: Core, run: Run): Promise<StepResult> {
  for (;;) {
    const attempted = await attemptStep(core, run);
    if ('kind' in attempted) return attempted;
    const done = await settleAttempt(core, run, attempted);
    if (done !== null) return done;
  }
}

/** Begins the step, or begins it again, and asks the model once. */
async function attemptStep(core: Core, run: Run): Promise<Attempted | StepResult> {
  const { log, parts } = core;
  const before = await factsOf(core, run.turn_id);
  const step = before.isStepOpen ? before.step : before.step + 1;
  const maxSteps = stepLimit(parts.settings().maxSteps);
  if (step > maxSteps) return ended(tooManySteps(maxSteps));
  const model = await parts.models.resolve(wantedModel(core));
  if (isFailure(model)) return ended(model);
  const request = await requestFor(core, model.info);
  if (isFailure(request)) return ended(request);
  await keepGap(core, run, before);
  if (run.signal.aborted) return stopped(core, run, []);
  const attempt_id = parts.ids.entry();
  await core.append([
    ...fixModel(core, model),
    { type: 'step_start', turn_id: run.turn_id, step, attempt_id, prompt_hash: request.promptHash },
  ]);
  await log.journal.begin({ attempt_id, step, parent_id: log.head, turn_id: run.turn_id });
  run.enter('running');
  run.lastAttempt = parts.clock.elapsed();
  if (!before.isStepOpen || before.attempts === 0) run.requestBegan = run.lastAttempt;
  const world = { clock: parts.clock, ids: parts.ids, log: parts.log, live: core.live, journal: log.journal };
  const result = await runAttempt(world, {
    model,
    request: request.request,
    attempt_id,
    turn_id: run.turn_id,
    step,
    idleTimeout: idleTimeout(parts.settings().idleTimeout),
    signal: run.signal,
  });
  if (result.text !== '' || result.reasoning !== '') {
    run.partial = { attempt_id, text: result.text, reasoning: result.reasoning };
  }
  return { attempt_id, step, facts: await factsOf(core, run.turn_id), result };
}

export const wantedModel = (core: Core): string => {
  const chosen = core.log.state().model;
  return chosen === null ? core.parts.settings().model : `${chosen.provider}/${chosen.model_id}`;
};

const stepLimit = (steps: number): number => (Number.isFinite(steps) && steps > 0 ? steps : 200);

const idleTimeout = (ms: number): number => (Number.isFinite(ms) && ms > 0 ? ms : 60_000);

/** A session keeps the model that its first request went to. */
function fixModel(core: Core, model: Model): Draft[] {
  if (core.log.state().model !== null) return [];
  return [{ type: 'model_change', provider: model.info.provider, model_id: model.info.id }];
}

/** Never two attempts of one step within {@link MIN_GAP_MS}, whoever asked for the second. */
async function keepGap(core: Core, run: Run, facts: TurnFacts): Promise<void> {
  if (facts.lastAttemptAt === null || !facts.isStepOpen) return;
  const { clock } = core.parts;
  const since =
    run.lastAttempt === null ? clock.now() - facts.lastAttemptAt : clock.elapsed() - run.lastAttempt;
  const left = MIN_GAP_MS - Math.max(0, since);
  if (left > 0) await sleep(clock, left, [run.signal]);
}

/** What an attempt's result means for the step; null when the step is tried again. */
async function settleAttempt(core: Core, run: Run, attempted: Attempted): Promise<StepResult | null> {
  const { result } = attempted;
  switch (result.kind) {
    case 'finished':
      return finish(core, run, attempted, result);
    case 'aborted':
      return stopped(core, run, reported(run, attempted));
    case 'failed':
      return recoverFrom(core, run, attempted, result.failure);
  }
}

const reported = (run: Run, { attempt_id, result }: Attempted): Draft[] =>
  result.usage === null ? [] : [usageNote(run.turn_id, attempt_id, result.usage)];

/** Ends the pair of the retry that this attempt was. */
const retryEnd = (run: Run, facts: TurnFacts, error: string | null): Draft[] =>
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

// ------------------------------------------------------------------------------------------------ a good end

type Finished = Extract<AttemptResult, { kind: 'finished' }>;

async function finish(core: Core, run: Run, attempted: Attempted, result: Finished): Promise<StepResult> {
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

function assistantMessage(core: Core, run: Run, { attempt_id, step }: Attempted, result: Finished): Draft {
  const model = core.log.state().model;
  const message: Omit<Message, 'id' | 'parent_id' | 'timestamp'> = {
    type: 'message',
    role: 'assistant',
    turn_id: run.turn_id,
    parts: result.parts,
    ...(model === null ? {} : { model: model.model_id, provider: model.provider }),
    attempt_id,
    step,
    finish_reason: result.reason,
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

// ------------------------------------------------------------------------------------------------- other ends

const ended = (failure: Failure): StepStop => ({
  kind: 'ended',
  end: { status: 'failed', failure },
  batch: [],
});

const tooManySteps = (limit: number): Failure => ({
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
    const partial = incompleteOutput(run.turn_id, run.partial, { reason: 'stopped' });
    return { kind: 'ended', end: { status: 'stopped', failure: null }, batch: [...tail, ...partial] };
  }
  const closing = [...batch, ...incompleteOutput(run.turn_id, run.partial, { reason: 'closed' })];
  if (closing.length > 0) await core.append(closing);
  run.partial = null;
  return { kind: 'closed' };
}

/** The step failed for good: the last text stays, marked. */
function failedStep(run: Run, batch: Draft[], { reason, failure }: BadFinish): StepStop {
  const partial = incompleteOutput(run.turn_id, run.partial, { reason, error: failure.message });
  return { kind: 'ended', end: { status: 'failed', failure }, batch: [...batch, ...partial] };
}

const reasonOf = (failure: Failure): IncompleteReason =>
  failure.kind === 'network' ? 'connection' : 'error';

// ------------------------------------------------------------------------------------------- retry and resume

async function recoverFrom(
  core: Core,
  run: Run,
  attempted: Attempted,
  failure: Failure,
): Promise<StepResult | null> {
  const { facts, attempt_id, result } = attempted;
  const { clock, settings, random } = core.parts;
  core.live.end(attempt_id);
  const policy = effectivePolicy(settings().retry);
  const plan = planAfter({
    policy,
    failure,
    attempts: facts.attempts,
    elapsed: elapsedOf(clock, run, facts),
    remaining: run.remaining(),
    resumes: facts.resumes,
    hasContent: result.kind === 'failed' && result.hasContent,
    random: random(),
  });
  const tail = [...reported(run, attempted), ...retryEnd(run, facts, failure.message)];
  if (run.signal.aborted) return stopped(core, run, tail);
  if (plan.kind === 'give-up') return failedStep(run, tail, { reason: reasonOf(failure), failure });
  const due_at = new Date(clock.now() + plan.delay_ms).toISOString();
  await core.append([...tail, waitNote(run, attempted, plan, { policy, due_at, error: failure.message })]);
  if (plan.kind === 'parked') return { kind: 'parked' };
  tell(core, attempted, plan, { due_at, reason: failure.message });
  run.enter('retrying');
  const waited = await waitFor(clock, run, { ms: plan.delay_ms, hint_ms: plan.hint_ms, due_at });
  return waited === 'due' ? null : stoppedInWait(core, run);
}

/** By the monotonic clock; by the wall clock for a request that began before a reload. */
function elapsedOf(clock: Clock, run: Run, facts: TurnFacts): number {
  if (run.requestBegan !== null) return clock.elapsed() - run.requestBegan;
  return facts.firstAttemptAt === null ? 0 : Math.max(0, clock.now() - facts.firstAttemptAt);
}

/** The wait stays open when the window closes: it is taken up by whoever opens the session next. */
export async function stoppedInWait(core: Core, run: Run): Promise<StepStop> {
  return run.stopReason() === 'closed' ? { kind: 'closed' } : stopped(core, run, []);
}

type WaitPlan = Exclude<Plan, { kind: 'give-up' }>;

function waitNote(
  run: Run,
  { attempt_id, step, facts }: Attempted,
  plan: WaitPlan,
  about: { policy: { maxAttempts: number; maxResumes: number }; due_at: string; error: string },
): Draft {
  const common = {
    turn_id: run.turn_id,
    step,
    delay_ms: plan.delay_ms,
    due_at: about.due_at,
    error: about.error,
    ...(plan.kind === 'parked' || plan.hint_ms > 0 ? { server_hint: true } : {}),
  };
  if (plan.kind === 'resume') {
    return {
      type: 'resume_start',
      ...common,
      resume: facts.resumes + 1,
      max_resumes: about.policy.maxResumes,
    };
  }
  return {
    type: 'retry_start',
    kind: plan.kind,
    ...common,
    attempt_id,
    attempt: facts.attempts,
    max_attempts: about.policy.maxAttempts,
  };
}

function tell(
  core: Core,
  { facts, step }: Attempted,
  plan: WaitPlan,
  about: { due_at: string; reason: string },
): void {
  const common = { delay_ms: plan.delay_ms, ...about };
  if (plan.kind === 'resume') core.live.emit({ type: 'resume', step, resume: facts.resumes + 1, ...common });
  else core.live.emit({ type: 'retry', attempt: facts.attempts, ...common });
}
