/** The public API: subscriptions work at once, everything else loads what it needs. */
import type { StoreApi } from './api-store.js';
import type { BoughApi, ResumeEvent, RetryEvent } from './api.js';
import { createSignal, type Signal } from './disposables.js';
import { readRetryPolicy, type ReadSetting } from './model/settings.js';
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
  return {
    open: async (options = {}) => (await load()).openSession(options),
    listSessions: async (folder) => (await load()).listSessions(folder),
    listAllSessions: async () => (await load()).listAllSessions(),
    deleteSession: async (id) => (await load()).deleteSession(id),
    fork: async (id, options) => (await load()).forkSession(id, options),
    archive: async (id) => (await load()).archiveSession(id),
    unarchive: async (id) => (await load()).unarchiveSession(id),
    registerStore: async (store) => (await load()).registerStore(store),
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
