/** A session as it is now, for whoever goes on with it without a view that says what became of it. */
import type { OpenSessions } from './open-sessions.js';
import type { HostSession } from './session.js';

/**
 * A handle that others were faster than is let go of; views that show it are told of the new one. One that could not write
 * is kept: what it holds can still be saved.
 */
export async function openFresh(
  sessions: Pick<OpenSessions, 'open' | 'reopen'>,
  id: string,
  owner?: string,
): Promise<HostSession> {
  const opened = await sessions.open(id, owner);
  return opened.agent.log.access.mode === 'stale' ? sessions.reopen(id) : opened;
}
