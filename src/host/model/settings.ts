/**
 * Settings as the agent needs them. Read anew whenever they are asked for, so that a change counts for the next request.
 * Unset, zero, negative or nonsense means the default; only `maxResumes` may be negative, which turns resumes off.
 */
import type { AgentSettings, RetryPolicy } from '../../agent/types.js';

/** Reads one setting by its name below `bough.`; what comes is whatever stands in the file. */
export type ReadSetting = (name: string) => unknown;

export const defaultRetryPolicy: Readonly<RetryPolicy> = {
  maxAttempts: 4,
  initialDelay: 1_000,
  maxDelay: 30_000,
  maxElapsed: 120_000,
  maxResumes: 5,
  resumeInitialDelay: 5_000,
  resumeMaxDelay: 80_000,
};

const defaults = { idleTimeout: 60_000, maxSteps: 200, model: 'auto' } as const;

export function readRetryPolicy(read: ReadSetting): RetryPolicy {
  const ms = (name: keyof RetryPolicy) => positive(read(`retry.${name}`), defaultRetryPolicy[name]);
  const resumes = read('retry.maxResumes');
  return {
    maxAttempts: Math.max(1, Math.floor(ms('maxAttempts'))),
    initialDelay: ms('initialDelay'),
    maxDelay: ms('maxDelay'),
    maxElapsed: ms('maxElapsed'),
    maxResumes: isNumber(resumes) && resumes < 0 ? -1 : Math.max(1, Math.floor(ms('maxResumes'))),
    resumeInitialDelay: ms('resumeInitialDelay'),
    resumeMaxDelay: ms('resumeMaxDelay'),
  };
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
