/** What other extensions do with sessions as a whole: open, list, fork, archive, delete, prune. */
import type { Deletion, ForkOptions, SessionSummary } from '../log/store.js';
import type { CustomStore } from '../log/custom-store.js';
import { isKnownBy } from '../log/workspace-key.js';
import type { PruneOptions, PrunePolicy, PruneReport } from '../log/upkeep.js';
import type { Disposable } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import { apiSession } from './api-session.js';
import { routedSession, type RouteParts } from './api-routes.js';
import type { ToolBox } from './api-tools.js';
import type { BoughSession, ExtensionTool, OpenOptions } from './api.js';
import type { PlatformPolicy } from '../shared/route.js';
import type { Chats } from './chat/chats.js';
import { randomIds } from './clock.js';
import { allRows, readEach } from './sessions/all-rows.js';
import type { Buckets } from './sessions/other-folders.js';
import type { OpenSessions } from './sessions/open-sessions.js';
import type { SessionsTree } from './sessions/tree.js';
import type { Place, WindowStore } from './sessions/window-store.js';

export interface StoreApiParts {
  store: WindowStore;
  connect: (custom: CustomStore) => Place;
  buckets: Buckets;
  sessions: OpenSessions;
  chats: Chats;
  tree: SessionsTree;
  routes: RouteParts;
  tools: ToolBox;
  /** A folder whose sessions cannot be listed, beside others that can. */
  onError: (error: unknown) => void;
}

export interface StoreApi {
  openSession(options: OpenOptions): Promise<BoughSession>;
  /** The session of the chat panel, once something was said in it. */
  panelSession(): Promise<BoughSession | undefined>;
  listSessions(folder?: string): Promise<SessionSummary[]>;
  listAllSessions(): Promise<SessionSummary[]>;
  deleteSession(id: string): Promise<void>;
  forkSession(id: string, options?: Pick<ForkOptions, 'at' | 'before' | 'title'>): Promise<BoughSession>;
  archiveSession(id: string): Promise<void>;
  unarchiveSession(id: string): Promise<void>;
  registerStore(custom: CustomStore): Disposable;
  registerTool(tool: ExtensionTool): Disposable;
  registerPlatformPolicy(platform: string, policy: PlatformPolicy): Disposable;
  pruneSessions(policy: PrunePolicy, options?: Pick<PruneOptions, 'dryRun'>): Promise<PruneReport>;
}

export function createStoreApi(parts: StoreApiParts): StoreApi {
  const { store, buckets, sessions, tree } = parts;
  const setArchived = async (id: string, isArchived: boolean) => {
    needSession(id);
    await (isArchived ? store.archive(id) : store.unarchive(id));
    if (sessions.peek(id)) await sessions.reopen(id);
    tree.refresh();
  };
  return {
    openSession: (options) => open(parts, options),
    panelSession: async () => {
      const opened = await sessions.open(await parts.chats.ofSideBar());
      return opened.agent.log.position === 0 ? undefined : open(parts, { session: opened.agent.log.id });
    },
    listSessions: (folder) => (folder === undefined ? allRows(store) : listFolder(parts, folder)),
    listAllSessions: async () => {
      const lists = await readEach(
        await buckets.list(),
        async (bucket) => allRows(buckets.open(bucket).store),
        parts.onError,
      );
      return lists.flat().sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1));
    },
    deleteSession: async (id) => {
      needSession(id);
      await sessions.close(id);
      const deletion: Deletion = await store.delete(id);
      await deletion.purge();
      await parts.chats.drop(id, () => randomIds.session());
      tree.refresh();
    },
    forkSession: async (id, options) => {
      needSession(id);
      const copy = await store.fork(id, options);
      tree.refresh();
      return open(parts, { session: copy.id });
    },
    registerStore: (custom) => {
      const registration = store.register(parts.connect(custom));
      tree.refresh();
      return {
        dispose: () => {
          registration.dispose();
          tree.refresh();
        },
      };
    },
    registerTool: (tool) => parts.tools.register(tool),
    registerPlatformPolicy: (platform, policy) => ({
      dispose: parts.routes.policies.register(platform, policy),
    }),
    archiveSession: (id) => setArchived(id, true),
    unarchiveSession: (id) => setArchived(id, false),
    pruneSessions: async (policy, options) => {
      const isOpen = (id: string): boolean => sessions.peek(id) !== undefined;
      const reports = await store.prune(policy, { ...options, isOpen });
      tree.refresh();
      return {
        sessions: reports.flatMap((report) => report.sessions),
        goals: reports.flatMap((report) => report.goals),
        results: reports.flatMap((report) => report.results),
        bytes: reports.reduce((sum, report) => sum + report.bytes, 0),
        kept: reports.flatMap((report) => report.kept),
      };
    },
  };
}

/** Other extensions are not held to our types: what is about a session must say which. */
function needSession(id: unknown): void {
  if (typeof id === 'string' && id.trim() !== '') return;
  throw new BoughError('NoSession', 'This needs a session and none was named; pass the id of one.');
}

async function open(parts: StoreApiParts, options: OpenOptions): Promise<BoughSession> {
  const { sessions, chats } = parts;
  const id = await idOf(parts, options);
  const opened = await sessions.open(id);
  const trouble = sessions.troubleOf(id);
  if (trouble) throw trouble;
  // Whoever asked goes on holding it.
  opened.isHeld = true;
  if (options.show) await chats.show(id);
  const session = apiSession(opened, {
    rename: async (renamed, name) => {
      await parts.store.rename(renamed, name);
      parts.tree.refresh();
    },
  });
  if (options.history !== undefined) await session.setHistory(options.history);
  return session;
}

/**
 * Where a session comes from, in this order: a file, memory, a name, the last one, a fresh one. With a store of another
 * extension only the name counts.
 */
async function idOf({ store, buckets, chats, routes }: StoreApiParts, options: OpenOptions): Promise<string> {
  const { session, path, continueLast, ephemeral, folder, history, route } = options;
  if (history !== undefined && (session !== undefined || path !== undefined || continueLast === true))
    throw new BoughError(
      'InvalidArgument',
      'A history begins a new session: leave out `session`, `path` and `continueLast`, or use setHistory.',
    );
  if (store.registered !== undefined) {
    const id = session ?? randomIds.session();
    store.beginIn(store.registered, id);
    return id;
  }
  if (route !== undefined) {
    if (session !== undefined || path !== undefined || continueLast === true)
      throw new BoughError(
        'InvalidArgument',
        'A route names its session: leave out `session`, `path` and `continueLast`.',
      );
    return routedSession(routes, route);
  }
  if (path !== undefined) return (await store.openFile(path)).id;
  if (ephemeral) return store.ephemeralId(session);
  const bucket = folder === undefined ? undefined : await bucketOf(buckets, folder);
  if (bucket) store.visit(buckets.open(bucket));
  if (session !== undefined) return session;
  if (!continueLast) return randomIds.session();
  if (folder === undefined) return chats.ofSideBar();
  const [last] = bucket ? (await buckets.open(bucket).store.list({ limit: 1 })).sessions : [];
  return last?.id ?? randomIds.session();
}

async function listFolder({ buckets }: StoreApiParts, folder: string): Promise<SessionSummary[]> {
  const bucket = await bucketOf(buckets, folder);
  return bucket ? allRows(buckets.open(bucket).store) : [];
}

const bucketOf = async (buckets: Buckets, folder: string) =>
  (await buckets.list()).find(({ uris }) => isKnownBy(uris, folder));
