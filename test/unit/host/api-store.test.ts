import { describe, expect, it } from 'vitest';
import { createToolBox } from '../../../src/host/api-tools.js';
import { ApiHolds } from '../../../src/host/api-holds.js';
import { SessionRetries } from '../../../src/host/model/session-retries.js';
import { createStoreApi } from '../../../src/host/api-store.js';
import { allRows } from '../../../src/host/sessions/all-rows.js';
import type { Bucket } from '../../../src/host/sessions/other-folders.js';
import { WindowStore, type WholeStore } from '../../../src/host/sessions/window-store.js';
import { PlatformPolicies } from '../../../src/shared/route.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import type { ListQuery, SessionSummary } from '../../../src/log/store.js';
import { BoughError } from '../../../src/shared/failure.js';
import { randomIds, realClock } from '../log/support.js';
import { makeWorld } from './world.js';

function make(settings: Record<string, unknown> = {}, places: (Bucket & { store: WholeStore })[] = []) {
  const errors: unknown[] = [];
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
    buckets: {
      list: () => Promise.resolve(places),
      open: ({ key }) => {
        const place = places.find((one) => one.key === key);
        const logs = `/storage/${key}`;
        return place === undefined ? nothing() : { key, folder: place.uris.at(-1), logs, store: place.store };
      },
      link: nothing,
      unlink: nothing,
      others: nothing,
    },
    onError: (error) => errors.push(error),
    sessions: makeWorld([], {}, () => store).sessions,
    chats: {
      show: nothing,
      ofSideBar: nothing,
      drop: () => Promise.resolve(),
      hasView: () => false,
    } as never,
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
    holds: new ApiHolds(),
    retries: new SessionRetries(),
  });
  return { api, store, surfaces, errors };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof BoughError ? error.code : String(error)),
  );

const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort();

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

describe('sessions of other folders', () => {
  const memory = () => createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/test' });
  const said = async (id: string) => {
    const store = memory();
    const log = await store.openOrCreate(id);
    await log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text: id }] }]);
    return store;
  };

  it('are those of every folder that can be listed; one that cannot is told of', async () => {
    const broken = memory();
    broken.list = () => Promise.reject(new BoughError('StorageFailure', 'No such disk.'));
    const { api, errors } = make({}, [
      { key: 'a', uris: [], store: await said('one') },
      { key: 'b', uris: [], store: broken },
      { key: 'c', uris: [], store: await said('two') },
    ]);
    expect((await api.listAllSessions()).map(({ id }) => id).sort()).toEqual(['one', 'two']);
    expect(errors).toMatchObject([{ code: 'StorageFailure' }]);
  });

  it('are listed beside those in memory and in stores of extensions', async () => {
    const { api, store } = make({}, [{ key: 'a', uris: [], store: await said('one') }]);
    const registration = store.register({ key: 'custom-1', folder: undefined, store: await said('two') });
    const history = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'x' }] }];
    const listed = async () => (await api.listAllSessions()).map(({ id }) => id).sort();
    expect(await listed()).toEqual(['one', 'two']);
    registration.dispose();
    const { id } = await api.openSession({ ephemeral: true });
    await (await api.openSession({ session: id })).setHistory(history);
    expect(await listed()).toEqual(['one', id].sort());
  });

  it('begin where their folder has them, and go on there', async () => {
    const [here, there] = [memory(), await said('one')];
    const { api, store } = make({}, [
      { key: 'first', uris: ['file:///here'], store: here },
      { key: 'a', uris: ['file:///there'], store: there },
    ]);
    const folder = 'file:///there';
    const history = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'x' }] }];
    const begun = await api.openSession({ folder, history });
    const named = await api.openSession({ folder, session: 'mine' });
    await named.setHistory(history);
    expect(ids(await api.listSessions(folder))).toEqual(['mine', 'one', begun.id].sort());
    expect(ids(await api.listSessions())).toEqual([]);
    expect((await api.listSessions(folder)).find(({ id }) => id === begun.id)?.folder).toBe(folder);
    expect(store.isKept(begun.id)).toBe(true);
    expect((await api.openSession({ folder, session: 'one' })).title).toBe('one');
    expect(ids((await there.list()).sessions)).toContain(
      (await api.openSession({ folder, continueLast: true })).id,
    );
  });

  it('are not begun elsewhere when Bough does not know their folder', async () => {
    const { api, store } = make({}, [{ key: 'a', uris: ['file:///there'], store: await said('one') }]);
    for (const more of [{}, { session: 'x' }, { continueLast: true }])
      expect(await codeOf(api.openSession({ folder: 'file:///nowhere', ...more }))).toBe('InvalidArgument');
    expect((await store.list()).sessions).toEqual([]);
  });

  it('are told as copies', async () => {
    const { api } = make({}, [{ key: 'a', uris: ['file:///p'], store: await said('one') }]);
    for (const list of [() => api.listSessions('file:///p'), () => api.listAllSessions()]) {
      for (const row of await list()) Object.assign(row, { title: 'changed by its reader' });
      expect(await list()).toMatchObject([{ title: 'one' }]);
    }
  });

  it('a folder is the same however its URI is written', async () => {
    const { api } = make({}, [{ key: 'a', uris: ['file:///c%3A/P'], store: await said('one') }]);
    for (const uri of ['file:///c%3A/P', 'file:///C:/P', 'file:///c:/P/'])
      expect(await api.listSessions(uri)).toMatchObject([{ id: 'one' }]);
    expect(await api.listSessions('file:///d:/P')).toEqual([]);
  });

  it('all of them are listed, more than a page has', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => ({ id: String(index) }) as SessionSummary);
    const list = ({ cursor = '0', limit = 0 }: ListQuery = {}) => {
      const [begin, end] = [Number(cursor), Number(cursor) + limit];
      const sessions = rows.slice(begin, end);
      return Promise.resolve({ sessions, ...(end < rows.length ? { cursor: String(end) } : {}) });
    };
    expect(await allRows({ list })).toEqual(rows);
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
    surfaces.clear();
    await api.openSession({ route: { delivery: 'slack:C001', sender: 'U1', fresh: true } });
    expect([...surfaces]).toEqual([['slack:C001:u:U1', 'fresh']]);
    expect((await api.openSession({ route: { delivery: 'slack:C001', sender: 'U2' } })).id).toBe(
      'slack:C001',
    );
    expect((await api.openSession({ route: { delivery: 'slack:C001', sender: 'U1' } })).id).toBe('fresh');
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
