/** The public API: subscriptions work at once, everything else loads what it needs. */
import type { StoreApi } from './api-store.js';
import type {
  BoughApi,
  BoughSession,
  CurrentSession,
  CurrentSessionCall,
  ResumeEvent,
  RetryEvent,
} from './api.js';
import { createSignal, type Signal } from './disposables.js';
import { foremost } from './sessions/rows.js';
import { readRetryPolicy, type ReadSetting } from './model/settings.js';
import { BoughError } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import type { RunState } from '../shared/protocol.js';

/** What the loaded part tells the API's listeners. */
export interface ApiEvents {
  entry: Signal<Told<{ session: string; position: number; entry: Entry }>>;
  retry: Signal<Told<RetryEvent>>;
  resume: Signal<Told<ResumeEvent>>;
  /** Of each open session, as last told. */
  runs: readonly { owner: string | undefined; run: RunState }[];
}

/** With whose session it is about; the person's has no owner. */
interface Told<T> {
  owner: string | undefined;
  event: T;
}

export function createApiEvents(onError: (error: unknown) => void): ApiEvents {
  return {
    entry: createSignal(onError),
    retry: createSignal(onError),
    resume: createSignal(onError),
    runs: [],
  };
}

/** The loaded part, as far as the API needs it. */
export interface ApiSource {
  /** @param owner only of what belongs to this extension; undefined: as the person does */
  storeApi(owner: string | undefined): StoreApi;
}

export interface ApiParts {
  load: () => Promise<ApiSource>;
  events: ApiEvents;
  readSetting: ReadSetting;
  /** As the extension itself writes it; undefined when none of this id is installed. */
  installedId: (id: string) => string | undefined;
}

export const createApi = (parts: ApiParts): BoughApi => apiOf(parts, undefined);

function apiOf(parts: ApiParts, owner: string | undefined): BoughApi {
  const { events, readSetting } = parts;
  let last: BoughSession | undefined;
  const load = async (): Promise<StoreApi> => (await parts.load()).storeApi(owner);
  const open: BoughApi['open'] = async (options = {}) => (last = await (await load()).openSession(options));
  const isReached = (told: { owner: string | undefined }) => owner === undefined || told.owner === owner;
  /** Listeners hear of what this API reaches, and of nothing else; each has a copy of its own. */
  const hear =
    <T>(signal: Signal<Told<T>>) =>
    (listener: (event: T) => void) =>
      signal.on((told) => {
        if (isReached(told)) listener(structuredClone(told.event));
      });
  return {
    forExtension: (id) => apiOf(parts, scopeOf(parts, owner, id)),
    ...currentSession(async () => last ?? (await load()).panelSession(), open),
    get session() {
      return last;
    },
    open,
    listSessions: async (folder) => (await load()).listSessions(folder),
    listAllSessions: async () => (await load()).listAllSessions(),
    findSessions: async (query) => (await load()).findSessions(query),
    deleteSession: async (id) => (await load()).deleteSession(id),
    fork: async (id, options) => (await load()).forkSession(id, options),
    archive: async (id) => (await load()).archiveSession(id),
    unarchive: async (id) => (await load()).unarchiveSession(id),
    registerStore: async (store) => (await load()).registerStore(store),
    registerTool: async (tool) => (await load()).registerTool(tool),
    registerPlatformPolicy: async (platform, policy) =>
      (await load()).registerPlatformPolicy(platform, policy),
    prune: async (policy, options) => (await load()).pruneSessions(policy, options),
    onEntry: hear(events.entry),
    onRetry: hear(events.retry),
    onStepResume: hear(events.resume),
    runState: () => foremost(events.runs.filter(isReached))?.run ?? 'idle',
    retryPolicy: () => readRetryPolicy(readSetting),
  };
}

/** An API that is scoped leads to no other extension's. */
function scopeOf({ installedId }: ApiParts, owner: string | undefined, id: unknown): string {
  const installed = typeof id === 'string' && id !== '' ? installedId(id) : undefined;
  if (installed === undefined)
    throw new BoughError(
      'InvalidArgument',
      `No extension "${String(id)}" is installed and enabled here. Pass your own id, as publisher.name.`,
    );
  if (owner !== undefined && installed !== owner)
    throw new BoughError(
      'AccessDenied',
      `This API reaches the sessions of ${owner} alone; it leads to none of ${installed}.`,
    );
  return installed;
}

/** The calls of one session, for whichever is the current one when they are made. */
function currentSession(
  current: () => Promise<BoughSession | undefined>,
  open: BoughApi['open'],
): CurrentSession {
  const needed = async (): Promise<BoughSession> => {
    const session = await current();
    if (session !== undefined) return session;
    throw new BoughError(
      'NoSession',
      'No session is open and nothing was said in the chat yet: open one, or send a prompt.',
    );
  };
  /** Each call in its own words: their types differ, what becomes of them does not. */
  const call =
    <Name extends Exclude<CurrentSessionCall, 'prompt'>>(name: Name): CurrentSession[Name] =>
    async (...given: unknown[]) => {
      const session = await needed();
      return (session[name] as (...given: unknown[]) => never)(...given);
    };
  return {
    prompt: async (...given) => ((await current()) ?? (await open({ continueLast: true }))).prompt(...given),
    turnRoute: call('turnRoute'),
    branch: call('branch'),
    navigate: call('navigate'),
    summarizeBranch: call('summarizeBranch'),
    collapseBranch: call('collapseBranch'),
    setName: call('setName'),
    setTags: call('setTags'),
    bindAgent: call('bindAgent'),
    clear: call('clear'),
    history: call('history'),
    entries: call('entries'),
    runSummary: call('runSummary'),
    setHistory: call('setHistory'),
    pendingApprovals: call('pendingApprovals'),
    resume: call('resume'),
    dismiss: call('dismiss'),
    extensionData: {
      get: async (type) => (await needed()).extensionData.get(type),
      all: async () => (await needed()).extensionData.all(),
      add: async (type, data) => (await needed()).extensionData.add(type, data),
    },
  };
}
