import { describe, expect, it } from 'vitest';
import { ApiHolds } from '../../../src/host/api-holds.js';
import { createStoreApi, type StoreApi } from '../../../src/host/api-store.js';
import { createToolBox } from '../../../src/host/api-tools.js';
import { WindowStore } from '../../../src/host/sessions/window-store.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { BoughError } from '../../../src/shared/failure.js';
import { PlatformPolicies } from '../../../src/shared/route.js';
import { begins, dropped, fails, hang, text, type Reply } from '../agent/fake-model.js';
import { randomIds, realClock } from '../log/support.js';
import { makeWorld } from './world.js';

/** The person's API and those of two extensions, on one window. */
function make(replies: readonly Reply[] = []) {
  const memory = createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/test' });
  let made: WindowStore | undefined;
  const world = makeWorld(replies, {}, (store) => {
    made = new WindowStore({
      first: { key: 'first', folder: undefined, store },
      memory,
      freshId: () => randomIds.session(),
      clean: (name) => name,
      onError: (error) => {
        throw error;
      },
    });
    return made;
  });
  const store = made;
  if (store === undefined) throw new Error('makeWorld opened no store');
  const nothing = (): never => {
    throw new Error('not needed here');
  };
  let panel = 'of the panel';
  const surfaces = new Map<string, string>();
  const parts = {
    store,
    connect: nothing,
    buckets: {
      list: () => Promise.resolve([{ key: 'first', uris: ['file:///p'] }]),
      open: () => store.first,
      link: nothing,
      unlink: nothing,
      others: nothing,
    },
    onError: nothing,
    sessions: world.sessions,
    chats: {
      show: (id: string) => Promise.resolve(void (panel = id)),
      ofSideBar: () => Promise.resolve(panel),
      drop: () => Promise.resolve(),
      hasView: (id: string) => id === panel,
    } as never,
    tree: { refresh: () => undefined } as never,
    routes: {
      policies: new PlatformPolicies(),
      surfaces: {
        get: (surface: string) => Promise.resolve(surfaces.get(surface)),
        set: (surface: string, session: string) => Promise.resolve(void surfaces.set(surface, session)),
      },
      readSetting: () => undefined,
      freshId: () => randomIds.session(),
    },
    tools: createToolBox([]),
    holds: new ApiHolds(),
    retries: world.retries,
  };
  const say = async (api: StoreApi, id: string): Promise<void> => {
    await (
      await api.openSession({ session: id })
    ).setHistory([{ role: 'user', parts: [{ type: 'text', text: id }] }]);
  };
  const [person, mine, hers] = [undefined, 'acme.mine', 'acme.hers'].map((owner) =>
    createStoreApi(parts, owner),
  ) as [StoreApi, StoreApi, StoreApi];
  return { ...{ world, store, surfaces, person, mine, hers, say }, show: (id: string) => (panel = id) };
}

const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort();

/** Code and words of what was thrown. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof BoughError ? `${error.code}: ${error.message}` : String(error)),
  );

const denied = (id: string): string => `AccessDenied: The session ${id} does not belong to acme.mine.`;

describe('the API of one extension', () => {
  it('begins sessions that say whose they are, and lists no others', async () => {
    const { person, mine, hers, say } = make();
    await say(person, 'a person');
    await say(mine, 'a mine');
    await say(hers, 'a hers');
    expect(ids(await mine.listSessions())).toEqual(['a mine']);
    expect(ids(await mine.listSessions('file:///p'))).toEqual(['a mine']);
    expect(ids(await mine.listAllSessions())).toEqual(['a mine']);
    const all = await person.listSessions();
    expect(ids(all)).toEqual(['a hers', 'a mine', 'a person']);
    expect(all.find(({ id }) => id === 'a mine')?.owner).toBe('acme.mine');
    expect(all.find(({ id }) => id === 'a person')?.owner).toBeUndefined();
    expect((await person.openSession({ session: 'a mine' })).id).toBe('a mine');
  });

  it.each(['a person', 'a hers'])('is refused %s by name, whatever it wants of it', async (id) => {
    const { person, mine, hers, say, world, surfaces } = make();
    await say(person, 'a person');
    await say(hers, 'a hers');
    const before = (await world.store.open(id)).position;
    surfaces.set('slack:C1', id);
    const wants: Promise<unknown>[] = [
      mine.openSession({ session: id }),
      mine.openSession({ session: id, folder: 'file:///p' }),
      mine.openSession({ session: id, ephemeral: true }),
      mine.openSession({ route: { delivery: 'slack:C1' } }),
      mine.openSession({ route: { delivery: 'slack:C1', fresh: true } }),
      mine.forkSession(id),
      mine.archiveSession(id),
      mine.unarchiveSession(id),
      mine.deleteSession(id),
    ];
    for (const want of wants) expect(await refusal(want)).toBe(denied(id));
    expect(surfaces.get('slack:C1')).toBe(id);
    expect((await world.store.open(id)).position).toBe(before);
    expect(ids(await person.listSessions())).toEqual(['a hers', 'a person']);
    expect((await person.listSessions()).some(({ archived }) => archived)).toBe(false);
  });

  it('finds its own by what they are tagged with, page by page, and is told that it asks for another’s', async () => {
    const { person, mine, say } = make();
    await say(person, 'a person');
    for (const id of ['first', 'second', 'third']) {
      await say(mine, id);
      await (await mine.openSession({ session: id })).setTags([' ci ', 'ci', id]);
    }
    expect((await mine.openSession({ session: 'first' })).tags).toEqual(['ci', 'first']);
    const page = await mine.findSessions({ tags: ['ci'], limit: 2 });
    const rest = await mine.findSessions({ tags: ['ci'], limit: 2, cursor: page.cursor ?? '' });
    expect([page.sessions.length, rest.sessions.length, rest.cursor]).toEqual([2, 1, undefined]);
    expect(ids([...page.sessions, ...rest.sessions])).toEqual(['first', 'second', 'third']);
    expect(ids((await mine.findSessions({ tags: ['ci', 'third'] })).sessions)).toEqual(['third']);
    expect(ids((await mine.findSessions({ folder: 'file:///p', text: 'SECOND' })).sessions)).toEqual([
      'second',
    ]);
    expect((await mine.findSessions({ archived: true })).sessions).toEqual([]);
    expect(ids((await person.findSessions({ owner: 'acme.mine' })).sessions)).toHaveLength(3);
    for (const folder of [{}, { folder: 'file:///p' }])
      expect(await refusal(mine.findSessions({ ...folder, owner: 'acme.hers' }))).toMatch(/^AccessDenied/);
    expect(await refusal(mine.findSessions({ limit: 0 }))).toMatch(/^InvalidArgument/);
    expect(await refusal(mine.findSessions({ cursor: 'x' }))).toMatch(/^InvalidArgument/);
  });

  it('is refused one that is open and has nothing in it yet', async () => {
    const { person, mine } = make();
    await person.openSession({ session: 'new' });
    expect(await refusal(mine.openSession({ session: 'new' }))).toBe(denied('new'));
    expect(await refusal(mine.deleteSession('new'))).toBe(denied('new'));
    await mine.openSession({ session: 'mine and new' });
    expect((await mine.openSession({ session: 'mine and new' })).id).toBe('mine and new');
  });

  it('goes on with a fresh handle where the old one takes nothing more', async () => {
    const { mine, say, world } = make([text('Here I am.')]);
    await say(mine, 'a mine');
    const stale = await mine.openSession({ session: 'a mine' });
    await world.sessions.peek('a mine')?.agent.log.close();
    await expect(stale.prompt('Are you there?')).rejects.toMatchObject({ code: 'SessionStale' });
    const fresh = await mine.openSession({ session: 'a mine' });
    expect((await fresh.prompt('Are you there?')).text).toBe('Here I am.');
    expect((await mine.openSession({ session: 'a mine' })).head).toBe(fresh.head);
  });

  it('says how requests of its session are sent again; those of others are as the settings have it', async () => {
    const { person, mine, world } = make([[fails(dropped())], [fails(dropped())], text('The second time.')]);
    const once = await mine.openSession({
      session: 'a mine',
      retryPolicy: { maxAttempts: 1, maxResumes: -1 },
    });
    await expect(once.prompt('Go')).rejects.toMatchObject({ name: 'TurnError', result: { text: '' } });
    const turn = (await person.openSession({ session: 'a person' })).prompt('Go');
    await world.clock.advance(5_000);
    expect((await turn).text).toBe('The second time.');
  });

  it.each([null, 3, { attempts: 1 }, { maxAttempts: '1' }, { maxDelay: Number.NaN }])(
    'a retry policy that is %j is none, and no session is opened',
    async (given) => {
      const { mine } = make();
      const opening = mine.openSession({ session: 'a mine', retryPolicy: given as object });
      expect(await refusal(opening)).toMatch(/^InvalidArgument: A retry policy/);
    },
  );

  it('goes on with the chat panel only when what that shows is its own', async () => {
    const { person, mine, say, show } = make();
    expect(await mine.panelSession()).toBeUndefined();
    await say(person, 'of the panel');
    expect(await refusal(mine.panelSession())).toBe(denied('of the panel'));
    await say(mine, 'a mine');
    show('a mine');
    expect((await mine.panelSession())?.id).toBe('a mine');
  });

  it('continues its own last session, never the one on show', async () => {
    const { person, mine, say } = make();
    await say(person, 'of the panel');
    const fresh = await mine.openSession({ continueLast: true });
    expect(fresh.id).not.toBe('of the panel');
    await say(mine, 'a mine');
    await say(person, 'later');
    expect((await mine.openSession({ continueLast: true })).id).toBe('a mine');
    expect((await mine.openSession({ continueLast: true, folder: 'file:///p' })).id).toBe('a mine');
    expect((await person.openSession({ continueLast: true })).id).toBe('of the panel');
  });

  it('does with its own what the person can', async () => {
    const { mine, person, say, store } = make([text('Yes.')]);
    await say(mine, 'a mine');
    const session = await mine.openSession({ session: 'a mine' });
    expect((await session.prompt('Is it so?')).text).toBe('Yes.');
    await session.setName('Named');
    expect(await mine.listSessions()).toMatchObject([{ id: 'a mine', title: 'Named' }]);
    const copy = await mine.forkSession('a mine');
    expect((await store.summary(copy.id))?.owner).toBe('acme.mine');
    await mine.archiveSession(copy.id);
    await mine.unarchiveSession(copy.id);
    await mine.deleteSession('a mine');
    await mine.deleteSession('a mine');
    expect(ids(await person.listSessions())).toEqual([copy.id]);
  });

  it('keeps in memory what it wants to, as its own', async () => {
    const { mine, hers } = make();
    const session = await mine.openSession({ ephemeral: true });
    await session.setHistory([{ role: 'user', parts: [{ type: 'text', text: 'a' }] }]);
    expect(ids(await mine.listSessions())).toEqual([session.id]);
    expect(await hers.listSessions()).toEqual([]);
  });

  it('deletes by age its own alone', async () => {
    const { person, mine, say, world } = make();
    await say(person, 'a person');
    await say(mine, 'a mine');
    for (const id of ['a person', 'a mine']) await world.sessions.close(id);
    await world.clock.advance(10_000);
    const gone = await mine.pruneSessions({ sessionIdle: 1 }, { dryRun: true });
    expect(gone.sessions.map(({ id }) => id)).toEqual(['a mine']);
    expect(ids((await person.pruneSessions({ sessionIdle: 1 }, { dryRun: true })).sessions)).toEqual([
      'a mine',
      'a person',
    ]);
  });

  it('says what was deleted in the folders when a store of an extension fails after them', async () => {
    const { mine, say, store, world } = make();
    await say(mine, 'a mine');
    await world.sessions.close('a mine');
    await world.clock.advance(10_000);
    const own = createMemoryStore({ clock: world.clock, ids: randomIds, producer: 'bough/test' });
    const away = () => Promise.reject(new BoughError('StorageFailure', 'The server is away.'));
    const failing = Object.assign(own, { prune: away });
    const registration = store.register({ key: 'custom-1', folder: undefined, store: failing });
    const policy = { sessionIdle: 1 };
    expect(await refusal(mine.pruneSessions(policy, { dryRun: true }))).toBe(
      'StorageFailure: The server is away.',
    );
    expect(await refusal(mine.pruneSessions(policy))).toMatch(
      /^StorageFailure: The server is away. Deleted all the same: 1 session, /,
    );
    registration.dispose();
  });

  it('deletes by age in the store that it brought, too', async () => {
    const { mine, hers, say, store, world } = make();
    const own = createMemoryStore({ clock: world.clock, ids: randomIds, producer: 'bough/test' });
    const registration = store.register({ key: 'custom-1', folder: undefined, store: own });
    await say(mine, 'a mine');
    await say(hers, 'a hers');
    for (const id of ['a mine', 'a hers']) await world.sessions.close(id);
    await world.clock.advance(10_000);
    for (const policy of [{}, { sessionIdle: 0 }, { sessionIdle: 60_000 }])
      expect((await mine.pruneSessions(policy)).sessions).toEqual([]);
    expect(await refusal(mine.pruneSessions({ sessionIdle: -1 }))).toMatch(/^InvalidArgument/);
    for (const options of [{ dryRun: true }, {}])
      expect(ids((await mine.pruneSessions({ sessionIdle: 1 }, options)).sessions)).toEqual(['a mine']);
    expect(ids((await own.list()).sessions)).toEqual(['a hers']);
    registration.dispose();
  });

  it('deletes by age what only extensions have open; what is on show or runs stays, and so does who holds a younger one', async () => {
    const { person, mine, hers, say, world } = make([begins('x ', hang()), text('Yes.')]);
    await say(mine, 'a mine');
    const session = await mine.openSession({ session: 'a mine' });
    await person.openSession({ session: 'a mine' });
    await say(person, 'of the panel');
    const running = (await hers.openSession({ session: 'a running' })).prompt('Go').catch(() => undefined);
    await world.clock.advance(10_000);
    await say(hers, 'a young');
    const young = await hers.openSession({ session: 'a young' });

    const would = await person.pruneSessions({ sessionIdle: 5_000 }, { dryRun: true });
    expect(ids(would.sessions)).toEqual(['a mine']);
    expect(would.kept.map(({ session: id }) => id).sort()).toEqual(['a running', 'of the panel']);
    expect(await mine.pruneSessions({ sessionIdle: 5_000 }, { dryRun: true })).toMatchObject({ kept: [] });
    expect(session.head).not.toBeNull();
    expect((await session.history()).length).toBe(1);

    expect(await person.pruneSessions({ sessionIdle: 5_000 })).toEqual(would);
    expect(ids(await person.listSessions())).toEqual(['a running', 'a young', 'of the panel']);
    for (const late of [session.prompt('Late'), session.clear(), session.extensionData.add('acme.x', 1)])
      await expect(late).rejects.toMatchObject({ code: 'SessionStale' });
    expect((await young.prompt('Is it so?')).text).toBe('Yes.');
    expect((await mine.openSession({ session: 'a mine' })).head).toBeNull();
    await world.sessions.shutdown();
    await running;
  });

  it('goes on holding what it deleted none of, however often it is asked', async () => {
    const { mine, say, world } = make();
    await say(mine, 'a mine');
    for (const options of [{ dryRun: true }, {}])
      expect((await mine.pruneSessions({ sessionIdle: 60_000 }, options)).sessions).toEqual([]);
    expect(world.sessions.peek('a mine')?.mayRest).toBe(false);
  });
});
