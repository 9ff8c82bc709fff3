/** A session whose file was taken away while it was open: what is in memory is all there is of it. */
import type { Access, SessionLog } from '../../log/store.js';
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

export const stillGone = (file: string): BoughError =>
  new BoughError(
    'SessionNotFound',
    `The session's file ${file} is still missing. What is shown was read before and is kept here until the window is closed: export it, or put the file back and reopen the session.`,
    { path: file },
  );
