/** What other extensions do with sessions as a whole: open, list, fork, archive, delete, prune. */
import type { Deletion, ForkOptions, SessionStore, SessionSummary } from '../log/store.js';
import type { CustomStore } from '../log/custom-store.js';
import { byUpdate } from '../log/list-page.js';
import { isKnownBy } from '../log/workspace-key.js';
import type { PruneOptions, PrunePolicy, PruneReport } from '../log/upkeep.js';
import type { Disposable } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import type { ApiHolds } from './api-holds.js';
import { apiSession } from './api-session.js';
import { pruneSessions } from './api-prune.js';
import { reachOf, type Reach } from './api-reach.js';
import { routedSession, type RouteParts } from './api-routes.js';
import type { ToolBox } from './api-tools.js';
import type { BoughSession, ExtensionTool, OpenOptions, SessionQuery } from './api.js';
import type { PlatformPolicy } from '../shared/route.js';
import type { Chats } from './chat/chats.js';
import { randomIds } from './clock.js';
import { givenPolicy, type SessionRetries } from './model/session-retries.js';
import { allRows, readEach } from './sessions/all-rows.js';
import type { Buckets } from './sessions/other-folders.js';
import { openFresh } from './sessions/open-fresh.js';
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
  holds: ApiHolds;
  retries: Pick<SessionRetries, 'set'>;
  /** A folder whose sessions cannot be listed, beside others that can. */
  onError: (error: unknown) => void;
}

interface ReachingParts extends StoreApiParts {
  reach: Reach;
}

export interface StoreApi {
  openSession(options: OpenOptions): Promise<BoughSession>;
  /** The session of the chat panel, once something was said in it. */
  panelSession(): Promise<BoughSession | undefined>;
  listSessions(folder?: string): Promise<SessionSummary[]>;
  listAllSessions(): Promise<SessionSummary[]>;
  findSessions(query?: SessionQuery): Promise<{ sessions: SessionSummary[]; cursor?: string }>;
  deleteSession(id: string): Promise<void>;
  forkSession(id: string, options?: Pick<ForkOptions, 'at' | 'before' | 'title'>): Promise<BoughSession>;
  archiveSession(id: string): Promise<void>;
  unarchiveSession(id: string): Promise<void>;
  registerStore(custom: CustomStore): Disposable;
  registerTool(tool: ExtensionTool): Disposable;
  registerPlatformPolicy(platform: string, policy: PlatformPolicy): Disposable;
  pruneSessions(policy: PrunePolicy, options?: Pick<PruneOptions, 'dryRun'>): Promise<PruneReport>;
}

/** @param owner the extension whose sessions alone are reached; undefined: all, as the person does */
export function createStoreApi(given: StoreApiParts, owner?: string): StoreApi {
  const { store, buckets, sessions, tree } = given;
  const reach = reachOf(store, sessions, owner);
  const parts: ReachingParts = { ...given, reach };
  const setArchived = async (id: string, isArchived: boolean) => {
    needSession(id);
    await reach.check(id);
    await (isArchived ? reach.store.archive(id) : reach.store.unarchive(id));
    if (sessions.peek(id)) await sessions.reopen(id);
    tree.refresh();
  };
  return {
    openSession: (options) => open(parts, options),
    panelSession: async () => {
      const opened = await sessions.open(await parts.chats.ofSideBar());
      return opened.agent.log.position === 0 ? undefined : open(parts, { session: opened.agent.log.id });
    },
    listSessions: async (folder) =>
      structuredClone(
        await allRows(folder === undefined ? reach.store : ((await storeOf(parts, folder)) ?? nothing)),
      ),
    listAllSessions: async () => {
      const folders = (await buckets.list()).map((bucket) => buckets.open(bucket).store);
      const lists = await readEach(
        [...folders, ...store.besideFolders()],
        async (one) => allRows(reach.of(one)),
        parts.onError,
      );
      return structuredClone(lists.flat().sort(byUpdate));
    },
    findSessions: async ({ folder, ...query } = {}) => {
      const listed = folder === undefined ? reach.store : ((await storeOf(parts, folder)) ?? nothing);
      return structuredClone(await listed.list(query));
    },
    deleteSession: async (id) => {
      needSession(id);
      await reach.check(id);
      await sessions.close(id);
      const deletion: Deletion = await reach.store.delete(id);
      await deletion.purge();
      await parts.chats.drop(id, () => randomIds.session());
      tree.refresh();
    },
    forkSession: async (id, options) => {
      needSession(id);
      await reach.check(id);
      const copy = await reach.store.fork(id, options);
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
      const owned = owner === undefined ? {} : { owner };
      const report = await pruneSessions(parts, policy, { ...options, ...owned });
      tree.refresh();
      return report;
    },
  };
}

/** Other extensions are not held to our types: what is about a session must say which. */
function needSession(id: unknown): void {
  if (typeof id === 'string' && id.trim() !== '') return;
  throw new BoughError('NoSession', 'This needs a session and none was named; pass the id of one.');
}

async function open(parts: ReachingParts, options: OpenOptions): Promise<BoughSession> {
  const { sessions, chats, reach } = parts;
  const policy = options.retryPolicy === undefined ? undefined : givenPolicy(options.retryPolicy);
  const id = await idOf(parts, options);
  await reach.check(id);
  const opened = await openFresh(sessions, id, reach.owner);
  const trouble = sessions.troubleOf(id);
  if (trouble) throw trouble;
  reach.admit(opened.agent.log);
  if (policy !== undefined) parts.retries.set(id, policy);
  // Whoever asked goes on holding it.
  parts.holds.keep(opened);
  if (options.show) await chats.show(id);
  const session = apiSession(opened, {
    rename: async (renamed, name) => {
      await reach.store.rename(renamed, name);
      parts.tree.refresh();
    },
    tag: async (tagged, tags) => {
      await reach.store.setTags(tagged, tags);
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
async function idOf(parts: ReachingParts, options: OpenOptions): Promise<string> {
  const { store, chats, routes, reach } = parts;
  const { session, path, continueLast, ephemeral, folder, history, route } = options;
  if (history !== undefined && (session !== undefined || path !== undefined || continueLast === true))
    throw new BoughError(
      'InvalidArgument',
      'A history begins a new session: leave out `session`, `path` and `continueLast`, or use setHistory.',
    );
  if (store.registered !== undefined) {
    const id = session ?? randomIds.session();
    await reach.check(id);
    if (!(await isSomewhere(parts, id))) store.beginIn(store.registered, id);
    return id;
  }
  if (route !== undefined) {
    if (session !== undefined || path !== undefined || continueLast === true)
      throw new BoughError(
        'InvalidArgument',
        'A route names its session: leave out `session`, `path` and `continueLast`.',
      );
    // A fresh one takes the place of the one before.
    if (route.fresh === true) await reach.check(await routedSession(routes, { ...route, fresh: false }));
    return routedSession(routes, route);
  }
  if (path !== undefined) {
    const log = await store.openFile(path);
    reach.admit(log);
    return log.id;
  }
  if (session !== undefined) await reach.check(session);
  if (ephemeral) return store.ephemeralId(session);
  if (folder !== undefined) return idIn(parts, folder, options);
  if (session !== undefined) return session;
  if (!continueLast) return randomIds.session();
  if (reach.owner === undefined) return chats.ofSideBar();
  const [last] = (await reach.of(store).list({ limit: 1 })).sessions;
  return last?.id ?? randomIds.session();
}

/** Of a session of this folder, whether it is there or begins there. */
async function idIn(
  parts: ReachingParts,
  folder: string,
  { session, continueLast }: OpenOptions,
): Promise<string> {
  const { store, reach } = parts;
  const place = await placeOf(parts, folder);
  if (place === undefined)
    throw new BoughError(
      'InvalidArgument',
      `Bough does not know the folder ${folder}: nothing was said in it yet. Open it in VS Code, or leave \`folder\` out.`,
    );
  store.visit(place);
  const [last] =
    continueLast && session === undefined ? (await reach.of(place.store).list({ limit: 1 })).sessions : [];
  const id = session ?? last?.id ?? randomIds.session();
  if (place.key !== store.first.key && !(await isSomewhere(parts, id))) store.beginIn(place, id);
  return id;
}

/** It is written, or open without being. */
async function isSomewhere({ store, sessions }: StoreApiParts, id: string): Promise<boolean> {
  return sessions.peek(id) !== undefined || (await store.summary(id)) !== undefined;
}

const nothing: Pick<SessionStore, 'list'> = { list: () => Promise.resolve({ sessions: [] }) };

/** What is reached of the sessions of this folder; undefined when there are none. */
async function storeOf({ buckets, store, reach }: ReachingParts, folder: string) {
  const place = await placeOf({ buckets, store }, folder);
  return place && reach.of(place.store);
}

/** One of this window may have nothing on disk yet. */
async function placeOf(
  { buckets, store }: Pick<StoreApiParts, 'buckets' | 'store'>,
  folder: string,
): Promise<Place | undefined> {
  const bucket = (await buckets.list()).find(({ uris }) => isKnownBy(uris, folder));
  if (bucket) return buckets.open(bucket);
  return store.places.find((place) => place.folder !== undefined && isKnownBy([place.folder], folder));
}
