/**
 * What every session store must do, as a suite for any test runner of the describe/it/expect kind. A store author calls
 * {@link describeStore} with a function that makes a fresh, empty store; `reopen` makes another one over the same data.
 */
import { isBoughError, type BoughErrorCode } from '../shared/failure.js';
import type { Draft, Entry } from '../shared/notes.js';
import type { SessionLog, SessionStore } from './store.js';

interface Expectation {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toHaveLength(length: number): void;
}

/** The part of vitest, jest or the like that the suite uses. */
export interface Runner {
  describe: (name: string, body: () => void) => unknown;
  it: (name: string, body: () => Promise<void>) => unknown;
  expect: (actual: unknown) => Expectation;
}

export interface StoreUnderTest {
  store: SessionStore;
  /** A second store over the same data, as after a restart; undefined when nothing outlives the store. */
  reopen?: () => Promise<SessionStore>;
  dispose(): Promise<void>;
}

const text = (value: string): Draft => ({
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text: value }],
});
const answer = (value: string): Draft => ({
  type: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text: value }],
});

const textOf = (entry: Entry): string =>
  entry.type === 'message' && entry.parts[0]?.type === 'text' ? entry.parts[0].text : entry.type;

async function codeOf(work: Promise<unknown>): Promise<BoughErrorCode | 'no error'> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    if (isBoughError(error)) return error.code;
    throw error;
  }
}

const texts = async (log: SessionLog, head?: string | null): Promise<string[]> =>
  (await log.path(head)).map(textOf);

export function describeStore(name: string, runner: Runner, make: () => Promise<StoreUnderTest>): void {
  const { describe, it } = runner;
  const check: Check = (title, body) =>
    it(title, async () => {
      const under = await make();
      try {
        await body(under.store, under);
      } finally {
        await under.dispose();
      }
    });
  describe(name, () => {
    describeHandles(runner, check);
    describeAppends(runner, check);
    describeList(runner, check);
    describeDelete(runner, check);
    describeSideData(runner, check);
    describeReopening(runner, check);
  });
}

type Check = (title: string, body: (store: SessionStore, under: StoreUnderTest) => Promise<void>) => unknown;

function describeHandles({ expect }: Runner, check: Check): void {
  check('creates strictly: an id that is there is refused', async (store) => {
    const log = await store.create({ id: 'one' });
    expect(log.id).toBe('one');
    expect(await codeOf(store.create({ id: 'one' }))).toBe('SessionExists');
    await log.append([text('a')]);
    expect(await codeOf(store.create({ id: 'one' }))).toBe('SessionExists');
  });

  check('opens strictly: an id that is not there is refused', async (store) => {
    expect(await codeOf(store.open('nobody'))).toBe('SessionNotFound');
    const log = await store.openOrCreate('nobody', { title: 'T' });
    expect(log.header.title).toBe('T');
  });

  check('refuses ids that look alike', async (store) => {
    for (const id of ['', ' ', ' a', 'a ', '\ta']) {
      expect(await codeOf(store.open(id))).toBe('InvalidArgument');
      expect(await codeOf(store.create({ id }))).toBe('InvalidArgument');
    }
  });

  check('takes any characters in an id, and none of them as a path', async (store) => {
    for (const id of ['../up', 'A', 'a', 'con', 'ü/\\:*', 'x'.repeat(300)]) {
      const log = await store.create({ id });
      await log.append([text(id)]);
      expect(log.id).toBe(id);
    }
    expect((await store.list({ limit: 200 })).sessions).toHaveLength(6);
  });

  check('has one live handle per id, however many open it at once', async (store) => {
    await (await store.create({ id: 'one' })).append([text('a')]);
    const logs = await Promise.all(Array.from({ length: 16 }, () => store.open('one')));
    expect(new Set(logs).size).toBe(1);
    await logs[0]?.close();
    expect((await store.open('one')) === logs[0]).toBe(false);
  });

  check('refuses appends to a handle that was closed, and opens a fresh one', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    await log.close();
    expect(await codeOf(log.append([text('b')]))).toBe('SessionStale');
    const again = await store.open('one');
    await again.append([text('b')]);
    expect(await texts(again)).toEqual(['a', 'b']);
  });

  check('shows what is archived as archived, and refuses to append to it', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    await store.archive('one');
    const archived = await store.open('one');
    expect(archived.access.mode).toBe('read-only');
    expect(await codeOf(archived.append([text('b')]))).toBe('SessionArchived');
    expect((await store.list()).sessions).toHaveLength(0);
    expect((await store.list({ archived: true })).sessions).toHaveLength(1);
    await store.rename('one', 'Renamed');
    await store.unarchive('one');
    const back = await store.open('one');
    await back.append([text('b')]);
    expect(await texts(back)).toEqual(['a', 'b']);
    expect((await store.list()).sessions[0]?.title).toBe('Renamed');
  });

  check('refuses to archive a session that is working', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    const lease = await log.acquire();
    expect(await codeOf(store.archive('one'))).toBe('SessionRunning');
    lease.dispose();
  });
}

function describeAppends({ expect }: Runner, check: Check): void {
  check('fills in ids, parents and times, and moves the head', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')]);
    const [b, note] = await log.append([
      answer('b'),
      { type: 'turn_end', turn_id: 't', steps: 1, status: 'completed' },
    ]);
    expect(a?.parent_id).toBe(null);
    expect(b?.parent_id).toBe(a?.id);
    expect(note?.parent_id).toBe(b?.id);
    expect(log.head).toBe(b?.id);
    expect(log.position).toBe(3);
    expect(/^[0-9a-f]{16}$/.test(a?.id ?? '')).toBe(true);
    expect(Number.isNaN(Date.parse(a?.timestamp ?? ''))).toBe(false);
  });

  check('lets a head note within a batch move the head for what follows it', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')]);
    await log.append([answer('b')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }, answer('b2')]);
    expect(await texts(log)).toEqual(['a', 'b2']);
    await log.append([{ type: 'head', entry_id: null }, text('root')]);
    expect(await texts(log)).toEqual(['root']);
  });

  check('refuses an append whose expected head is not the head, and changes nothing', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')], { expectedHead: null });
    expect(await codeOf(log.append([text('x')], { expectedHead: null }))).toBe('SessionConflict');
    await log.append([text('b')], { expectedHead: a?.id ?? null });
    expect(await texts(log)).toEqual(['a', 'b']);
  });

  check('refuses what it could not read back', async (store) => {
    const log = await store.create();
    await log.append([{ ...text('a'), id: 'mine' }]);
    expect(await codeOf(log.append([]))).toBe('InvalidArgument');
    expect(await codeOf(log.append([{ ...text('b'), id: 'mine' }]))).toBe('InvalidArgument');
    expect(await codeOf(log.append([{ ...text('b'), parent_id: 'ghost' }]))).toBe('InvalidArgument');
    expect(await codeOf(log.append([{ type: 'head', entry_id: 'ghost' }]))).toBe('InvalidArgument');
    expect(
      await codeOf(log.append([{ type: 'extension_data', ext_type: 'x', data: 'y'.repeat(1024 * 1024) }])),
    ).toBe('TooLarge');
    expect(log.position).toBe(1);
  });

  check('keeps the order of a burst and loses none of it', async (store) => {
    const log = await store.create();
    const wanted = Array.from({ length: 200 }, (_, index) => `m${index}`);
    await Promise.all(wanted.map((one) => log.append([text(one)])));
    expect(await texts(log)).toEqual(wanted);
  });

  check('refuses one append of a burst without harming the others', async (store) => {
    const log = await store.create();
    const results = await Promise.all([
      codeOf(log.append([text('a')])),
      codeOf(log.append([{ ...text('bad'), parent_id: 'ghost' }])),
      codeOf(log.append([text('b')])),
    ]);
    expect(results).toEqual(['no error', 'InvalidArgument', 'no error']);
    expect(await texts(log)).toEqual(['a', 'b']);
  });

  check('tells listeners what was appended, once it is', async (store) => {
    const log = await store.create();
    const told: number[] = [];
    const listening = log.onAppend((placed) => told.push(...placed.map(({ position }) => position)));
    await log.append([text('a'), answer('b')]);
    await log.append([text('c')]);
    listening.dispose();
    await log.append([text('d')]);
    expect(told).toEqual([0, 1, 2]);
  });

  check('reads bodies by id, by position and along a line', async (store) => {
    const log = await store.create();
    const [a] = await log.append([text('a')]);
    await log.append([answer('b')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }]);
    const [c] = await log.append([answer('c')]);
    const found = await log.entry(c?.id ?? '');
    expect(found === undefined ? undefined : textOf(found)).toBe('c');
    expect(await log.entry('ghost')).toBe(undefined);
    expect((await log.since(2)).map(({ position, entry }) => [position, entry.type])).toEqual([
      [2, 'head'],
      [3, 'message'],
    ]);
    expect((await log.line()).map(({ position }) => position)).toEqual([0, 2, 3]);
    expect(log.outline.map(([id, parent]) => [id, parent])).toEqual([
      [a?.id, -1],
      [(await log.path()).at(0)?.id === a?.id ? log.outline[1]?.[0] : '', 0],
      [c?.id, 0],
    ]);
    expect(log.state().head).toBe(c?.id);
  });
}

function describeList({ expect }: Runner, check: Check): void {
  check('lists what was appended to, and not what was only created', async (store) => {
    await store.create({ id: 'empty' });
    await (await store.create({ id: 'one' })).append([text('What is in this folder?'), answer('Files.')]);
    const { sessions } = await store.list();
    expect(
      sessions.map(({ id, title, named, messages, status }) => ({ id, title, named, messages, status })),
    ).toEqual([{ id: 'one', title: 'What is in this folder?', named: false, messages: 2, status: 'idle' }]);
  });

  check('pages by an exclusive cursor, each row once', async (store) => {
    for (let index = 0; index < 7; index++)
      await (await store.create({ id: `s${index}` })).append([text('a')]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.sessions.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    expect(await codeOf(store.list({ cursor: 'nonsense' }))).toBe('InvalidArgument');
    expect(await codeOf(store.list({ limit: 0 }))).toBe('InvalidArgument');
  });

  check('filters by owner, tags and text', async (store) => {
    const log = await store.create({ id: 'one', owner: 'me' });
    await log.append([text('Find the bug'), { type: 'session_info', tags: ['a', 'b'] }]);
    await (await store.create({ id: 'two', owner: 'you' })).append([text('Write a test')]);
    const ids = async (query: Parameters<SessionStore['list']>[0]): Promise<string[]> =>
      (await store.list(query)).sessions.map(({ id }) => id);
    expect(await ids({ owner: 'me' })).toEqual(['one']);
    expect(await ids({ tags: ['b', 'a'] })).toEqual(['one']);
    expect(await ids({ tags: ['a', 'c'] })).toEqual([]);
    expect(await ids({ text: 'TEST' })).toEqual(['two']);
  });
}

function describeDelete({ expect }: Runner, check: Check): void {
  check('deletes what there is, again and again, and brings it back', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    const hash = await log.blobs.put('bytes');
    const { undo } = await store.delete('one');
    expect((await store.list()).sessions).toHaveLength(0);
    expect(await codeOf(store.open('one'))).toBe('SessionNotFound');
    await undo();
    const back = await store.open('one');
    expect(await texts(back)).toEqual(['a']);
    expect(new TextDecoder().decode(await back.blobs.get(hash))).toBe('bytes');
    await (await store.delete('one')).purge();
    await store.delete('one');
    expect(await codeOf(store.open('one'))).toBe('SessionNotFound');
  });

  check('fences late saves of a handle whose session was deleted', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    await store.delete('one');
    expect(await codeOf(log.append([text('late')]))).toBe('SessionConflict');
    expect((await store.list()).sessions).toHaveLength(0);
    const fresh = await store.create({ id: 'one' });
    await fresh.append([text('new')]);
    expect(await codeOf(log.append([text('late')]))).toBe('SessionConflict');
    expect(await texts(fresh)).toEqual(['new']);
  });

  check('does not bring back over a new session, nor after it was purged', async (store) => {
    await (await store.create({ id: 'one' })).append([text('old')]);
    const { undo, purge } = await store.delete('one');
    await (await store.create({ id: 'one' })).append([text('new')]);
    expect(await codeOf(undo())).toBe('SessionExists');
    await purge();
    expect(await codeOf(undo())).toBe('SessionNotFound');
    expect(await texts(await store.open('one'))).toEqual(['new']);
  });

  check('tells listeners which session changed', async (store) => {
    const told: string[] = [];
    store.onChange((id) => told.push(id));
    await (await store.create({ id: 'one' })).append([text('a')]);
    await store.delete('one');
    expect(told).toEqual(['one', 'one']);
  });
}

function describeSideData({ expect }: Runner, check: Check): void {
  check('keeps blobs by hash and refuses names that are none', async (store) => {
    const { blobs } = await store.create();
    const hash = await blobs.put(new Uint8Array([1, 2, 3]));
    expect(hash).toBe('039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81');
    expect(await blobs.put(new Uint8Array([1, 2, 3]))).toBe(hash);
    expect([...(await blobs.get(hash))]).toEqual([1, 2, 3]);
    expect([await blobs.has(hash), await blobs.has('0'.repeat(64))]).toEqual([true, false]);
    expect(await codeOf(blobs.get('0'.repeat(64)))).toBe('LogDamaged');
    expect(await codeOf(blobs.get('../../etc/passwd'))).toBe('InvalidArgument');
  });

  check('keeps the stream journal of an attempt until it ends or the log has it', async (store) => {
    const log = await store.create();
    await log.append([text('a')]);
    const head = { attempt_id: 'at1', step: 1, parent_id: log.head, turn_id: 't' };
    expect(await log.journal.read()).toBe(null);
    await log.journal.begin(head);
    log.journal.add({ reasoning: 'hm' });
    log.journal.add({ text: 'Hel' });
    log.journal.add({ text: 'lo "\n😀' });
    await log.journal.flush();
    expect(await log.journal.read()).toEqual({ head, text: 'Hello "\n😀', reasoning: 'hm' });
    await log.append([
      { type: 'incomplete_output', attempt_id: 'at1', text: 'Hello', incomplete: true, reason: 'crash' },
    ]);
    expect(await log.journal.read()).toBe(null);
    await log.journal.begin({ ...head, attempt_id: 'at2' });
    log.journal.add({ text: 'next' });
    await log.journal.flush();
    expect((await log.journal.read())?.text).toBe('next');
    await log.journal.end();
    expect(await log.journal.read()).toBe(null);
  });

  check('grants one lease that nests, and appends under it', async (store) => {
    const log = await store.create();
    const outer = await log.acquire();
    const inner = await log.acquire();
    await log.append([text('a')]);
    inner.dispose();
    inner.dispose();
    await log.append([text('b')]);
    expect(await log.holder()).toBe(null);
    outer.dispose();
    await log.append([text('c')]);
    expect(await texts(log)).toEqual(['a', 'b', 'c']);
  });
}

function describeReopening({ expect }: Runner, check: Check): void {
  check('gives a second store what the first one wrote', async (store, { reopen }) => {
    if (reopen === undefined) return;
    const log = await store.create({ id: 'one', folder: 'file:///w', title: 'T' });
    const [a] = await log.append([text('a \u2028 \ud800 z')]);
    await log.append([answer('b')]);
    await log.append([{ type: 'head', entry_id: a?.id ?? '' }, answer('c')]);
    const before = {
      path: await log.path(),
      since: await log.since(0),
      outline: log.outline,
      state: log.state(),
    };
    await store.close();
    const second = await reopen();
    const again = await second.open('one');
    expect({
      path: await again.path(),
      since: await again.since(0),
      outline: again.outline,
      state: again.state(),
    }).toEqual(before);
    expect(again.damage).toEqual([]);
    expect(again.header.folder).toBe('file:///w');
    await second.close();
  });
}
