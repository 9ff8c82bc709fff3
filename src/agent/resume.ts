/**
 * When a failed step starts again with the same number (AGENT §4): after it had delivered output, or after its request's
 * retries are used up. Pure, like retry.ts.
 */
import { backoff, planRetry, serverHint, type Plan, type Situation } from './retry.js';

/** What follows a failed attempt: a retry of the request, else a resume of the step, else nothing. */
export function planAfter(at: Situation): Plan {
  if (!at.failure.transient || at.failure.kind === 'cancelled') return { kind: 'give-up' };
  const retry = planRetry(at);
  return retry.kind === 'used-up' ? planResume(at) : retry;
}

export function planResume(at: Situation): Plan {
  const { policy } = at;
  if (policy.maxResumes < 0 || at.resumes >= policy.maxResumes) return { kind: 'give-up' };
  const hint = serverHint(at.failure);
  if (hint !== undefined && hint > policy.maxDelay) return { kind: 'parked', delay_ms: hint };
  const own = backoff(at.resumes + 1, policy.resumeInitialDelay, policy.resumeMaxDelay, at.random);
  const delay_ms = Math.max(own, hint ?? 0);
  if (delay_ms >= at.remaining) return { kind: 'give-up' };
  return { kind: 'resume', delay_ms, hint_ms: hint ?? 0 };
}
