/**
 * Whose sessions an API reaches. Without an owner all of them, as the person does; with one those of that extension alone,
 * and every other is refused by name before anything of it is opened.
 */
import { OwnedStore } from '../log/owned-store.js';
import type { ListQuery, SessionLog, SessionStore, StoreAbilities } from '../log/store.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import type { WindowStore } from './sessions/window-store.js';

type ReachedStore = Pick<SessionStore, 'list' | 'rename' | 'archive' | 'unarchive' | 'delete'> &
  Pick<StoreAbilities, 'fork' | 'setTags'>;

export interface Reach {
  owner: string | undefined;
  /** The window's sessions, as far as they are reached. */
  store: ReachedStore;
  /** What of another list is reached. */
  of(store: Pick<SessionStore, 'list'>): Pick<SessionStore, 'list'>;
  /** One that is nowhere yet may be begun. @throws BoughError AccessDenied, which names the session */
  check(id: string): Promise<void>;
  /** @throws BoughError AccessDenied */
  admit(log: SessionLog): void;
}

export function reachOf(store: WindowStore, sessions: OpenSessions, owner: string | undefined): Reach {
  if (owner === undefined)
    return { owner, store, of: (other) => other, check: () => Promise.resolve(), admit: () => undefined };
  const owned = new OwnedStore(store, owner);
  return {
    owner,
    store: owned,
    of: (other) => ({ list: async (query: ListQuery = {}) => other.list(owned.own(query)) }),
    check: async (id) => {
      // One that is open and not written yet is in no list.
      const opened = sessions.peekReadable(id);
      if (opened) owned.admit(opened.agent.log);
      else await owned.summary(id);
    },
    admit: (log) => void owned.admit(log),
  };
}
