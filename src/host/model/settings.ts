/**
 * Settings as the agent needs them. Read anew whenever they are asked for, so that a change counts for the next request.
 * Unset, zero, negative or nonsense means the default; only `maxResumes` may be negative, which turns resumes off.
 */
import { defaultPolicy, effectivePolicy } from '../../agent/retry.js';
import type { AgentSettings, RetryPolicy } from '../../agent/types.js';

/** Reads one setting by its name below `bough.`; what comes is whatever stands in the file. */
export type ReadSetting = (name: string) => unknown;

const defaults = { idleTimeout: 60_000, maxSteps: 200, model: 'auto' } as const;

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
    model: typeof model === 'string' && model.trim() !== '' ? model.trim() : defaults.model,
  };
}

export function readSendOn(read: ReadSetting): 'enter' | 'modEnter' {
  return read('composer.sendOn') === 'modEnter' ? 'modEnter' : 'enter';
}

function positive(value: unknown, otherwise: number): number {
  return isNumber(value) && value > 0 ? value : otherwise;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
