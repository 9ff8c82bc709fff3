/**
 * Settings as the agent needs them. Read anew whenever they are asked for, so that a change counts for the next request.
 * Unset, zero, negative or nonsense means the default; only `maxResumes` may be negative, which turns resumes off.
 */
import { defaultPolicy, effectivePolicy } from '../../agent/retry.js';
import type { AgentSettings, RetryPolicy } from '../../agent/types.js';
import type { PrunePolicy } from '../../log/upkeep.js';

/** Reads one setting by its name below `bough.`; what comes is whatever stands in the file. */
export type ReadSetting = (name: string) => unknown;

const defaults = {
  idleTimeout: 60_000,
  maxSteps: 200,
  maxContinuations: 30,
  compactAt: 0.92,
  keepRecentTokens: 20_000,
  offloadBytes: 50_000,
  model: 'auto',
  maxOpen: 8,
  idleAfter: 600_000,
} as const;

/** What the log holds of a result as it is goes to the model whole, too. */
const LEAST_OFFLOAD_BYTES = 8_192;

export function readRetryPolicy(read: ReadSetting): RetryPolicy {
  const stated: Partial<RetryPolicy> = {};
  for (const name of Object.keys(defaultPolicy) as (keyof RetryPolicy)[]) {
    const value = read(`retry.${name}`);
    if (isNumber(value)) stated[name] = value;
  }
  return effectivePolicy(stated);
}

export function readAgentSettings(read: ReadSetting): AgentSettings {
  const model = read('model');
  return {
    retry: readRetryPolicy(read),
    idleTimeout: positive(read('request.idleTimeout'), defaults.idleTimeout),
    maxSteps: Math.max(1, Math.floor(positive(read('turn.maxSteps'), defaults.maxSteps))),
    maxDuration: positive(read('turn.maxDuration'), 0),
    maxCost: positive(read('turn.maxCost'), 0),
    maxContinuations: wholeFrom0(read('turn.maxContinuations'), defaults.maxContinuations),
    compactAt: Math.min(1, positive(read('context.compactAt'), defaults.compactAt)),
    keepRecentTokens: positive(read('context.keepRecentTokens'), defaults.keepRecentTokens),
    offloadBytes: Math.max(
      LEAST_OFFLOAD_BYTES,
      positive(read('results.offloadBytes'), defaults.offloadBytes),
    ),
    model: typeof model === 'string' && model.trim() !== '' ? model.trim() : defaults.model,
  };
}

const DAY_MS = 86_400_000;

/** In the settings ages are days; 0 is off. What is no number is off, a negative one is refused by whoever deletes. */
export function readRetention(read: ReadSetting): PrunePolicy {
  const ms = (name: string): number => {
    const days = read(`retention.${name}`);
    return isNumber(days) ? days * DAY_MS : 0;
  };
  return {
    sessionIdle: ms('sessionIdle'),
    completedGoalAge: ms('completedGoalAge'),
    detachedResultAge: ms('detachedResultAge'),
  };
}

/** How many sessions are kept open, and for how long; 0 means without limit. */
export function readRestLimits(read: ReadSetting): { maxOpen: number; idleAfter: number } {
  const orZero = (value: unknown, otherwise: number) => (isNumber(value) && value >= 0 ? value : otherwise);
  return {
    maxOpen: Math.floor(orZero(read('sessions.maxOpen'), defaults.maxOpen)),
    idleAfter: orZero(read('sessions.idleAfter'), defaults.idleAfter),
  };
}

export function readSendOn(read: ReadSetting): 'enter' | 'modEnter' {
  return read('composer.sendOn') === 'modEnter' ? 'modEnter' : 'enter';
}

/** A whole number that may be 0, where that means "never". */
const wholeFrom0 = (value: unknown, otherwise: number): number =>
  isNumber(value) && value >= 0 ? Math.floor(value) : otherwise;

function positive(value: unknown, otherwise: number): number {
  return isNumber(value) && value > 0 ? value : otherwise;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
