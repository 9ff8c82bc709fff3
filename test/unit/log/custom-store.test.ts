import { beforeEach, describe, expect, it } from 'vitest';
import { connectStore, type ConnectedStore } from '../../../src/log/connected-store.js';
import type { CustomStore, StoredEntry, StoredRow } from '../../../src/log/custom-store.js';
import type { BoughError } from '../../../src/shared/failure.js';
import type { Draft } from '../../../src/shared/notes.js';
import { MapStore } from './custom-stores.js';
import { pathTexts } from './lines.js';
import { assistant, FakeClock, randomIds, realClock, user } from './support.js';

let custom: MapStore;
let troubles: BoughError[];
beforeEach(() => {
  custom = new MapStore();
  troubles = [];
});

const connect = (
  store: CustomStore = custom,
  clock: FakeClock | typeof realClock = realClock,
): ConnectedStore =>
  connectStore({
    custom: store,
    clock,
    ids: randomIds,
    producer: 'bough/0.0.0-test',
    onTrouble: (error) => troubles.push(error),
  });
/** The map store with other methods. */
const withMethods = (methods: Partial<CustomStore>): CustomStore => {
  const store: CustomStore = {
    load: (id) => custom.load(id),
    create: (header, entries) => custom.create(header, entries),
    append: (id, position, entry) => custom.append(id, position, entry),
    delete: (id) => custom.delete(id),
    list: () => custom.list(),
    putBlob: (id, hash, bytes) => custom.putBlob(id, hash, bytes),
    getBlob: (id, hash) => custom.getBlob(id, hash),
  };
  return { ...store, ...methods };
};
const invalid = { code: 'InvalidPersistenceData' };
const row = (fields: Partial<StoredRow>): StoredRow => ({
  id: 'a',
  created: 1,
  updated: 2,
  entries: 0,
  bytes: 0,
  ...fields,
});
const message = (id: string, parent: string | null, fields: object = {}): StoredEntry => ({
  type: 'message',
  id,
  parent_id: parent,
  timestamp: '2026-01-01T00:00:00.000Z',
  role: 'user',
  parts: [{ type: 'text', text: id }],
  ...fields,
});
const header = (id: string): StoredEntry => ({ type: 'session', version: 4, id });
const incomplete: Draft = {
  type: 'incomplete_output',
  attempt_id: 'at',
  text: 'half',
  incomplete: true,
  reason: 'stopped',
};

const goal = (fields: object) => ({
  ...{ type: 'goal_update', id: 'g', parent_id: null, timestamp: '2026-01-01T00:00:00.000Z' },
  ...{ goal_id: 'goal', objective: 'All tests pass', status: 'active', iteration: 1, max_iterations: 20 },
  ...fields,
});

describe('what a custom store returns', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no list', {}],
    ['a row without an id', [{ ...row({}), id: undefined }]],
    ['a blank id', [row({ id: ' ' })]],
    ['a padded id', [row({ id: 'a ' })]],
    ['a session twice', [row({}), row({})]],
    ['a time before all time', [row({ updated: -1 })]],
    ['a time that is none', [row({ created: Number.NaN })]],
    ['a time as text', [{ ...row({}), updated: '2026-01-01' }]],
    ['the oldest first', [row({ id: 'a', updated: 1 }), row({ id: 'b', updated: 2 })]],
    ['ids in the wrong order', [row({ id: 'b' }), row({ id: 'a' })]],
    ['a negative count', [row({ entries: -1 })]],
    ['a negative size', [row({ bytes: -1 })]],
    ['half an entry', [row({ entries: 0.5 })]],
    ['what is no data', [{ ...row({}), bytes: 1n }]],
  ])('is refused as a list: %s', async (_, given) => {
    const store = connect(withMethods({ list: async () => given as StoredRow[] }));
    await expect(store.list()).rejects.toMatchObject(invalid);
    await expect(store.prune({ sessionIdle: 1 })).rejects.toMatchObject(invalid);
    await expect(store.verify()).rejects.toMatchObject(invalid);
  });

  it.each<[string, object]>([
    ['no session', { row: row({}) }],
    ['another session', { row: row({ id: 'b' }), header: header('b'), entries: [] }],
    ['a padded id', { row: row({}), header: header('a '), entries: [] }],
    [
      'fewer entries than it says',
      { row: row({ entries: 2 }), header: header('a'), entries: [message('x', null)] },
    ],
    [
      'an entry twice',
      { row: row({ entries: 2 }), header: header('a'), entries: [message('x', null), message('x', null)] },
    ],
    [
      'a child before its parent',
      { row: row({ entries: 2 }), header: header('a'), entries: [message('y', 'x'), message('x', null)] },
    ],
    [
      'a time that cannot be read',
      { row: row({ entries: 1 }), header: header('a'), entries: [message('x', null, { timestamp: 'soon' })] },
    ],
    [
      'a goal of a status that is none',
      { row: row({ entries: 1 }), header: header('a'), entries: [goal({ status: 'flying' })] },
    ],
    [
      'a goal without an objective',
      { row: row({ entries: 1 }), header: header('a'), entries: [goal({ objective: ' ' })] },
    ],
    [
      'a goal that may never be worked on',
      { row: row({ entries: 1 }), header: header('a'), entries: [goal({ max_iterations: 0 })] },
    ],
    [
      'an entry that does not fit the format',
      { row: row({ entries: 1 }), header: header('a'), entries: [message('x', null, { role: 'oracle' })] },
    ],
  ])('is refused as a session: %s', async (_, given) => {
    const store = connect(withMethods({ load: async () => given as never, list: async () => [row({})] }));
    await expect(store.open('a')).rejects.toMatchObject(invalid);
    expect((await store.list({ archived: 'all' })).sessions).toMatchObject([
      { id: 'a', status: 'unreadable' },
    ]);
    expect((await store.verify()).logs).toMatchObject([
      { id: 'a', unreadable: expect.any(String) as string },
    ]);
    const { sessions, kept } = await store.prune({ sessionIdle: 1 });
    expect([sessions, kept.length]).toEqual([[], 1]);
  });

  it.each(['active', 'paused', 'blocked', 'completed', 'pruned'])(
    'is taken as a session with a goal that is %s',
    async (status) => {
      const given = { row: row({ entries: 1 }), header: header('a'), entries: [goal({ status })] };
      const store = connect(withMethods({ load: async () => given }));
      expect((await store.open('a')).position).toBe(1);
    },
  );

  it('is refused as a page that says things twice, too many or of others', async () => {
    const page = (rows: StoredRow[]) =>
      connect(withMethods({ query: async () => rows })).list({ owner: 'me' });
    await expect(page([row({ owner: 'you' })])).rejects.toMatchObject(invalid);
    const many = Array.from({ length: 101 }, (_, index) =>
      row({ id: `s${String(index).padStart(3, '0')}`, owner: 'me' }),
    );
    await expect(page(many)).rejects.toMatchObject(invalid);
    await expect(page(many.slice(0, 100))).rejects.toMatchObject(invalid);
  });

  it('is refused as bytes that are none, and as a blob that is another', async () => {
    const store = connect(withMethods({ getBlob: async () => 'text' as never }));
    const { blobs } = await store.create();
    await expect(blobs.get('0'.repeat(64))).rejects.toMatchObject(invalid);
    const other = connect(withMethods({ getBlob: async () => new Uint8Array([1]) }));
    await expect((await other.create()).blobs.get('0'.repeat(64))).rejects.toMatchObject({
      code: 'LogDamaged',
    });
  });

  it('is copied: what the store does with its own objects later changes nothing here, nor the other way', async () => {
    const store = connect();
    const log = await store.create({ id: 'a' });
    const data = { list: [1] };
    await log.append([user('a')]);
    await log.append([{ type: 'extension_data', ext_type: 'x', data }]);
    const kept = custom.sessions.get('a');
    const stored = kept?.entries[1] as { data: { list: number[] } };
    const [, ours] = await log.since(0);
    stored.data.list.push(2);
    if (ours?.entry.type === 'extension_data') (ours.entry.data as typeof data).list.push(3);
    expect((await log.since(1))[0]?.entry).toMatchObject({ data: { list: [1] } });
    const again = await connect().open('a');
    const seen = (await again.since(1))[0]?.entry;
    stored.data.list.push(4);
    expect(seen).toMatchObject({ data: { list: [1, 2] } });
    const bytes = new Uint8Array([1, 2]);
    const hash = await log.blobs.put(bytes);
    bytes[0] = 9;
    expect([...(await log.blobs.get(hash))]).toEqual([1, 2]);
  });
});

describe('a custom store that fails', () => {
  it('is named with its operation, code and cause kept', async () => {
    const cause = new Error('connection reset');
    const failing = (): Promise<never> => Promise.reject(cause);
    const store = connect(
      withMethods({
        load: failing,
        create: failing,
        list: failing,
        delete: failing,
        getBlob: failing,
        putBlob: failing,
      }),
    );
    const says = (operation: string) => ({
      code: 'StorageFailure',
      message: expect.stringContaining(`${operation}: connection reset`) as string,
      data: { operation },
      cause,
    });
    await expect(store.open('a')).rejects.toMatchObject(says('load'));
    await expect(store.list()).rejects.toMatchObject(says('list'));
    const log = await connect(withMethods({ create: failing, putBlob: failing })).create({ id: 'a' });
    await expect(log.append([user('a')])).rejects.toMatchObject(says('create'));
    await expect(log.blobs.put('x')).rejects.toMatchObject(says('putBlob'));
    await expect(connect(withMethods({ delete: failing })).delete('a')).rejects.toMatchObject(says('delete'));
    const throwing = connect(
      withMethods({
        load: () => {
          throw cause;
        },
      }),
    );
    await expect(throwing.open('a')).rejects.toMatchObject(says('load'));
  });

  it('A8: is given the first append whole again, and everything that was acknowledged is there', async () => {
    let failures = 1;
    const store = connect(
      withMethods({
        create: (head, entries) =>
          failures-- > 0 ? Promise.reject(new Error('EACCES')) : custom.create(head, entries),
      }),
    );
    const log = await store.create({ id: 'a' });
    await expect(log.append([user('one')])).rejects.toMatchObject({ code: 'StorageFailure' });
    expect([log.position, log.head]).toEqual([0, null]);
    for (const text of ['one', 'two', 'three']) await log.append([user(text)]);
    expect(await pathTexts(await connect().open('a'))).toEqual(['one', 'two', 'three']);
  });

  describe('after it made a session', () => {
    /** Makes the next session and says that it could not. */
    const losesAnswer = (): { store: CustomStore; failNext: () => void } => {
      let isFailing = false;
      const create: CustomStore['create'] = async (head, entries) => {
        const isMade = await custom.create(head, entries);
        if (isFailing) throw new Error('connection lost');
        return isMade;
      };
      return { store: withMethods({ create }), failNext: () => (isFailing = !isFailing) };
    };

    it('is looked at: what landed counts, and is gone on with', async () => {
      const { store, failNext } = losesAnswer();
      const log = await connect(store).create({ id: 'a', title: 'T' });
      const told: number[] = [];
      log.onAppend((placed) => told.push(...placed.map(({ position }) => position)));
      failNext();
      await expect(log.append([user('one'), assistant('two')])).rejects.toThrow('connection lost');
      failNext();
      await log.append([user('three')]);
      expect([await pathTexts(log), told]).toEqual([
        ['one', 'two', 'three'],
        [0, 1, 2],
      ]);
      const again = await connect().open('a');
      expect([again.header.title, await pathTexts(again)]).toEqual(['T', ['one', 'two', 'three']]);
    });

    it('is looked at before a turn, too, and told from one that somebody else made', async () => {
      const { store, failNext } = losesAnswer();
      failNext();
      const log = await connect(store).create({ id: 'a' });
      await expect(log.append([user('one')])).rejects.toThrow('connection lost');
      (await log.acquire()).dispose();
      expect(await pathTexts(log)).toEqual(['one']);
      const failing = withMethods({ create: () => Promise.reject(new Error('connection lost')) });
      const late = await connect(failing).create({ id: 'b' });
      await expect(late.append([user('mine')])).rejects.toThrow('connection lost');
      await custom.create(header('b'), [message('theirs', null)]);
      await expect(late.append([user('mine')])).rejects.toMatchObject({
        code: 'SessionConflict',
        message: expect.stringContaining('another session of this id') as string,
      });
    });

    it('has a copy, and what was brought back', async () => {
      const { store, failNext } = losesAnswer();
      const connected = connect(store);
      await (await connected.create({ id: 'a' })).append([user('one')]);
      failNext();
      expect(await pathTexts(await connected.fork('a', { id: 'copy' }))).toEqual(['one']);
      await (await connected.delete('a')).undo();
      expect(await pathTexts(await connected.open('a'))).toEqual(['one']);
      const failing = connect(withMethods({ create: () => Promise.reject(new Error('connection lost')) }));
      await expect(failing.fork('a', { id: 'other' })).rejects.toThrow('connection lost');
    });
  });

  it('A9: is found out within a turn when it says it wrote and did not', async () => {
    const log = await connect(withMethods({ append: async () => true })).create({ id: 'a' });
    await log.append([user('one')]);
    await log.append([user('lost')]);
    await expect(log.acquire()).rejects.toMatchObject({ code: 'SessionConflict' });
    expect(log.access.mode).toBe('stale');
  });

  it('is left after the persistence timeout, and written to no more until the late write has returned', async () => {
    const clock = new FakeClock();
    let land: () => void = () => undefined;
    let aborted: AbortSignal | undefined;
    const store = connect(
      withMethods({
        append: (id, position, entry, { signal }) => {
          aborted = signal;
          return new Promise<boolean>((resolve) => {
            land = () => resolve(custom.append(id, position, entry));
          });
        },
      }),
      clock,
    );
    const log = await store.create({ id: 'a' });
    const [first] = await log.append([user('one')]);
    const late = log.append([user('late')]);
    while (aborted === undefined) await Promise.resolve();
    clock.advance(29_999);
    expect(aborted.aborted).toBe(false);
    clock.advance(1);
    await expect(late).rejects.toMatchObject({ code: 'StorageFailure', data: { errno: 'ETIMEDOUT' } });
    expect([aborted.aborted, log.position]).toEqual([true, 1]);
    const next = log.append([user('next')], { expectedHead: first?.id ?? null });
    await Promise.resolve();
    expect(custom.sessions.get('a')?.entries).toHaveLength(1);
    land();
    await expect(next).rejects.toMatchObject({ code: 'SessionConflict' });
    expect(await pathTexts(log)).toEqual(['one', 'late']);
    const turn = log.acquire();
    (await turn).dispose();
  });

  it('is waited for as long as it says it needs, which has to be a time', async () => {
    const clock = new FakeClock();
    const slow = withMethods({ append: () => new Promise<never>(() => undefined) });
    const log = await connect({ ...slow, persistenceTimeout: 90_000 }, clock).create({ id: 'a' });
    await log.append([user('one')]);
    const outcome: unknown[] = [];
    const late = log.append([user('two')]).catch((error: BoughError) => outcome.push(error.data['errno']));
    while (clock.pending === 0) await Promise.resolve();
    clock.advance(89_999);
    expect(outcome).toEqual([]);
    clock.advance(1);
    await late;
    expect(outcome).toEqual(['ETIMEDOUT']);
    for (const persistenceTimeout of [0, -1, NaN, Infinity, 2 ** 31, '30000' as unknown as number])
      expect(() => connect({ ...slow, persistenceTimeout }), String(persistenceTimeout)).toThrow(
        /persistenceTimeout/,
      );
  });

  it('gives up again on a write that never returns', async () => {
    const clock = new FakeClock();
    const store = connect(withMethods({ append: () => new Promise<never>(() => undefined) }), clock);
    const log = await store.create({ id: 'a' });
    await log.append([user('one')]);
    for (let round = 0; round < 2; round++) {
      const attempt = log.append([user('two')]).catch((error: BoughError) => error.data['errno']);
      while (clock.pending === 0) await Promise.resolve();
      clock.advance(30_000);
      expect(await attempt).toBe('ETIMEDOUT');
    }
    expect(custom.sessions.get('a')?.entries).toHaveLength(1);
  });

  it('makes a handle stale when somebody else wrote, or deleted', async () => {
    const log = await connect().create({ id: 'a' });
    await log.append([user('one')]);
    const other = await connect().open('a');
    await other.append([user('other')]);
    await expect(log.append([user('two')])).rejects.toMatchObject({ code: 'SessionConflict' });
    await expect(log.append([user('two')])).rejects.toMatchObject({ code: 'SessionStale' });
    await other.catchUp();
    await connect().delete('a');
    await expect(other.catchUp()).rejects.toMatchObject({ code: 'SessionConflict' });
    expect(other.access.mode).toBe('stale');
    const late = await connect().create({ id: 'b' });
    await custom.create(header('b'), []);
    await expect(late.append([user('x')])).rejects.toMatchObject({ code: 'SessionConflict' });
  });

  it('follows what others appended', async () => {
    const log = await connect().create({ id: 'a' });
    await log.append([user('one')]);
    const told: number[] = [];
    log.onAppend((placed) => told.push(...placed.map(({ position }) => position)));
    await (await connect().open('a')).append([user('two')]);
    await log.catchUp();
    await log.catchUp();
    expect([told, await pathTexts(log)]).toEqual([[1], ['one', 'two']]);
    await log.append([user('three')]);
    expect(await pathTexts(await connect().open('a'))).toEqual(['one', 'two', 'three']);
  });
});

describe('abilities that a custom store lacks', () => {
  it('a branch summary is refused, detectably, before anything is written', async () => {
    const log = await connect().create({ id: 'a' });
    const [a] = await log.append([user('a'), assistant('b')]);
    const summary: Draft = { type: 'branch_summary', from_id: a?.id ?? '', summary: 's' };
    const batch: Draft[] = [{ type: 'head', entry_id: a?.id ?? '' }, summary];
    await expect(log.append(batch)).rejects.toMatchObject({ code: 'BranchSummaryNotSupported' });
    expect([log.position, custom.sessions.get('a')?.entries.length]).toEqual([2, 2]);
    const able = connect(
      withMethods({ appendBranchSummary: (id, at, entry) => custom.append(id, at, entry) }),
    );
    await (await able.open('a')).append(batch);
    expect(custom.sessions.get('a')?.entries).toHaveLength(4);
  });

  it('text of an attempt that did not end well is not stored, and that is told', async () => {
    const log = await connect().create({ id: 'a' });
    await log.append([user('a')]);
    expect(await log.append([incomplete])).toEqual([]);
    expect(troubles).toMatchObject([
      { code: 'StorageFailure', message: expect.stringContaining('not stored') as string },
    ]);
    const able = connect(
      withMethods({ appendIncompleteOutput: (id, at, entry) => custom.append(id, at, entry) }),
    );
    await (await able.open('a')).append([incomplete]);
    expect(custom.sessions.get('a')?.entries.map(({ type }) => type)).toEqual([
      'message',
      'incomplete_output',
    ]);
  });

  it('without appendStep a batch is appended one by one up to the first error; what was written is confirmed', async () => {
    let left = 2;
    const store = connect(
      withMethods({
        append: (id, at, entry) =>
          left-- > 0 ? custom.append(id, at, entry) : Promise.reject(new Error('disk full')),
      }),
    );
    const log = await store.create({ id: 'a' });
    await log.append([user('zero')]);
    const told: number[] = [];
    log.onAppend((placed) => told.push(...placed.map(({ position }) => position)));
    const batch = [user('one'), assistant('two'), user('three'), user('four')];
    await expect(log.append(batch)).rejects.toMatchObject({
      message: expect.stringContaining('disk full') as string,
    });
    expect(await pathTexts(log)).toEqual(['zero', 'one', 'two']);
    expect(told).toEqual([1, 2]);
    expect(await pathTexts(await connect().open('a'))).toEqual(['zero', 'one', 'two']);
  });

  it('with appendStep a batch is all or nothing', async () => {
    const store = connect(withMethods({ appendStep: () => Promise.reject(new Error('no')) }));
    const log = await store.create({ id: 'a' });
    await log.append([user('zero')]);
    await expect(log.append([user('one'), user('two')])).rejects.toMatchObject({
      data: { operation: 'appendStep' },
    });
    expect(log.position).toBe(1);
  });
});

describe('sessions of a custom store', () => {
  it('are summarised once, and again when they changed', async () => {
    let loads = 0;
    const store = connect(
      withMethods({
        load: (id) => {
          loads++;
          return custom.load(id);
        },
      }),
    );
    await custom.create(header('a'), [message('x', null)]);
    expect((await store.list()).sessions).toMatchObject([{ id: 'a', title: 'x', messages: 1 }]);
    await store.list();
    expect(loads).toBe(1);
    await custom.append('a', 1, message('y', 'x'));
    expect((await store.list()).sessions).toMatchObject([{ messages: 2 }]);
    expect(loads).toBe(2);
  });

  it('are checked for blobs that are missing', async () => {
    const log = await connect().create({ id: 'a' });
    const hash = await log.blobs.put('x');
    await log.append([
      { type: 'message', role: 'user', parts: [{ type: 'file', blob: hash, mime: 't', name: 'n' }] },
    ]);
    expect((await connect().verify()).logs).toMatchObject([{ id: 'a', missingBlobs: [] }]);
    custom.blobs.clear();
    expect((await connect().verify()).logs).toMatchObject([{ missingBlobs: [{ hash }] }]);
  });

  it('of a newer format can be read, not written to, not copied, and not deleted by age', async () => {
    await custom.create({ ...header('a'), version: 99 }, [message('x', null)]);
    const store = connect();
    const log = await store.open('a');
    await expect(log.append([user('b')])).rejects.toMatchObject({ code: 'NewerFormat' });
    await expect(store.fork('a')).rejects.toMatchObject({ code: 'NewerFormat' });
    await expect(store.importCopy(log)).rejects.toMatchObject({ code: 'NewerFormat' });
    const aged = connect(withMethods({ list: async () => [row({ updated: 2 })] }));
    expect(await aged.prune({ sessionIdle: 1 })).toMatchObject({
      sessions: [],
      kept: [{ session: 'a', reason: expect.stringContaining('newer Bough') as string }],
    });
  });
});
