/** Turns what the log throws into a {@link Failure}: the one place where a BoughError becomes a value. */
import {
  isBoughError,
  type BoughError,
  type BoughErrorCode,
  type Failure,
  type FailureAction,
  type FailureKind,
} from '../shared/failure.js';

const kinds: Partial<Record<BoughErrorCode, FailureKind>> = {
  StorageFailure: 'storage',
  LogDamaged: 'storage',
  SessionStale: 'storage',
  InvalidPersistenceData: 'storage',
};

const actions: Partial<Record<BoughErrorCode, FailureAction>> = {
  SessionStale: 'reopen',
  SessionConflict: 'reopen',
  LogDamaged: 'show-log',
};

/** Only what was to be written can be saved again; a session that cannot be read is opened anew. */
const actionOf = ({ code, data }: BoughError): FailureAction | undefined =>
  code === 'StorageFailure' ? (data['op'] === 'write' ? 'save-again' : 'reopen') : actions[code];

/** A failure for a BoughError, with its code; anything else is a bug and is thrown on. */
export function failureOf(error: unknown): Failure {
  if (!isBoughError(error)) throw error;
  const action = actionOf(error);
  const { errno } = error.data;
  return {
    kind: kinds[error.code] ?? 'refused',
    message: error.message,
    transient: false,
    code: error.code,
    ...(typeof errno === 'string' ? { detail: errno } : {}),
    ...(action === undefined ? {} : { action }),
  };
}

/** An intent that cannot be carried out as things stand. Nothing was changed. */
export const refused = (code: string, message: string): Failure => ({
  kind: 'refused',
  code,
  message,
  transient: false,
});

/** Runs `work`; a BoughError becomes its value. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    return failureOf(error);
  }
}

/** How a turn failed, and why that could not be written: both are shown, with what mends the second. */
export const bothFailures = (first: Failure, second: Failure): Failure => ({
  ...second,
  message: `${first.message} What it had brought could not be saved either: ${second.message}`,
});

/** What a person is told of a bug; the stack goes to the output channel. */
export const bugFailure = (error: unknown): Failure => ({
  kind: 'tool',
  code: 'InternalError',
  message: `Bough failed inside: ${error instanceof Error ? error.message : String(error)}. The output channel has the details.`,
  transient: false,
  action: 'show-log',
});

export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
