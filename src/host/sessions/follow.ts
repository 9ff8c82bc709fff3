/**
 * What another window appends to a session that is on show here is read about once a second: one look at the file's size,
 * and one at who works in it.
 */
import type { Clock, Disposable } from '../../ports.js';
import type { RunState } from '../../shared/protocol.js';
import type { OpenSessions } from './open-sessions.js';

const EVERY_MS = 1_000;

/** Nothing of ours is being written. */
const rests: ReadonlySet<RunState> = new Set(['idle', 'waiting', 'parked']);

export interface FollowParts {
  sessions: Pick<OpenSessions, 'all'>;
  chats: { isVisible: (session: string) => boolean };
  clock: Clock;
  onError: (error: unknown) => void;
}

export function followOthers({ sessions, chats, clock, onError }: FollowParts): Disposable {
  let timer: Disposable | undefined;
  let isOver = false;
  /** The same trouble every second is told once. */
  let told = '';
  const tell = (error: unknown) => {
    const text = String(error);
    if (text !== told) onError(error);
    told = text;
  };
  const look = async () => {
    for (const session of sessions.all()) {
      const { agent } = session;
      const { log } = agent;
      if (log.file === undefined || !rests.has(agent.run()) || !chats.isVisible(log.id)) continue;
      await log.catchUp();
      await session.takeHolder(await log.holder());
    }
  };
  const again = () => {
    if (isOver) return;
    timer = clock.after(EVERY_MS, () => void look().catch(tell).finally(again));
  };
  again();
  return {
    dispose: () => {
      isOver = true;
      timer?.dispose();
    },
  };
}
