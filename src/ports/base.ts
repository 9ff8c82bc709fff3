/** Time, ids, and what every port answers with: a value or a failure. */
import type { Failure } from '../shared/failure.js';

export interface Disposable {
  dispose(): void;
}

export interface Clock {
  /** Wall clock in ms since the epoch: for display, due times and file stamps. May go backwards. */
  now(): number;
  /** Monotonic ms: for measuring how long something took. */
  elapsed(): number;
  /** Calls `fire` once after `ms` (clamped below 2^31). */
  after(ms: number, fire: () => void): Disposable;
}

export interface Ids {
  /** A fresh entry, call, attempt or turn id: 16 lower-case hex characters, random. */
  entry(): string;
  /** A fresh session id: a UUID version 7. */
  session(): string;
}

/** Distinguishes a failure from a value of any port. */
export type Outcome<T> = T | Failure;
