/** A failed attempt: what the policy makes of it, the wait in the log, and the wait itself. */
import type { Clock } from '../ports.js';
import type { IncompleteReason } from '../shared/entry.js';
import { isFailure, type Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import { notShorter, shortenConversation } from './compaction/room.js';
import type { Core, Run } from './core.js';
import { imagesToLeave, leavingText } from './images.js';
import { settleJournal } from './journal.js';
import { droppedOf } from './partial.js';
import { planAfter } from './resume.js';
import { effectivePolicy, MIN_GAP_MS, type Plan } from './retry.js';
import { failedStep, reported, retryEnd, stopped } from './step-end.js';
import type { Attempted, StepResult, StepStop } from './step-result.js';
import type { TurnFacts } from './turn-facts.js';
import { waitFor } from './wait.js';

const reasonOf = (failure: Failure): IncompleteReason =>
  failure.kind === 'network' ? 'connection' : 'error';

/** null: the step is tried again. */
export async function recoverFrom(
  core: Core,
  run: Run,
  attempted: Attempted,
  failure: Failure,
): Promise<StepResult | null> {
  const { facts, attempt_id, result } = attempted;
  const { clock, settings, random } = core.parts;
  core.live.drop(attempt_id, droppedOf(run.partial));
  await settleJournal(core);
  if (run.partial?.attempt_id === attempt_id) run.partial = { ...run.partial, error: failure.message };
  if (!facts.hasLeftImages && imagesToLeave(attempted.images, failure).length > 0) {
    return leaveImages(core, run, attempted, failure);
  }
  if (failure.kind === 'overflow') return recoverFromOverflow(core, run, attempted, failure);
  const policy = effectivePolicy(settings().retry);
  const plan = planAfter({
    policy,
    failure,
    attempts: facts.attempts,
    elapsed: elapsedOf(clock, run, facts),
    remaining: run.remaining(),
    resumes: facts.resumes,
    hasContent: result.hasContent,
    random: random(),
  });
  const tail = [...reported(run, attempted), ...retryEnd(run, facts, failure.message)];
  if (run.signal.aborted) return stopped(core, run, reported(run, attempted));
  if (plan.kind === 'give-up') return failedStep(run, tail, { reason: reasonOf(failure), failure });
  const due_at = new Date(clock.now() + plan.delay_ms).toISOString();
  await core.append([...tail, waitNote(run, attempted, plan, { policy, due_at, error: failure.message })]);
  if (plan.kind === 'parked') return { kind: 'parked' };
  tell(core, attempted, plan, { due_at, reason: failure.message });
  run.enter('retrying');
  const waited = await waitFor(clock, run, { ms: plan.delay_ms, hint_ms: plan.hint_ms, due_at });
  return waited === 'due' ? null : stoppedInWait(core, run);
}

/** The provider did not accept the images: once per step it is asked again without the oldest. */
async function leaveImages(
  core: Core,
  run: Run,
  attempted: Attempted,
  failure: Failure,
): Promise<StepResult | null> {
  if (run.signal.aborted) return stopped(core, run, reported(run, attempted));
  const { facts, images } = attempted;
  const { clock, settings } = core.parts;
  const left = imagesToLeave(images, failure);
  const maxAttempts = Math.max(effectivePolicy(settings().retry).maxAttempts, facts.attempts + 1);
  const plan = { kind: 'retry', delay_ms: MIN_GAP_MS, hint_ms: 0 } as const;
  const due_at = new Date(clock.now() + plan.delay_ms).toISOString();
  const error = leavingText(failure, left);
  const policy = { ...effectivePolicy(settings().retry), maxAttempts };
  await core.append([
    ...reported(run, attempted),
    ...retryEnd(run, facts, failure.message),
    waitNote(run, attempted, plan, { policy, due_at, error, without_images: left.map(({ blob }) => blob) }),
  ]);
  tell(core, attempted, plan, { due_at, reason: error });
  run.enter('retrying');
  const waited = await waitFor(clock, run, { ms: plan.delay_ms, hint_ms: 0, due_at });
  return waited === 'due' ? null : stoppedInWait(core, run);
}

/** The provider found the request too long: once per step it is asked again after a compaction. */
async function recoverFromOverflow(
  core: Core,
  run: Run,
  attempted: Attempted,
  failure: Failure,
): Promise<StepResult | null> {
  const { facts, model } = attempted;
  const tail = [...reported(run, attempted), ...retryEnd(run, facts, failure.message)];
  const giveUp = (why: Failure): StepStop => failedStep(run, tail, { reason: 'error', failure: why });
  if (facts.hasMadeRoom) return giveUp(failure);
  const asked = await core.parts.models.resolve(`${model.provider}/${model.id}`);
  if (isFailure(asked)) return giveUp(failure);
  const problem = await shortenConversation(core, run, asked, 'refused-as-too-long');
  if (run.signal.aborted) return stopped(core, run, tail);
  if (problem !== null) return giveUp(notShorter(failure, problem));
  if (tail.length > 0) await core.append(tail);
  return null;
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
  about: {
    policy: { maxAttempts: number; maxResumes: number };
    due_at: string;
    error: string;
    without_images?: string[];
  },
): Draft {
  const hint_ms = plan.kind === 'parked' ? plan.delay_ms : plan.hint_ms;
  const common = {
    turn_id: run.turn_id,
    step,
    delay_ms: plan.delay_ms,
    due_at: about.due_at,
    error: about.error,
    ...(hint_ms > 0 ? { server_hint: true, hint_ms } : {}),
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
    ...(facts.resumes === 0 ? {} : { resume: facts.resumes, max_resumes: about.policy.maxResumes }),
    ...(about.without_images === undefined ? {} : { without_images: about.without_images }),
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
