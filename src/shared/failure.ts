/**
 * Expected failures are values of this one union; throws are bugs. A failure says in one sentence what happened and,
 * where the person can do something about it, which action opens the place.
 * Free of zod, so that what starts with the editor stays small; failure-schema checks it.
 */

export const failureKinds = [
  'auth',
  'rate',
  'overloaded',
  'network',
  'overflow',
  'refused',
  'tool',
  'storage',
  'cancelled',
] as const;

export const failureActions = [
  'set-key',
  'open-settings',
  'select-model',
  'show-log',
  'reopen',
  'save-again',
] as const;

export interface Failure {
  kind: FailureKind;
  /** One sentence for the person: what, where, what to do. No stack, no secret. */
  message: string;
  /** Whether the same request may succeed if it is sent again unchanged. */
  transient: boolean;
  /** Machine-readable reason: HTTP status, errno, a provider's code or a BoughError code. */
  code?: string | undefined;
  status?: number | undefined;
  /** Milliseconds the server asked to wait, counted from when the failure was seen. */
  retry_after_ms?: number | undefined;
  /** How many images the server takes in one request, when it refused more. */
  max_images?: number | undefined;
  /** An excerpt of what came instead (a body, a line), at most 500 characters, redacted. */
  detail?: string | undefined;
  action?: FailureAction | undefined;
}
export type FailureKind = (typeof failureKinds)[number];
export type FailureAction = (typeof failureActions)[number];

export const cancelled = (message = 'Stopped.'): Failure => ({
  kind: 'cancelled',
  message,
  transient: false,
});

/** A tool cannot do what was asked: the sentence goes to the model and to the card. */
export const toolFailure = (code: string, message: string): Failure => ({
  kind: 'tool',
  message,
  transient: false,
  code,
});

/** Tells a failure from the value an operation gives when it succeeds. */
export const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  'message' in value &&
  'transient' in value;

/** The codes of {@link BoughError}; compare by code, never `instanceof`: bundles may hold several copies. */
export type BoughErrorCode =
  | 'SessionNotFound'
  | 'SessionExists'
  | 'SessionConflict'
  | 'SessionStale'
  | 'SessionArchived'
  | 'SessionRunning'
  | 'ResumeRequired'
  | 'NoSession'
  | 'AccessDenied'
  | 'BranchSummaryNotSupported'
  | 'InvalidPersistenceData'
  | 'StorageFailure'
  | 'LogDamaged'
  | 'NewerFormat'
  | 'TooLarge'
  | 'Locked'
  | 'InvalidArgument';

/** What the log, the store and the public API throw. */
export class BoughError extends Error {
  override readonly name = 'BoughError';
  constructor(
    readonly code: BoughErrorCode,
    message: string,
    /** Facts about it: `errno`, `op` (read · write), `path`, `volume`, `line`, `holder`, `since`. */
    readonly data: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const isBoughError = (error: unknown, code?: BoughErrorCode): error is BoughError =>
  error instanceof Error &&
  error.name === 'BoughError' &&
  'code' in error &&
  (code === undefined || error.code === code);
