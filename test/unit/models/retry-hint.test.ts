import { describe, it, expect } from 'vitest';
import { MAX_WAIT_MS, readRetryHint } from '../../../src/models/retry-hint.js';

const now = Date.UTC(2030, 0, 1, 12, 0, 0);
const hint = (headers: Record<string, string>, body?: unknown) => readRetryHint({ headers, body }, now);
const google = (retryDelay: unknown) => ({
  error: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ],
  },
});

describe('what a server asks to wait', () => {
  it.each([
    ['3', 3000],
    [' 30 ', 30_000],
    ['2.5', 2500],
    ['0.0001', 1],
    ['9999999999', MAX_WAIT_MS],
    ['Tue, 01 Jan 2030 12:00:20 GMT', 20_000],
    ['Tuesday, 01-Jan-30 12:00:20 GMT', 20_000],
    ['Tue Jan  1 12:00:20 2030', 20_000],
    ['Fri, 31 Dec 2099 23:59:59 GMT', MAX_WAIT_MS],
  ])('E1: retry-after %j is %i ms', (text, ms) => {
    expect(hint({ 'retry-after': text })).toBe(ms);
  });

  it.each([
    '0',
    '0.0',
    '-1',
    'abc',
    '',
    ' ',
    'NaN',
    'Infinity',
    '0x10',
    '1e3',
    '5 apples',
    'abc 2099',
    'Wed, 21 Oct 2015 07:28:00 GMT',
    'Wed, nonsense',
    'soon',
  ])('E2: retry-after %j is no hint', (text) => {
    expect(hint({ 'retry-after': text })).toBeUndefined();
  });

  it('E1: retry-after-ms comes first, and gives way when it is garbage', () => {
    expect(hint({ 'retry-after-ms': '6900', 'retry-after': '7' })).toBe(6900);
    expect(hint({ 'retry-after-ms': '-5', 'retry-after': '7' })).toBe(7000);
    expect(hint({ 'retry-after-ms': '', 'retry-after': '7' })).toBe(7000);
    expect(hint({ 'retry-after-ms': '99999999999999' })).toBe(MAX_WAIT_MS);
  });

  it.each([
    ['19s', 19_000],
    ['0.5s', 500],
    [{ seconds: '3', nanos: 500_000_000 }, 3500],
    [{ seconds: 2 }, 2000],
  ])("E1: Google's RetryInfo %j is %i ms", (delay, ms) => {
    expect(hint({}, google(delay))).toBe(ms);
    expect(hint({}, [google(delay)])).toBe(ms);
    expect(hint({}, google(delay).error)).toBe(ms);
  });

  it.each(['19', '-3s', 's', '', 7, null, { seconds: 'x' }, { seconds: -1 }, []])(
    'E2: RetryInfo %j is no hint',
    (delay) => {
      expect(hint({}, google(delay))).toBeUndefined();
    },
  );

  it.each([
    ['3, 5', 5000],
    ['5,3', 5000],
    ['abc, 5', 5000],
    ['Tue, 01 Jan 2030 12:00:20 GMT, Tue, 01 Jan 2030 12:00:10 GMT', 20_000],
    ['2, Tue, 01 Jan 2030 12:00:20 GMT', 20_000],
    ['Tuesday, 01-Jan-30 12:00:20 GMT, 2', 20_000],
  ])('E1: of several waits in one header (%j) the longest counts: %i ms', (text, ms) => {
    expect(hint({ 'retry-after': text })).toBe(ms);
  });

  it('E1: a date that our clock is ahead of is measured by the clock of the server that named it', () => {
    const named = 'Tue, 01 Jan 2030 11:30:20 GMT';
    expect(hint({ 'retry-after': named })).toBeUndefined();
    expect(hint({ 'retry-after': named, date: 'Tue, 01 Jan 2030 11:30:00 GMT' })).toBe(20_000);
    expect(hint({ 'retry-after': named, date: 'Tue, 01 Jan 2030 11:31:00 GMT' })).toBeUndefined();
    // Further off than any clock of a machine that is used.
    expect(hint({ 'retry-after': named, date: 'Wed, 21 Oct 2015 07:28:00 GMT' })).toBeUndefined();
  });

  it('headers win over the body', () => {
    expect(hint({ 'retry-after': '1' }, google('9s'))).toBe(1000);
    expect(hint({ 'retry-after': 'x' }, google('9s'))).toBe(9000);
  });
});
