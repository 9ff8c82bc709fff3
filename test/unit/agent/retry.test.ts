import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAfter } from '../../../src/agent/resume.js';
import {
  backoff,
  defaultPolicy,
  effectivePolicy,
  LONGEST_WAIT_MS,
  MIN_GAP_MS,
  serverHint,
  type Situation,
} from '../../../src/agent/retry.js';
import type { RetryPolicy } from '../../../src/agent/types.js';
import type { Failure } from '../../../src/shared/failure.js';
import { failureKinds } from '../../../src/shared/failure.js';

const anyNumber = fc.oneof(fc.double(), fc.integer({ min: -10, max: 200_000 }), fc.constant(0));

const anyPolicy = fc.record<Partial<RetryPolicy>>(
  {
    maxAttempts: anyNumber,
    initialDelay: anyNumber,
    maxDelay: anyNumber,
    maxElapsed: anyNumber,
    maxResumes: anyNumber,
    resumeInitialDelay: anyNumber,
    resumeMaxDelay: anyNumber,
  },
  { requiredKeys: [] },
);

const anyFailure: fc.Arbitrary<Failure> = fc
  .record({
    kind: fc.constantFrom(...failureKinds),
    transient: fc.boolean(),
    hint: fc.option(fc.oneof(fc.double(), fc.integer({ min: -1, max: 100_000 })), { nil: undefined }),
  })
  .map(({ kind, transient, hint }) => ({
    kind,
    transient,
    message: 'It failed.',
    ...(hint === undefined ? {} : { retry_after_ms: hint }),
  }));

const anySituation: fc.Arbitrary<Situation> = fc.record({
  policy: anyPolicy.map(effectivePolicy),
  failure: anyFailure,
  attempts: fc.integer({ min: 1, max: 10 }),
  elapsed: fc.integer({ min: 0, max: 400_000 }),
  remaining: fc.oneof(fc.integer({ min: 0, max: 400_000 }), fc.constant(Infinity)),
  resumes: fc.integer({ min: 0, max: 10 }),
  hasContent: fc.boolean(),
  random: fc.double({ min: 0, max: 0.999999, noNaN: true }),
});

describe('the retry policy', () => {
  it('takes the default for whatever is unset, zero, negative or no number, but for maxResumes', () => {
    expect(effectivePolicy({})).toEqual(defaultPolicy);
    const zeros = Object.fromEntries(Object.keys(defaultPolicy).map((key) => [key, 0]));
    expect(effectivePolicy(zeros)).toEqual(defaultPolicy);
    const negatives = Object.fromEntries(Object.keys(defaultPolicy).map((key) => [key, -5]));
    expect(effectivePolicy(negatives)).toEqual({ ...defaultPolicy, maxResumes: -1 });
    expect(effectivePolicy({ maxDelay: Number.NaN })).toEqual(defaultPolicy);
    expect(effectivePolicy({ maxAttempts: 1, maxResumes: 2 })).toMatchObject({
      maxAttempts: 1,
      maxResumes: 2,
    });
    fc.assert(
      fc.property(anyPolicy, (policy) => {
        const { maxResumes, ...rest } = effectivePolicy(policy);
        for (const value of Object.values(rest)) expect(value > 0 && value <= LONGEST_WAIT_MS).toBe(true);
        expect(maxResumes === -1 || maxResumes >= 1).toBe(true);
        expect(Number.isInteger(rest.maxAttempts)).toBe(true);
      }),
    );
  });

  it('backs off exponentially with jitter: cap/2 to cap, never under 250 ms, never over 2^31', () => {
    expect([1, 2, 3, 4, 9].map((n) => backoff(n, 1_000, 30_000, 0))).toEqual([
      500, 1_000, 2_000, 4_000, 15_000,
    ]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        anyPolicy,
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (n, some, random) => {
          const policy = effectivePolicy(some);
          const delay = backoff(n, policy.initialDelay, policy.maxDelay, random);
          const cap = Math.min(policy.maxDelay, policy.initialDelay * 2 ** (n - 1));
          expect(delay).toBeGreaterThanOrEqual(MIN_GAP_MS);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(cap / 2));
          expect(delay).toBeLessThanOrEqual(Math.max(MIN_GAP_MS, Math.ceil(cap)));
        },
      ),
    );
  });

  it('E2: keeps to a finite positive hint only', () => {
    const hint = (retry_after_ms: number) =>
      serverHint({ kind: 'rate', message: '', transient: true, retry_after_ms });
    expect([Number.NaN, Infinity, -1, 0].map(hint)).toEqual([undefined, undefined, undefined, undefined]);
    expect(hint(2_500.4)).toBe(2_501);
    expect(hint(9_999_999_999_000)).toBe(LONGEST_WAIT_MS);
  });

  it('E2: never plans a request sooner than 250 ms or than the server permits, nor past a limit', () => {
    fc.assert(
      fc.property(anySituation, (at) => {
        const plan = planAfter(at);
        const hint = serverHint(at.failure) ?? 0;
        if (plan.kind === 'give-up') return;
        expect(at.failure.transient && at.failure.kind !== 'cancelled').toBe(true);
        expect(plan.delay_ms).toBeGreaterThanOrEqual(hint);
        expect(plan.delay_ms).toBeLessThanOrEqual(LONGEST_WAIT_MS);
        if (plan.kind === 'parked') {
          expect(hint).toBeGreaterThan(at.policy.maxDelay);
          return;
        }
        expect(plan.delay_ms).toBeGreaterThanOrEqual(MIN_GAP_MS);
        expect(plan.hint_ms).toBe(hint);
        expect(hint).toBeLessThanOrEqual(at.policy.maxDelay);
        expect(plan.delay_ms).toBeLessThan(at.remaining);
        if (plan.kind === 'retry') {
          expect(at.hasContent).toBe(false);
          expect(at.attempts).toBeLessThan(at.policy.maxAttempts);
          expect(at.elapsed + plan.delay_ms).toBeLessThanOrEqual(at.policy.maxElapsed);
        } else {
          expect(at.resumes).toBeLessThan(at.policy.maxResumes);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('E5: whatever the server answers, a step ends after a bounded number of attempts and a bounded time', () => {
    fc.assert(
      fc.property(
        anyPolicy.map(effectivePolicy),
        fc.array(anyFailure, { minLength: 1 }),
        fc.boolean(),
        (some, failures, hasContent) => {
          const policy = {
            ...some,
            maxAttempts: Math.min(some.maxAttempts, 20),
            maxResumes: Math.min(some.maxResumes, 20),
          };
          let [attempts, resumes, elapsed, total] = [0, 0, 0, 0];
          for (;;) {
            attempts += 1;
            total += 1;
            const failure = failures[total % failures.length];
            if (failure === undefined) return;
            const plan = planAfter({
              policy,
              failure,
              attempts,
              elapsed,
              remaining: Infinity,
              resumes,
              hasContent,
              random: 0.5,
            });
            if (plan.kind === 'give-up' || plan.kind === 'parked') break;
            elapsed = plan.kind === 'resume' ? 0 : elapsed + plan.delay_ms;
            if (plan.kind === 'resume') [attempts, resumes] = [0, resumes + 1];
          }
          expect(total).toBeLessThanOrEqual(policy.maxAttempts * (Math.max(0, policy.maxResumes) + 1));
        },
      ),
    );
  });

  it('parks for a long hint, also when the request retries are used up; gives up when resumes are too', () => {
    const at = (more: Partial<Situation>): Situation => ({
      policy: defaultPolicy,
      failure: { kind: 'rate', message: '', transient: true, retry_after_ms: 31_000 },
      attempts: 1,
      elapsed: 0,
      remaining: Infinity,
      resumes: 0,
      hasContent: false,
      random: 0.5,
      ...more,
    });
    expect(planAfter(at({}))).toEqual({ kind: 'parked', delay_ms: 31_000 });
    expect(planAfter(at({ attempts: 4 }))).toEqual({ kind: 'parked', delay_ms: 31_000 });
    expect(planAfter(at({ attempts: 4, resumes: 5 }))).toEqual({ kind: 'give-up' });
  });
});
