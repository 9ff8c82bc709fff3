/** What the person does about another window that was faster in the same session. */
import { unwrap } from '../errors.js';
import type { OpenSessions } from './open-sessions.js';

/** Goes back to where a prompt was written that another window was faster than, so that it can be sent from there. */
export async function standWhereWritten(sessions: OpenSessions, id: string): Promise<void> {
  const before = await sessions.open(id);
  const { overtaken } = before;
  if (overtaken === null) return;
  const session = before.agent.log.access.mode === 'stale' ? await sessions.reopen(id) : before;
  // Until it is sent it can be tried again.
  session.overtaken = overtaken;
  const { agent } = session;
  const { log } = agent;
  await log.catchUp();
  const { seen } = overtaken;
  // What was seen may be lost; then the end of what is there is the nearest to it.
  const isThere = seen === null || (await log.entry(seen)) !== undefined;
  if (isThere && log.head !== seen) unwrap(await agent.dispatch({ type: 'navigate', entry_id: seen }));
}
