/**
 * Waits that a reload or another window left: taken up at the start in sessions that nobody looks at too, so that looking
 * at one is never what sends its request. What becomes of each wait the session itself decides when it is opened.
 */
import type { SessionStore } from '../../log/store.js';
import type { OpenSessions } from './open-sessions.js';

const PAGE = 200;

export interface TakeUpParts {
  store: Pick<SessionStore, 'list'>;
  sessions: Pick<OpenSessions, 'open'>;
  /** One that cannot be opened keeps none of the others from it. */
  onError: (error: unknown) => void;
}

export async function takeUpWaits({ store, sessions, onError }: TakeUpParts): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id, status, archived } of page.sessions) {
      if (status === 'retrying' && !archived) await sessions.open(id).then(() => undefined, onError);
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
}
