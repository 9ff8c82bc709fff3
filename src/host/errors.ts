/**
 * What was thrown or came back as a failure, sorted for the person: nothing for a cancellation, one sentence with a
 * button for what is expected, and "this is a bug" for the rest, whose stack goes to the log.
 */
import { failureOf as failureOfBough } from '../agent/failures.js';
import { isBoughError, isFailure, type Failure } from '../shared/failure.js';

export type Trouble =
  | { kind: 'cancelled' }
  | { kind: 'expected'; failure: Failure }
  /** `text` is the stack, for the log. */
  | { kind: 'bug'; failure: Failure; text: string };

/** Carries a failure out of a command to its wrapper. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** The value of an operation; its failure ends the command. */
export function unwrap<T>(outcome: T | Failure): T {
  if (isFailure(outcome)) throw new Refusal(outcome);
  return outcome;
}

/** By name: the start bundle and the rest hold a copy of this class each. */
function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && error.name === 'Refusal' && 'failure' in error;
}

export function troubleOf(error: unknown, doing: string): Trouble {
  const refused = isRefusal(error) ? error.failure : error;
  if (isFailure(refused))
    return refused.kind === 'cancelled' ? { kind: 'cancelled' } : { kind: 'expected', failure: refused };
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled'))
    return { kind: 'cancelled' };
  if (isBoughError(error)) return { kind: 'expected', failure: withoutSaving(failureOfBough(error)) };
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof Error ? (error.stack ?? message) : message;
  const failure: Failure = {
    kind: 'refused',
    message: `${doing} failed because of an error in Bough: ${message}`,
    transient: false,
    action: 'show-log',
  };
  return { kind: 'bug', failure, text };
}

/** Only what a session could not save can be saved again; here something was read, renamed or deleted. */
function withoutSaving(failure: Failure): Failure {
  return failure.action === 'save-again' ? { ...failure, action: 'show-log' } : failure;
}

/** For a reply: whatever went wrong, as a failure. */
export function failureOf(error: unknown, doing: string): Failure {
  const trouble = troubleOf(error, doing);
  return trouble.kind === 'cancelled'
    ? { kind: 'cancelled', message: 'Cancelled.', transient: false }
    : trouble.failure;
}
