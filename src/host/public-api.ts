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
import { readRetryPolicy, type ReadSetting } from './model/settings.js';
import { BoughError } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import type { RunState } from '../shared/protocol.js';

/** What the loaded part tells the API's listeners. */
export interface ApiEvents {
  entry: Signal<{ session: string; entry: Entry }>;
  retry: Signal<RetryEvent>;
  resume: Signal<ResumeEvent>;
  /** The last one told. */
  run: RunState;
}

export function createApiEvents(onError: (error: unknown) => void): ApiEvents {
  return {
    entry: createSignal(onError),
    retry: createSignal(onError),
    resume: createSignal(onError),
    run: 'idle',
  };
}

/** The loaded part, as far as the API needs it. */
export type ApiSource = StoreApi;

export function createApi(
  load: () => Promise<ApiSource>,
  events: ApiEvents,
  readSetting: ReadSetting,
): BoughApi {
  let last: BoughSession | undefined;
  const open: BoughApi['open'] = async (options = {}) => (last = await (await load()).openSession(options));
  return {
    ...currentSession(async () => last ?? (await load()).panelSession(), open),
    get session() {
      return last;
    },
    open,
    listSessions: async (folder) => (await load()).listSessions(folder),
    listAllSessions: async () => (await load()).listAllSessions(),
    deleteSession: async (id) => (await load()).deleteSession(id),
    fork: async (id, options) => (await load()).forkSession(id, options),
    archive: async (id) => (await load()).archiveSession(id),
    unarchive: async (id) => (await load()).unarchiveSession(id),
    registerStore: async (store) => (await load()).registerStore(store),
    registerTool: async (tool) => (await load()).registerTool(tool),
    registerPlatformPolicy: async (platform, policy) =>
      (await load()).registerPlatformPolicy(platform, policy),
    prune: async (policy, options) => (await load()).pruneSessions(policy, options),
    onEntry: (listener) => events.entry.on(listener),
    onRetry: (listener) => events.retry.on(listener),
    onStepResume: (listener) => events.resume.on(listener),
    runState: () => events.run,
    get retryPolicy() {
      return readRetryPolicy(readSetting);
    },
  };
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
    branch: call('branch'),
    navigate: call('navigate'),
    summarizeBranch: call('summarizeBranch'),
    collapseBranch: call('collapseBranch'),
    setName: call('setName'),
    clear: call('clear'),
    history: call('history'),
    setHistory: call('setHistory'),
    pendingApprovals: call('pendingApprovals'),
    resume: call('resume'),
    dismiss: call('dismiss'),
    extensionData: {
      get: async (type) => (await needed()).extensionData.get(type),
      add: async (type, data) => (await needed()).extensionData.add(type, data),
    },
  };
}
