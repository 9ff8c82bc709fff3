import { describe, expect, it } from 'vitest';
import { WindowStore, type Place, type WholeStore } from '../../../../src/host/sessions/window-store.js';
import { createMemoryStore } from '../../../../src/log/memory-store.js';
import type { SessionLog } from '../../../../src/log/store.js';
import { BoughError } from '../../../../src/shared/failure.js';
import { FakeClock } from '../../agent/fake-clock.js';

function make() {
  const clock = new FakeClock();
  let last = 0;
  const ids = { entry: () => (++last).toString(16).padStart(16, '0'), session: () => `s${++last}` };
  const store = () => createMemoryStore({ clock, ids, producer: 'bough/test' });
  const place = (key: string): Place => ({ key, folder: `file:///${key}`, store: store() });
  const [first, second] = [place('first'), place('second')];
  const errors: unknown[] = [];
  const window = new WindowStore({
    ...{ first, memory: store(), freshId: () => ids.session() },
    onError: (error) => errors.push(error),
    clean: (text) => text.replaceAll('sk-secret', '[redacted]'),
  });
  return { window, first, second, errors };
}

/** The same store with calls that a test can put others in place of. */
const withCalls = (store: WholeStore): WholeStore => ({
  create: (init) => store.create(init),
  open: (id) => store.open(id),
  openOrCreate: (id, init) => store.openOrCreate(id, init),
  list: (query) => store.list(query),
  rename: (id, name) => store.rename(id, name),
  archive: (id) => store.archive(id),
  unarchive: (id) => store.unarchive(id),
  delete: (id) => store.delete(id),
  summary: (id) => store.summary?.(id) ?? Promise.resolve(undefined),
  onChange: (listener) => store.onChange(listener),
  close: () => store.close(),
});

const say = async (log: SessionLog, text: string) =>
  log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text }] }]);
const titles = async (window: WindowStore) => (await window.list()).sessions.map(({ title }) => title).sort();

describe('the sessions of a window', () => {
  it('B12: are those of all its folders; each is opened where it is, new ones begin in the first', async () => {
    const { window, first, second } = make();
    await say(await second.store.openOrCreate('two'), 'In the second');
    await say(await window.openOrCreate('one'), 'In the first');
    expect(await titles(window)).toEqual(['In the first']);
    await window.follow(() => Promise.resolve([second]));
    expect(await titles(window)).toEqual(['In the first', 'In the second']);
    expect((await window.placeOf('two')).key).toBe('second');
    await window.rename('two', 'Renamed');
    expect((await second.store.list()).sessions).toMatchObject([{ title: 'Renamed' }]);
    expect((await first.store.list()).sessions).toMatchObject([{ id: 'one' }]);
    await window.follow(() => Promise.resolve([]));
    expect(await titles(window)).toEqual(['In the first']);
    expect((await window.open('two')).id).toBe('two');
  });

  it('B12: are those of the folders as they changed last, though the change before takes longer to be read', async () => {
    const { window, second } = make();
    await say(await second.store.openOrCreate('two'), 'In the second');
    let resolve = (_places: Place[]): void => undefined;
    const slow = new Promise<Place[]>((settle) => (resolve = settle));
    const before = window.follow(() => slow);
    await window.follow(() => Promise.resolve([second]));
    resolve([]);
    await before;
    expect(await titles(window)).toEqual(['In the second']);
  });

  it('one in memory only is listed while the window lives, in no folder, and its fork stays there too', async () => {
    const { window, first } = make();
    const id = window.ephemeralId();
    await say(await window.openOrCreate(id), 'Not kept');
    const copy = await window.fork(id);
    expect(await titles(window)).toEqual(['Not kept', 'Not kept']);
    expect((await first.store.list()).sessions).toEqual([]);
    expect([window.isKept(id), window.isKept(copy.id), window.isKept('other')]).toEqual([false, false, true]);
    await window.delete(id);
    expect((await window.list()).sessions).toHaveLength(1);
  });

  it('H11: keeps keys out of names, whoever gives them', async () => {
    const { window } = make();
    await say(await window.openOrCreate('one', { title: 'made with sk-secret' }), 'a');
    await say(await window.create({ id: 'two', title: 'sk-secret too' }), 'b');
    const copy = await window.fork('one', { title: 'copied sk-secret' });
    expect(await titles(window)).toEqual(['[redacted] too', 'copied [redacted]', 'made with [redacted]']);
    await window.rename(copy.id, 'renamed sk-secret');
    expect(await titles(window)).toEqual(['[redacted] too', 'made with [redacted]', 'renamed [redacted]']);
  });

  it('tells of changes in any of them, and looks after all', async () => {
    const { window, second, errors } = make();
    const changed: string[] = [];
    window.onChange((id) => changed.push(id));
    window.visit(second);
    await say(await second.store.openOrCreate('two'), 'Hello');
    expect(changed).toContain('two');
    await expect(window.openFile('/x.jsonl')).rejects.toMatchObject({ code: 'SessionNotFound' });
    expect(await window.prune({ sessionIdle: 0 })).toMatchObject([{ sessions: [] }]);
    expect(await window.verify()).toMatchObject([{ orphans: [] }]);
    await window.close();
    expect(errors).toEqual([]);
  });

  it('deletes by age in all its folders, and says what went when one of them fails', async () => {
    const { window, first, second } = make();
    const report = { sessions: [], goals: [], kept: [] };
    const results = [{ session: 'one', file: 'a.bin', bytes: 10 }];
    const prune = () => Promise.reject(new BoughError('StorageFailure', 'The disk is full.'));
    first.store = {
      ...withCalls(first.store),
      prune: () => Promise.resolve({ ...report, results, bytes: 10 }),
    };
    await window.follow(() => Promise.resolve([{ ...second, store: { ...withCalls(second.store), prune } }]));
    await expect(window.prune({ detachedResultAge: 1 })).rejects.toMatchObject({
      code: 'StorageFailure',
      message: expect.stringMatching(
        /^The disk is full\. Deleted all the same: 1 left-over file, /,
      ) as string,
    });
  });

  it('a store of another extension that fails keeps nobody from the other sessions, and is told of once', async () => {
    const { window, second, errors } = make();
    await say(await window.openOrCreate('one'), 'In the first');
    const fail = () => Promise.reject(new BoughError('StorageFailure', 'The server is down.'));
    const { store } = second;
    let isDown = true;
    const list: typeof store.list = (query) => (isDown ? fail() : store.list(query));
    const place: Place = { ...second, store: { ...withCalls(store), list, summary: fail } };
    const registration = window.register(place);
    expect(await titles(window)).toEqual(['In the first']);
    expect(await titles(window)).toEqual(['In the first']);
    expect(window.failing).toEqual(['The server is down.']);
    expect((await window.placeOf('fresh')).key).toBe('first');
    await say(await window.openOrCreate('fresh'), 'A new chat');
    expect(errors).toMatchObject([{ code: 'StorageFailure' }]);
    isDown = false;
    await titles(window);
    expect(window.failing).toEqual([]);
    isDown = true;
    await titles(window);
    expect([window.failing, errors]).toMatchObject([['The server is down.'], [{}, {}]]);
    registration.dispose();
    expect(await titles(window)).toEqual(['A new chat', 'In the first']);
  });

  it('a store that was taken back is asked no more; what was begun there stays there until the end', async () => {
    const { window, second } = make();
    let asked = 0;
    let closed = 0;
    const calls = withCalls(second.store);
    const place: Place = {
      ...second,
      store: {
        ...calls,
        summary: (id) => (asked++, calls.summary?.(id) ?? Promise.resolve(undefined)),
        close: () => (closed++, calls.close()),
      },
    };
    const registration = window.register(place);
    window.beginIn(place, 'theirs');
    await say(await window.openOrCreate('theirs'), 'Kept by them');
    registration.dispose();
    registration.dispose();
    asked = 0;
    expect((await window.placeOf('fresh')).key).toBe('first');
    expect(asked).toBe(0);
    expect((await window.placeOf('theirs')).key).toBe('second');
    expect((await window.open('theirs')).id).toBe('theirs');
    expect(await titles(window)).toEqual([]);
    await window.close();
    expect(closed).toBe(1);
  });
});
