// A custom store that fails, is slow or is used by two: nothing confirmed is lost, and each error says what it was.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectStore, type ConnectedStore } from '../../../src/log/connected-store.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { BoughError } from '../../../src/shared/failure.js';
import type { Draft } from '../../../src/shared/notes.js';
import { MapStore } from './custom-stores.js';
import { useFaultyPlace } from './faulty-place.js';
import { pathTexts } from './lines.js';
import { randomIds, realClock, user } from './support.js';

let store: FileStore;
useFaultyPlace((made) => ({ store } = made));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const connect = (custom: MapStore): ConnectedStore =>
  connectStore({
    ...{ custom, clock: realClock, ids: randomIds, producer: 'bough/0.0.0-test' },
    onTrouble: (error) => expect.fail(error.message),
  });

describe('a custom store', () => {
  let custom: MapStore;
  let connected: ConnectedStore;
  beforeEach(() => {
    custom = new MapStore();
    connected = connect(custom);
  });
  afterEach(() => connected.close());
  const image = (blob: string): Draft => ({
    type: 'message',
    role: 'user',
    parts: [{ type: 'file', blob, mime: 'm', name: 'n' }],
  });

  it('refuses a blank tag as files do, and archives what is archived without another entry', async () => {
    for (const one of [store, connected]) {
      await (await one.create({ id: 's' })).append([user('a')]);
      await expect(one.setTags('s', ['a', ' '])).rejects.toMatchObject({ code: 'InvalidArgument' });
      await one.archive('s');
      await one.archive('s');
      expect((await one.open('s')).position).toBe(2);
    }
  });

  it('follows nothing once its handle has ended, and nothing of a session that is not there yet', async () => {
    const log = await connected.create({ id: 's' });
    await log.catchUp();
    expect(log.position).toBe(0);
    await log.append([user('a')]);
    await log.close();
    await custom.append('s', 1, {
      type: 'message',
      id: 'x',
      parent_id: null,
      timestamp: '2026-01-01T00:00:00Z',
      role: 'user',
      parts: [],
    });
    await log.catchUp();
    expect([log.position, log.access.mode]).toEqual([1, 'stale']);
  });

  it('ends a handle that was not stored yet when another has made a session of its id', async () => {
    const log = await connected.create({ id: 's' });
    const other = connect(custom);
    await (await other.create({ id: 's' })).append([user('theirs')]);
    await expect(log.catchUp()).rejects.toMatchObject({ code: 'SessionConflict' });
    expect(log.access.mode).toBe('stale');
    expect(await pathTexts(await other.open('s'))).toEqual(['theirs']);
    await other.close();
  });

  it('makes no copy over a session that another has made meanwhile', async () => {
    await (await connected.create({ id: 's' })).append([user('a')]);
    custom.create = () => Promise.resolve(false);
    await expect(connected.fork('s', { id: 'copy' })).rejects.toMatchObject({ code: 'SessionExists' });
  });

  it('B5: says whether it failed to write, which can be saved again, or to read', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([user('a')]);
    const away = () => Promise.reject(new Error('away'));
    custom.append = away;
    await expect(log.append([user('b')])).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { operation: 'append', op: 'write' },
    });
    custom.load = away;
    await expect(connect(custom).open('s')).rejects.toMatchObject({
      data: { operation: 'load', op: 'read' },
    });
  });

  it('fails with the code and the words it was given, whatever was thrown', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([user('a')]);
    const thrown: [unknown, object][] = [
      ['the cable is out', { code: 'StorageFailure', message: expect.stringContaining('the cable is out') }],
      [new BoughError('Locked', 'Somebody holds it.'), { code: 'Locked', data: { operation: 'append' } }],
    ];
    for (const [what, told] of thrown) {
      custom.append = () => {
        throw what;
      };
      await expect(log.append([user('b')])).rejects.toMatchObject(told);
    }
  });

  it('gives what is no data: that is said, and why', async () => {
    await (await connected.create({ id: 's' })).append([user('a')]);
    const odd = { bytes: 1n };
    custom.list = () => Promise.resolve([odd] as never);
    await expect(connected.list()).rejects.toMatchObject({
      code: 'InvalidPersistenceData',
      message: expect.stringContaining('BigInt') as string,
    });
  });

  it('deletes by age what belongs to one owner, and nothing of another', async () => {
    for (const owner of ['ext.me', 'ext.her'])
      await (await connected.create({ id: owner, owner })).append([user('a')]);
    for (const kept of custom.sessions.values()) kept.row = { ...kept.row, updated: 1, created: 1 };
    const report = await connected.prune({ sessionIdle: 1_000 }, { owner: 'ext.me' });
    expect(report.sessions.map(({ id }) => id)).toEqual(['ext.me']);
    expect([...custom.sessions.keys()]).toEqual(['ext.her']);
  });

  it('forks, deletes and brings back what lacks a blob, without it', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([image(hashOf('gone'))]);
    const copy = await connected.fork('s', { id: 'copy' });
    expect([copy.position, await copy.blobs.has(hashOf('gone'))]).toEqual([1, false]);
    await (await connected.delete('s')).undo();
    expect((await connected.open('s')).position).toBe(1);
  });

  it('brings back all that was confirmed before the deletion was through', async () => {
    const log = await connected.create({ id: 's' });
    await log.append([user('a')]);
    const load = custom.load.bind(custom);
    let late: Promise<boolean> | undefined;
    custom.load = async (id) => {
      const loaded = await load(id);
      late ??= log.append([user('late')]).then(
        () => true,
        () => false,
      );
      const copied = loaded && { ...loaded, entries: [...loaded.entries] };
      await late;
      return copied;
    };
    const deletion = await connected.delete('s');
    custom.load = load;
    await deletion.undo();
    const isConfirmed = await late;
    expect(await pathTexts(await connected.open('s'))).toEqual(isConfirmed === true ? ['a', 'late'] : ['a']);
  });

  it('A12: deletes and brings back a session whose entries are more than one string can hold', async () => {
    const log = await connected.create({ id: 's' });
    const hash = await log.blobs.put('kept');
    await log.append([image(hash)]);
    const { stringify } = JSON;
    const spy = vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
      if (Array.isArray(value)) throw new RangeError('Invalid string length');
      return stringify(value);
    });
    const deletion = await connected.delete('s').finally(() => spy.mockRestore());
    await deletion.undo();
    const back = await connected.open('s');
    expect(new TextDecoder().decode(await back.blobs.get(hash))).toBe('kept');
  });

  it('copies what lies beside a damaged attachment, without that one, to either kind of store', async () => {
    const log = await connected.create({ id: 's' });
    const [good, bad] = [await log.blobs.put('good'), await log.blobs.put('bad')];
    await log.append([image(bad), image(good)]);
    custom.blobs.set(`s ${bad}`, new TextEncoder().encode('changed'));
    for (const copy of [
      await connected.fork('s'),
      await connected.importCopy(log),
      await store.importCopy(log),
    ]) {
      expect([copy.position, await copy.blobs.has(bad)]).toEqual([2, false]);
      expect(new TextDecoder().decode(await copy.blobs.get(good))).toBe('good');
    }
  });

  it('keeps what is open when it deletes by age, and says so', async () => {
    await (await connected.create({ id: 's' })).append([user('a')]);
    for (const kept of custom.sessions.values()) kept.row = { ...kept.row, updated: 1, created: 1 };
    const report = await connected.prune({ sessionIdle: 1_000 }, { isOpen: () => true });
    expect([report.kept, report.sessions]).toEqual([[{ session: 's', reason: 'It is open.' }], []]);
  });

  it('takes over files, with their blobs, from a store of files', async () => {
    const log = await store.create({ id: 's', subagent_task: 'Look' });
    const hash = await log.blobs.put('kept');
    await log.append([image(hash)]);
    const copy = await connected.importCopy(log, { id: 'copy' });
    expect(new TextDecoder().decode(await copy.blobs.get(hash))).toBe('kept');
    const back = await store.importCopy(copy);
    expect(back.header).toMatchObject({ parent_session_id: 'copy', subagent_task: 'Look' });
    expect(new TextDecoder().decode(await back.blobs.get(hash))).toBe('kept');
  });
});
