/** A request beside the conversation, for a summary or an evaluation: streams to nobody, and is tried again by the policy. */
import type { Model, ModelRequest } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import { runAttempt, type AttemptResult } from './attempt.js';
import type { Core, Run } from './core.js';
import { noJournal } from './journal.js';
import { Live } from './live.js';
import { effectivePolicy, planRetry } from './retry.js';

export interface SideRequest {
  model: Model;
  request: ModelRequest;
  attempt_id: string;
}

export function askAside(core: Core, run: Run, asked: SideRequest): Promise<AttemptResult> {
  const { clock, ids, log, redact, settings } = core.parts;
  const { idleTimeout } = settings();
  return runAttempt(
    { clock, ids, log, live: new Live(redact, (error) => log('error', String(error))), journal: noJournal },
    {
      ...asked,
      turn_id: run.turn_id,
      step: 0,
      idleTimeout: Number.isFinite(idleTimeout) && idleTimeout > 0 ? idleTimeout : 60_000,
      signal: run.signal,
    },
  );
}

/** How long to wait before it is asked again; null when it is not. */
export function retryAside(
  core: Core,
  run: Run,
  failure: Failure,
  { attempt, elapsed }: { attempt: number; elapsed: number },
): { delay_ms: number; hint_ms: number; max_attempts: number } | null {
  if (!failure.transient || run.signal.aborted) return null;
  const policy = effectivePolicy(core.parts.settings().retry);
  const plan = planRetry({
    policy,
    failure,
    attempts: attempt,
    elapsed,
    remaining: run.remaining(),
    resumes: 0,
    hasContent: false,
    random: core.parts.random(),
  });
  if (plan.kind !== 'retry') return null;
  return { delay_ms: plan.delay_ms, hint_ms: plan.hint_ms, max_attempts: policy.maxAttempts };
}
