/**
 * When a failed model request is sent again, and how long that waits (AGENT §3). Pure: the caller measures, waits and
 * writes. Never sooner than the server permits, never two attempts of one step within {@link MIN_GAP_MS}.
 */
import type { Failure } from '../shared/failure.js';
import type { RetryPolicy } from './types.js';

export const defaultPolicy: RetryPolicy = {
  maxAttempts: 4,
  initialDelay: 1_000,
  maxDelay: 30_000,
  maxElapsed: 120_000,
  maxResumes: 5,
  resumeInitialDelay: 5_000,
  resumeMaxDelay: 80_000,
};

export const MIN_GAP_MS = 250;

/** Timers fire at once from 2^31 ms on. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

const orDefault = (value: number, fallback: number): number =>
  Number.isFinite(value) && value > 0 ? Math.min(value, LONGEST_WAIT_MS) : fallback;

/** Unset, zero and negative mean the default; `maxResumes` may be negative, which turns resumes off. */
export function effectivePolicy(policy: Partial<RetryPolicy>): RetryPolicy {
  const resumes = policy.maxResumes ?? 0;
  const initialDelay = orDefault(policy.initialDelay ?? 0, defaultPolicy.initialDelay);
  const resumeInitialDelay = orDefault(policy.resumeInitialDelay ?? 0, defaultPolicy.resumeInitialDelay);
  return {
    maxAttempts: Math.max(1, Math.floor(orDefault(policy.maxAttempts ?? 0, defaultPolicy.maxAttempts))),
    initialDelay,
    maxDelay: orDefault(policy.maxDelay ?? 0, defaultPolicy.maxDelay),
    maxElapsed: orDefault(policy.maxElapsed ?? 0, defaultPolicy.maxElapsed),
    maxResumes: resumes < 0 ? -1 : Math.max(1, Math.floor(orDefault(resumes, defaultPolicy.maxResumes))),
    resumeInitialDelay,
    resumeMaxDelay: orDefault(policy.resumeMaxDelay ?? 0, defaultPolicy.resumeMaxDelay),
  };
}

/** cap/2 + random·cap/2 with cap = min(max, initial·2^(n−1)); n counts from 1. `random` is in [0, 1). */
export function backoff(n: number, initial: number, max: number, random: number): number {
  const cap = Math.min(max, initial * 2 ** (n - 1));
  return Math.max(MIN_GAP_MS, Math.round(cap / 2 + (random * cap) / 2));
}

/** What the server asked for, in ms; undefined when it said nothing that can be kept to. */
export function serverHint(failure: Failure): number | undefined {
  const hint = failure.retry_after_ms;
  if (hint === undefined || !Number.isFinite(hint) || hint <= 0) return undefined;
  return Math.min(Math.ceil(hint), LONGEST_WAIT_MS);
}

export interface Situation {
  policy: RetryPolicy;
  failure: Failure;
  /** Attempts of this request so far, the first included. */
  attempts: number;
  /** ms since the request's first attempt began. */
  elapsed: number;
  /** ms to the turn's deadline, or Infinity. */
  remaining: number;
  /** Step resumes of this turn so far. */
  resumes: number;
  /** Whether output was delivered before it failed. */
  hasContent: boolean;
  /** In [0, 1). */
  random: number;
}

export type Plan =
  /** `hint_ms`: what the server asked for, 0 when it did not; only our own share of the wait can be skipped. */
  | { kind: 'retry' | 'resume'; delay_ms: number; hint_ms: number }
  /** Automatic retrying stops: the server asked for more than `maxDelay`. */
  | { kind: 'parked'; delay_ms: number }
  | { kind: 'give-up' };

/** A request retry; `used-up` when the request's budget is, or when it had delivered output. */
export function planRetry(at: Situation): Plan | { kind: 'used-up' } {
  const { policy } = at;
  if (at.hasContent || at.attempts >= policy.maxAttempts) return { kind: 'used-up' };
  const hint = serverHint(at.failure);
  if (hint !== undefined && hint > policy.maxDelay) return { kind: 'parked', delay_ms: hint };
  const own = backoff(at.attempts, policy.initialDelay, policy.maxDelay, at.random);
  const delay_ms = Math.max(own, hint ?? 0);
  if (at.elapsed + delay_ms > policy.maxElapsed) return { kind: 'used-up' };
  if (delay_ms >= at.remaining) return { kind: 'give-up' };
  return { kind: 'retry', delay_ms, hint_ms: hint ?? 0 };
}
