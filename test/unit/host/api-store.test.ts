import { describe, expect, it } from 'vitest';
import { createToolBox } from '../../../src/host/api-tools.js';
import { createStoreApi } from '../../../src/host/api-store.js';
import { WindowStore } from '../../../src/host/sessions/window-store.js';
import { PlatformPolicies } from '../../../src/shared/route.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { BoughError } from '../../../src/shared/failure.js';
import { randomIds, realClock } from '../log/support.js';
import { makeWorld } from './world.js';

function make(settings: Record<string, unknown> = {}) {
  const surfaces = new Map<string, string>();
  const memory = () => createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/test' });
  const store = new WindowStore({
    first: { key: 'first', folder: undefined, store: memory() },
    memory: memory(),
    freshId: () => randomIds.session(),
    clean: (text) => text,
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
    routes: {
      policies: new PlatformPolicies(),
      surfaces: {
        get: (surface) => Promise.resolve(surfaces.get(surface)),
        set: (surface, session) => Promise.resolve(void surfaces.set(surface, session)),
      },
      readSetting: (name) => settings[name],
      freshId: () => 'fresh',
    },
    tools: createToolBox([]),
  });
  return { api, store, surfaces };
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

describe('sessions of places outside the editor', () => {
  const delivery = 'slack:C001:t:17.9:u:U456';

  it('a place talks to the session of its scope', async () => {
    const { api } = make();
    expect((await api.openSession({ route: { delivery } })).id).toBe('slack:C001');
    expect((await make({ 'sessions.scope': 'thread' }).api.openSession({ route: { delivery } })).id).toBe(
      'slack:C001:t:17.9',
    );
    const policy = api.registerPlatformPolicy('slack', { scope: 'user' });
    expect((await api.openSession({ route: { delivery } })).id).toBe('slack:C001:u:U456');
    expect((await api.openSession({ route: { delivery: 'slack:C001', sender: 'U1' } })).id).toBe(
      'slack:C001:u:U1',
    );
    policy.dispose();
    expect((await api.openSession({ route: { delivery } })).id).toBe('slack:C001');
  });

  it('a fresh session is for that place alone', async () => {
    const { api, surfaces } = make();
    expect((await api.openSession({ route: { delivery, fresh: true } })).id).toBe('fresh');
    expect([...surfaces]).toEqual([['slack:C001', 'fresh']]);
    expect((await api.openSession({ route: { delivery: 'slack:C001:t:18' } })).id).toBe('fresh');
    expect((await api.openSession({ route: { delivery: 'slack:C002' } })).id).toBe('slack:C002');
    api.registerPlatformPolicy('slack', { activeEntry: 'delivery' });
    expect((await api.openSession({ route: { delivery } })).id).toBe('slack:C001');
    await api.openSession({ route: { delivery, fresh: true } });
    expect(surfaces.get(delivery)).toBe('fresh');
  });

  it('a conversation comes from one place', async () => {
    const { api } = make();
    const route = { delivery };
    for (const other of [{ session: 'a' }, { path: '/a.jsonl' }, { continueLast: true }])
      expect(await codeOf(api.openSession({ route, ...other }))).toBe('InvalidArgument');
    for (const other of [{ session: 'a' }, { path: '/a.jsonl' }, { continueLast: true }])
      expect(await codeOf(api.openSession({ history: [], ...other }))).toBe('InvalidArgument');
    for (const bad of ['', ' ', ' slack:C001'])
      expect(await codeOf(api.openSession({ route: { delivery: bad } }))).toBe('InvalidArgument');
  });

  it('a history begins a new session', async () => {
    const { api } = make();
    const session = await api.openSession({
      history: [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }],
    });
    expect((await session.history()).map(({ role }) => role)).toEqual(['user']);
  });
});
