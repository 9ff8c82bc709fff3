import { describe, expect, it } from 'vitest';
import { createStoreApi, type StoreApi } from '../../../src/host/api-store.js';
import { WindowStore } from '../../../src/host/sessions/window-store.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { BoughError } from '../../../src/shared/failure.js';
import { randomIds, realClock } from '../log/support.js';
import { makeWorld } from './world.js';

function make(): { api: StoreApi; store: WindowStore } {
  const memory = () => createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/test' });
  const store = new WindowStore({
    first: { key: 'first', folder: undefined, store: memory() },
    memory: memory(),
    freshId: () => randomIds.session(),
    onError: (error) => {
      throw error;
    },
  });
  const nothing = (): never => {
    throw new Error('not needed here');
  };
  const api = createStoreApi({
    store,
    connect: nothing,
    buckets: { list: () => Promise.resolve([]), open: nothing, link: nothing, others: nothing },
    sessions: makeWorld().sessions,
    chats: { show: nothing, ofSideBar: nothing, drop: () => Promise.resolve() } as never,
    tree: { refresh: () => undefined } as never,
  });
  return { api, store };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof BoughError ? error.code : String(error)),
  );

describe('sessions for other extensions', () => {
  it.each(['forkSession', 'archiveSession', 'unarchiveSession', 'deleteSession'] as const)(
    '%s needs a session, and says so when none is named',
    async (name) => {
      const { api } = make();
      for (const none of [undefined, null, '', ' ']) {
        expect(await codeOf(api[name](none as string))).toBe('NoSession');
      }
    },
  );

  it('a session that is named and not there is another thing', async () => {
    const { api } = make();
    expect(await codeOf(api.forkSession('nope'))).toBe('SessionNotFound');
    expect(await codeOf(api.archiveSession('nope'))).toBe('SessionNotFound');
    expect(await codeOf(api.deleteSession('nope'))).toBe('done');
  });
});
