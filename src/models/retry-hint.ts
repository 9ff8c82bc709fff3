/**
 * How long a server asks to wait: `retry-after-ms`, then `retry-after` (seconds or an HTTP date), then what the body
 * says (Google's RetryInfo). Only a positive finite wait counts; a huge one is clamped to what a timer can hold. Of
 * several in one header the longest counts.
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

/** A header that was sent twice is joined by commas, which dates have as well. */
const values = (header: string): string[] =>
  header.split(/\s*,\s*(?=[\d.]+\s*(?:,|$)|(?:mon|tue|wed|thu|fri|sat|sun))/i).map((text) => text.trim());

const longest = (waits: readonly (number | undefined)[]): number | undefined => {
  const known = waits.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

/** What our clock may be ahead of a server's; a date that is further off says nothing of either. */
const MAX_SKEW_MS = 24 * 3_600_000;

/** A date that is past by our clock alone is still to come for the server that named it. */
const untilDate = (date: number, now: number, serverNow: number): number | undefined =>
  wait(date - now) ?? (Math.abs(now - serverNow) < MAX_SKEW_MS ? wait(date - serverNow) : undefined);

const fromHeader = (header: string, now: number, serverNow: number): number | undefined =>
  longest(
    values(header).map((text) => {
      const seconds = decimal(text);
      return Number.isNaN(seconds) ? untilDate(httpDate(text), now, serverNow) : wait(seconds * 1000);
    }),
  );

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
  const ms = answer.headers['retry-after-ms'];
  const after = answer.headers['retry-after'];
  const serverNow = httpDate(answer.headers['date']?.trim() ?? '');
  return (
    (ms === undefined ? undefined : longest(values(ms).map((text) => wait(decimal(text))))) ??
    (after === undefined ? undefined : fromHeader(after, now, serverNow)) ??
    fromBody(answer.body)
  );
};
