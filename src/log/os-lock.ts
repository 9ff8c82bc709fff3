/** What a lease rests on: a lock that excludes other processes. */

export type Purpose = 'run' | 'write';

/** A lock over processes. */
export interface OsLock {
  /** Whether taking it also says who holds it; if not, the lease file beside it does. */
  readonly namesHolder: boolean;
  /** False when somebody else holds it. */
  tryTake(purpose: Purpose): Promise<boolean>;
  isOurs(): Promise<boolean>;
  release(): Promise<void>;
}
