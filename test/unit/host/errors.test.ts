import { describe, expect, it } from 'vitest';
import { failureOf, Refusal, troubleOf, unwrap } from '../../../src/host/errors.js';
import { BoughError, cancelled, type Failure } from '../../../src/shared/failure.js';

const failure: Failure = { kind: 'auth', message: 'The key is wrong.', transient: false };

describe('trouble', () => {
  it('a cancellation is quiet, however it comes', () => {
    const abort = new AbortController();
    abort.abort();
    for (const error of [
      cancelled(),
      new Refusal(cancelled()),
      abort.signal.reason,
      Object.assign(new Error(), { name: 'Canceled' }),
    ]) {
      expect(troubleOf(error, 'This').kind).toBe('cancelled');
    }
  });

  it('a failure is expected: its own sentence', () => {
    expect(troubleOf(new Refusal(failure), 'This')).toEqual({ kind: 'expected', failure });
    expect(troubleOf(failure, 'This')).toEqual({ kind: 'expected', failure });
  });

  it('what the log throws is expected, and keeps its code', () => {
    const error = new BoughError('StorageFailure', 'No space left on /.', { errno: 'ENOSPC', op: 'write' });
    expect(failureOf(error, 'This')).toMatchObject({
      kind: 'storage',
      code: 'StorageFailure',
      message: 'No space left on /.',
      action: 'show-log',
    });
  });

  it('anything else is a bug with its stack for the log', () => {
    const trouble = troubleOf(new TypeError('x is not a function'), 'Renaming');
    expect(trouble).toMatchObject({ kind: 'bug', failure: { action: 'show-log' } });
    expect(trouble.kind === 'bug' && trouble.failure.message).toMatch(
      /^Renaming failed because of an error in Bough: x is not a function/,
    );
    expect(trouble.kind === 'bug' && trouble.text).toContain('errors.test');
    expect(troubleOf('just text', 'This')).toMatchObject({ kind: 'bug', text: 'just text' });
  });

  it('unwrap gives the value or ends with the failure', () => {
    expect(unwrap({ entry_id: 'a' })).toEqual({ entry_id: 'a' });
    expect(() => unwrap(failure)).toThrow(Refusal);
  });
});
