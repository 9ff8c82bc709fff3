/** A store as one owner sees it. */
import { OwnedStore } from '../owned-store.js';
import { codeOf, text, texts, type Check, type Runner } from './runner.js';

export function describeOwners({ expect }: Runner, check: Check): void {
  check('gives an owner its own sessions and nothing of anybody else', async (store) => {
    await (await store.create({ id: 'hers', owner: 'ext.her' })).append([text('secret')]);
    await (await store.create({ id: 'persons' })).append([text('secret')]);
    const mine = new OwnedStore(store, 'ext.me');
    const log = await mine.create({ id: 'mine' });
    await log.append([text('a')]);
    expect(log.header.owner).toBe('ext.me');
    expect((await mine.list()).sessions.map(({ id }) => id)).toEqual(['mine']);
    for (const id of ['hers', 'persons']) {
      expect(await codeOf(mine.open(id))).toBe('AccessDenied');
      expect(await codeOf(mine.openOrCreate(id))).toBe('AccessDenied');
      expect(await codeOf(mine.summary(id))).toBe('AccessDenied');
      expect(await codeOf(mine.rename(id, 'x'))).toBe('AccessDenied');
      expect(await codeOf(mine.setTags(id, ['x']))).toBe('AccessDenied');
      expect(await codeOf(mine.archive(id))).toBe('AccessDenied');
      expect(await codeOf(mine.unarchive(id))).toBe('AccessDenied');
      expect(await codeOf(mine.fork(id))).toBe('AccessDenied');
      expect(await codeOf(mine.importCopy(await store.open(id)))).toBe('AccessDenied');
      expect(await codeOf(mine.delete(id))).toBe('AccessDenied');
      expect(await texts(await store.open(id))).toEqual(['secret']);
    }
    expect((await store.list()).sessions).toHaveLength(3);
  });

  check('lets no owner act for another', async (store) => {
    const mine = new OwnedStore(store, 'ext.me');
    expect(await codeOf(mine.create({ owner: 'ext.her' }))).toBe('AccessDenied');
    expect(await codeOf(mine.list({ owner: 'ext.her' }))).toBe('AccessDenied');
    await (await mine.create({ id: 'mine' })).append([text('a')]);
    expect(await codeOf(mine.fork('mine', { owner: 'ext.her' }))).toBe('AccessDenied');
  });

  check('keeps an owner away from what another has not written yet', async (store) => {
    const mine = new OwnedStore(store, 'ext.me');
    for (const owner of ['ext.her', undefined]) {
      const id = owner ?? 'persons';
      const log = await store.create({ id, ...(owner === undefined ? {} : { owner }) });
      expect(await codeOf(mine.open(id))).toBe('AccessDenied');
      expect(await codeOf(mine.openOrCreate(id))).toBe('AccessDenied');
      expect(await codeOf(mine.rename(id, 'x'))).toBe('AccessDenied');
      expect(await codeOf(mine.setTags(id, ['x']))).toBe('AccessDenied');
      expect(await codeOf(mine.archive(id))).toBe('AccessDenied');
      expect(await codeOf(mine.unarchive(id))).toBe('AccessDenied');
      expect(await codeOf(mine.fork(id))).toBe('AccessDenied');
      expect(await codeOf(mine.delete(id))).toBe('AccessDenied');
      await log.append([text('still hers')]);
      expect(await texts(log)).toEqual(['still hers']);
    }
    // One's own that is not written yet is one's own.
    const own = await mine.create({ id: 'own' });
    await mine.rename('own', 'N');
    await own.append([text('a')]);
    expect((await mine.summary('own'))?.title).toBe('N');
  });

  check('does for its owner what the store does', async (store) => {
    const told: string[] = [];
    const mine = new OwnedStore(store, 'ext.me');
    mine.onChange((id) => told.push(id));
    const log = await mine.openOrCreate('mine');
    await log.append([text('a')]);
    await (await store.create({ id: 'hers' })).append([text('b')]);
    await mine.rename('mine', 'N');
    await mine.setTags('mine', ['t']);
    expect((await mine.fork('mine', { id: 'copy' })).header.owner).toBe('ext.me');
    expect((await mine.importCopy(log, { id: 'import' })).header.owner).toBe('ext.me');
    await mine.archive('mine');
    await mine.unarchive('mine');
    expect(await mine.summary('mine')).toEqual((await store.list()).sessions.find(({ id }) => id === 'mine'));
    await mine.delete('mine');
    await mine.delete('nobody');
    expect(await codeOf(mine.open('mine'))).toBe('SessionNotFound');
    expect(told.includes('hers')).toBe(false);
    expect(told.includes('mine')).toBe(true);
    await mine.close();
    expect((await store.list()).sessions).toHaveLength(3);
  });
}
