/** Waiting for a write no longer than it is worth: it goes on by itself, and what waits is told that it may still arrive. */
import type { Clock } from '../ports.js';
import { BoughError } from '../shared/failure.js';

/** How long the last writes of a turn that was cancelled are waited for. */
const LAST_WRITE_MS = 5_000;

/** The outcome of `work`, or StorageFailure with errno ETIMEDOUT after {@link LAST_WRITE_MS}. `work` is not cancelled. */
export function withinDeadline<T>(clock: Clock, file: string, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.after(LAST_WRITE_MS, () => reject(overdue(file)));
    work.then(resolve, reject).finally(() => timer.dispose());
  });
}

const overdue = (file: string): BoughError =>
  new BoughError(
    'StorageFailure',
    `Could not write to ${file} within ${String(LAST_WRITE_MS / 1_000)} s: the disk does not answer. What was to be written may still arrive; check the disk or the network it is on (ETIMEDOUT).`,
    { path: file, volume: file, errno: 'ETIMEDOUT', op: 'write' },
  );
