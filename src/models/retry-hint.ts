/**
 * How long a server asks to wait: `retry-after-ms`, then `retry-after` (seconds or an HTTP date), then what the body
 * says (Google's RetryInfo). Only a positive finite wait counts; a huge one is clamped to what a timer can hold.
 */
import { isRecord } from './json.js';

/** The longest wait a timer can hold: 2³¹ − 1 ms. */
export const MAX_WAIT_MS = 2 ** 31 - 1;

const wait = (ms: number): number | undefined => {
  const rounded = Math.ceil(ms);
  return Number.isNaN(rounded) || rounded <= 0 ? undefined : Math.min(rounded, MAX_WAIT_MS);
};

/** Plain decimals only: no hex, no exponent, no sign. */
const decimal = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

/** The three forms of HTTP; anything else that Date.parse would accept ("abc 2099") is no date. */
const httpDate = (text: string): number => {
  if (!/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return NaN;
  return Date.parse(/(gmt|utc|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
};

const fromHeader = (text: string, now: number): number | undefined => {
  const seconds = decimal(text);
  return wait(Number.isNaN(seconds) ? httpDate(text) - now : seconds * 1000);
};

/** A protobuf duration: "19s", "0.5s" or {seconds, nanos}. */
const duration = (value: unknown): number | undefined => {
  if (typeof value === 'string')
    return value.endsWith('s') ? wait(decimal(value.slice(0, -1)) * 1000) : undefined;
  if (!isRecord(value)) return undefined;
  return wait(Number(value['seconds'] ?? 0) * 1000 + Number(value['nanos'] ?? 0) / 1e6);
};

/** Looks for a RetryInfo in `error.details`; Google's compatible endpoint wraps the whole in an array. */
const fromBody = (body: unknown): number | undefined => {
  if (Array.isArray(body)) return fromBody(body[0]);
  if (!isRecord(body)) return undefined;
  if (isRecord(body['error'])) return fromBody(body['error']);
  if (!Array.isArray(body['details'])) return undefined;
  for (const detail of body['details'] as unknown[]) {
    if (isRecord(detail) && String(detail['@type']).endsWith('google.rpc.RetryInfo')) {
      return duration(detail['retryDelay']);
    }
  }
  return undefined;
};

export const readRetryHint = (
  answer: { headers: Record<string, string>; body: unknown },
  now: number,
): number | undefined => {
  const ms = answer.headers['retry-after-ms']?.trim();
  const after = answer.headers['retry-after']?.trim();
  return (
    (ms === undefined ? undefined : wait(decimal(ms))) ??
    (after === undefined ? undefined : fromHeader(after, now)) ??
    fromBody(answer.body)
  );
};
