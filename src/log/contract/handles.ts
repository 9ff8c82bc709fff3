/** Which sessions there are, and who may write to them. */
import { codeOf, text, texts, type Check, type Runner } from './runner.js';

export function describeHandles({ expect }: Runner, check: Check): void {
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

  check(
    'ends a wait for a session with its signal, and leaves those before and after it alone',
    async (store) => {
      await (await store.create({ id: 'one' })).append([text('a')]);
      const stop = new AbortController();
      const before = store.open('one');
      const given = store.rename('one', 'never', stop.signal).catch(String);
      const after = store.rename('one', 'after');
      stop.abort(new Error('enough'));
      expect(await given).toBe('Error: enough');
      await after;
      expect((await before).state().name).toBe('after');
      for (const work of [
        store.open('one', stop.signal),
        store.create({ id: 'two' }, stop.signal),
        store.delete('one', stop.signal),
      ])
        expect(await work.then(() => 'done', String)).toBe('Error: enough');
      expect((await store.list()).sessions).toHaveLength(1);
    },
  );

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

  check('renames a session, open or not, and refuses a blank name', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    await store.rename('one', ' First ');
    expect(log.state().name).toBe('First');
    await log.close();
    await store.rename('one', 'Second');
    expect((await store.open('one')).state().name).toBe('Second');
    expect(await codeOf(store.rename('one', '  '))).toBe('InvalidArgument');
    expect(await codeOf(store.rename('nobody', 'x'))).toBe('SessionNotFound');
    expect(await codeOf(store.archive('nobody'))).toBe('SessionNotFound');
  });

  check('refuses to archive a session that is working', async (store) => {
    const log = await store.create({ id: 'one' });
    await log.append([text('a')]);
    const lease = await log.acquire();
    expect(await codeOf(store.archive('one'))).toBe('SessionRunning');
    lease.dispose();
  });
}
