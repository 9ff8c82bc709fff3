/** A session whose file was taken away while it was open: what is in memory is all there is of it. */
import type { Access, LostEntry, PlacedEntry, SessionLog } from '../../log/store.js';
import { BoughError, isBoughError } from '../../shared/failure.js';

export const isGone = (access: Access): boolean => access.mode === 'stale' && access.isGone === true;

/** Brings it up to its file; of one that is gone, what is in memory is what there is. */
export async function catchUpUnlessGone(log: Pick<SessionLog, 'access' | 'catchUp'>): Promise<void> {
  try {
    await log.catchUp();
  } catch (error) {
    if (!isBoughError(error) || !isGone(log.access)) throw error;
  }
}

/** The line that is shown, as far as it can be had. */
export async function lineUnlessGone(
  log: Pick<SessionLog, 'access' | 'line' | 'held' | 'linePositions'>,
): Promise<{ entries: PlacedEntry[]; lost: LostEntry[] }> {
  if (!isGone(log.access)) return { entries: await log.line(), lost: [] };
  const { records, lost } = await log.held(log.linePositions());
  return { entries: records, lost };
}

/** Which they are, as entries of the log counted from 1: "3, 7–12". */
export function placesOf(lost: readonly LostEntry[]): string {
  const runs: { first: number; last: number }[] = [];
  for (const { position } of lost) {
    const run = runs.at(-1);
    if (run?.last === position) run.last = position + 1;
    else runs.push({ first: position + 1, last: position + 1 });
  }
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

export const stillGone = (file: string): BoughError =>
  new BoughError(
    'SessionNotFound',
    `The session's file ${file} is still missing. What is shown was read before and is kept here until the window is closed: export it, or put the file back and reopen the session.`,
    { path: file },
  );
