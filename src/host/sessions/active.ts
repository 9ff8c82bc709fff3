/**
 * Which session a surface shows: what it showed last, else the newest, else one that has nothing in it yet. Finding out
 * changes nothing on disk, and never fails: a choice that cannot be read is as good as none.
 */
import type { ActiveSessions } from '../../log/active-sessions.js';
import { isBoughError } from '../../shared/failure.js';
import { deliveryId } from '../../shared/route.js';
import type { WindowStore } from './window-store.js';

export interface ActiveSession {
  read(): Promise<string>;
  write(session: string): Promise<void>;
}

/** Which session an editor tab shows, when it is another than the one it was opened with. */
export interface TabSessions {
  read(tab: string): Promise<string | undefined>;
  write(tab: string, session: string): Promise<void>;
  /** The tab was closed. */
  forget(tab: string): Promise<void>;
}

export interface ActiveParts {
  surfaces: {
    get(surface: string): Promise<string | undefined>;
    set(surface: string, session: string): Promise<void>;
  };
  store: Pick<WindowStore, 'list' | 'summary' | 'isKept' | 'fileOf' | 'recall'>;
  /** The surface whose session is shown where this one has shown none yet. */
  before?: string;
  freshId: () => string;
  /** The setting `sessions.continueLast`. */
  isContinued: () => boolean;
  onTrouble: (error: Error) => void;
}

export function activeSession(surface: string, parts: ActiveParts): ActiveSession {
  const { surfaces, store, before, freshId, onTrouble } = parts;
  const orNone = async (work: Promise<string | undefined>): Promise<string | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!isBoughError(error)) throw error;
      onTrouble(error);
      return undefined;
    }
  };
  const newest = async () => (await store.list()).sessions.find(({ status }) => status !== 'missing')?.id;
  /** One that is only remembered is no place to begin: there is nothing to go on with. */
  const chosen = async () => {
    const id =
      (await surfaces.get(surface)) ?? (before === undefined ? undefined : await surfaces.get(before));
    // A file outside of all folders goes by its path. One that is gone is shown as that, not as another session.
    if (id !== undefined) await store.recall(id);
    return id !== undefined && (await store.summary(id))?.status === 'missing' ? freshId() : id;
  };
  const last = async () => (await orNone(chosen())) ?? (await orNone(newest()));
  return {
    read: async () => (parts.isContinued() ? await last() : undefined) ?? freshId(),
    // What is in no file cannot be found again.
    write: async (session) => {
      if (store.isKept(session) || store.fileOf(session) !== undefined) await surfaces.set(surface, session);
    },
  };
}

/**
 * The side bar of a further window on the same folder is a surface of its own: VS Code numbers the storages of such windows,
 * and a reload changes no number. `storage`: what VS Code gives this window for this folder; undefined without a folder.
 */
export function sideBarSurface(
  key: string,
  storage: string | undefined,
): { surface: string; before?: string } {
  const first = deliveryId({ platform: 'vscode', channel: key });
  const number = /[/\\][^/\\]*[^/\\-]-(\d+)[/\\][^/\\]+$/.exec(storage ?? '')?.[1];
  if (number === undefined) return { surface: first };
  return {
    surface: deliveryId({ platform: 'vscode', channel: key, thread: `window-${number}` }),
    before: first,
  };
}

/** Each tab is a surface of its own. VS Code keeps what a tab says of itself some seconds late; a reload may be sooner. */
export function tabSessions(
  key: string,
  {
    surfaces,
    store,
  }: {
    surfaces: Pick<ActiveSessions, 'get' | 'set'>;
    store: Pick<WindowStore, 'isKept' | 'fileOf'>;
  },
): TabSessions {
  const surfaceOf = (tab: string) => deliveryId({ platform: 'vscode', channel: key, thread: tab });
  return {
    read: (tab) => surfaces.get(surfaceOf(tab)),
    write: async (tab, session) => {
      if (store.isKept(session) || store.fileOf(session) !== undefined)
        await surfaces.set(surfaceOf(tab), session);
    },
    forget: async (tab) => {
      if ((await surfaces.get(surfaceOf(tab))) !== undefined) await surfaces.set(surfaceOf(tab), undefined);
    },
  };
}
