/** Deleting by age in several places: when one fails, what was deleted in the others is said with the failure. */
import type { PruneReport } from '../../log/upkeep.js';
import { BoughError, isBoughError } from '../../shared/failure.js';
import { Refusal } from '../errors.js';
import { describePrune, isNothing } from './prune-words.js';

/**
 * The reports of all places, in their order. Waits for all of them, whichever fails.
 *
 * @throws what the first one failed with. When something was deleted its message says what, and why others failed; then
 * one that was cancelled is a Refusal, since a cancellation is told to nobody
 */
export async function pruneEach(
  places: readonly Promise<PruneReport>[],
  isDry = false,
): Promise<PruneReport[]> {
  const ends = await Promise.allSettled(places);
  const reports = ends.filter((end) => end.status === 'fulfilled').map(({ value }) => value);
  const errors = ends.filter((end) => end.status === 'rejected').map(({ reason }): unknown => reason);
  if (errors.length === 0) return reports;
  const [first] = errors;
  if (isDry || reports.every(isNothing)) throw first;
  const why = [...new Set(errors.map(messageOf))].join(' ');
  throw withMessage(first, `${why} Deleted all the same: ${describePrune(reports).short}.`);
}

const isCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled');

function messageOf(error: unknown): string {
  if (isCancelled(error)) return 'Deleting was cancelled.';
  return error instanceof Error ? error.message : String(error);
}

function withMessage(cause: unknown, message: string): Error {
  if (isBoughError(cause)) return new BoughError(cause.code, message, cause.data, { cause });
  if (isCancelled(cause)) return new Refusal({ kind: 'refused', message, transient: false });
  return new Error(message, { cause });
}
