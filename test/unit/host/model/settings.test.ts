import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '../../../../src/agent/retry.js';
import {
  readAgentSettings,
  readRestLimits,
  readRetention,
  readRetryPolicy,
  readSendOn,
} from '../../../../src/host/model/settings.js';

const from = (values: Record<string, unknown>) => (name: string) => values[name];

describe('retry settings', () => {
  it('unset means the defaults', () => {
    expect(readRetryPolicy(from({}))).toEqual(defaultPolicy);
  });

  it.each([0, -3, Number.NaN, Number.POSITIVE_INFINITY, '5', null, {}])('%j means the default', (value) => {
    const names = Object.keys(defaultPolicy).filter((name) => name !== 'maxResumes');
    const read = from(Object.fromEntries(names.map((name) => [`retry.${name}`, value])));
    expect(readRetryPolicy(read)).toEqual(defaultPolicy);
  });

  it('only maxResumes may be negative: no resumes', () => {
    expect(readRetryPolicy(from({ 'retry.maxResumes': -1 })).maxResumes).toBe(-1);
    expect(readRetryPolicy(from({ 'retry.maxResumes': -7 })).maxResumes).toBe(-1);
    expect(readRetryPolicy(from({ 'retry.maxResumes': 0 })).maxResumes).toBe(5);
  });

  it('counts are whole and at least one', () => {
    const policy = readRetryPolicy(from({ 'retry.maxAttempts': 0.4, 'retry.maxResumes': 2.9 }));
    expect(policy.maxAttempts).toBe(1);
    expect(policy.maxResumes).toBe(2);
  });
});

describe('agent settings', () => {
  it('has the documented defaults', () => {
    expect(readAgentSettings(from({}))).toMatchObject({
      idleTimeout: 60_000,
      offloadBytes: 50_000,
      maxSteps: 200,
      maxContinuations: 30,
      maxCost: 0,
      maxDuration: 0,
      model: 'auto',
    });
  });

  it('a blank model is auto, a name is trimmed', () => {
    expect(readAgentSettings(from({ model: '  ' })).model).toBe('auto');
    expect(readAgentSettings(from({ model: ' openai/gpt ' })).model).toBe('openai/gpt');
  });

  it('offloads nothing that the log holds as it is', () => {
    expect(readAgentSettings(from({ 'results.offloadBytes': 1 })).offloadBytes).toBe(8_192);
    expect(readAgentSettings(from({ 'results.offloadBytes': 200_000 })).offloadBytes).toBe(200_000);
  });

  it('reads anew each time', () => {
    const values: Record<string, unknown> = { 'turn.maxSteps': 3 };
    const read = from(values);
    expect(readAgentSettings(read).maxSteps).toBe(3);
    values['turn.maxSteps'] = 9;
    expect(readAgentSettings(read).maxSteps).toBe(9);
  });

  it('knows two ways to send', () => {
    expect(readSendOn(from({ 'composer.sendOn': 'modEnter' }))).toBe('modEnter');
    expect(readSendOn(from({ 'composer.sendOn': 'anything' }))).toBe('enter');
  });
});

describe('what is kept', () => {
  it('B15: nothing is deleted by age unless the person says so; ages are days', () => {
    expect(readRetention(from({}))).toEqual({ sessionIdle: 0, completedGoalAge: 0, detachedResultAge: 0 });
    const wrong = from({ 'retention.sessionIdle': '30', 'retention.completedGoalAge': null });
    expect(readRetention(wrong)).toEqual({ sessionIdle: 0, completedGoalAge: 0, detachedResultAge: 0 });
    expect(readRetention(from({ 'retention.sessionIdle': 30 })).sessionIdle).toBe(30 * 86_400_000);
    expect(readRetention(from({ 'retention.sessionIdle': -1 })).sessionIdle).toBeLessThan(0);
  });

  it('how many sessions stay in memory, and for how long; zero is no limit', () => {
    expect(readRestLimits(from({}))).toEqual({ maxOpen: 8, idleAfter: 600_000 });
    expect(readRestLimits(from({ 'sessions.maxOpen': 0, 'sessions.idleAfter': 0 }))).toEqual({
      maxOpen: 0,
      idleAfter: 0,
    });
    expect(readRestLimits(from({ 'sessions.maxOpen': -1, 'sessions.idleAfter': 'x' }))).toEqual({
      maxOpen: 8,
      idleAfter: 600_000,
    });
  });
});
