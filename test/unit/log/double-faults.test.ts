/** What fails twice, or at the worst moment: whatever happens, a session is whole in one place, and it is said where. */
import { access, copyFile, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bodies } from '../../../src/log/bodies.js';
import { DraftFiles } from '../../../src/log/draft.js';
import type { Ledger } from '../../../src/log/ledger.js';
import { loadLog } from '../../../src/log/load.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { useFaultyPlace, type FaultyPlace } from './faulty-place.js';
import { headerLine, lines, messageLine, pathTexts, textOf } from './lines.js';
import { assistant, randomIds, user } from './support.js';

let made: FaultyPlace;
useFaultyPlace((fresh) => (made = fresh));

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

describe('a deletion that fails', () => {
  it('when the way back fails too: the session is in the trash, as the error says, and comes back whole', async () => {
    const { store, files, place, inSessions } = made;
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    const hash = await log.blobs.put('b');
    await store.list();
    files.faults = [
      { call: 'rename', path: `sessions${path.sep}s`, errno: 'EIO', times: 1 },
      { call: 'rename', path: 's.jsonl', errno: 'EPERM', after: 1 },
    ];
    await expect(store.delete('s')).rejects.toMatchObject({
      code: 'StorageFailure',
      message: expect.stringMatching(
        /\(EIO\).*could not be put back.*EPERM.*Restore Deleted Session/s,
      ) as string,
      data: { errno: 'EIO' },
    });
    files.heal();
    await expect(log.append([user('late')])).rejects.toMatchObject({ code: 'SessionConflict' });
    expect((await place.store().list()).sessions).toEqual([]);
    const [found, ...others] = await store.deleted();
    expect([found?.id, others]).toEqual(['s', []]);
    expect(await store.restore(found?.key ?? '')).toBe('s');
    const back = await store.open('s');
    expect(await pathTexts(back)).toEqual(['a']);
    expect(Buffer.from(await back.blobs.get(hash)).toString()).toBe('b');
    expect(await isThere(inSessions('s'))).toBe(true);
    expect(await store.deleted()).toEqual([]);
  });

  it('and is taken back leaves no mark that would hide the row of a log that is lost later', async () => {
    const { store, files, place, inSessions } = made;
    await (await store.create({ id: 's', title: 'Mine' })).append([user('a')]);
    await store.list();
    files.faults = [{ call: 'rename', path: 's.jsonl', errno: 'EIO', times: 1 }];
    await expect(store.delete('s')).rejects.toMatchObject({ data: { errno: 'EIO' } });
    await store.close();
    await createNodeFiles().rename(inSessions('s.jsonl'), path.join(place.folder, 'elsewhere'));
    expect((await place.store().list()).sessions).toMatchObject([
      { id: 's', title: 'Mine', status: 'missing' },
    ]);
  });
});

describe('bringing a deleted session back', () => {
  const deletedWithDraft = async () => {
    const { store, place } = made;
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    const drafts = new DraftFiles(place.folder, createNodeFiles());
    await drafts.write('s', { text: 'typed', editing: null });
    return { drafts, ...(await store.delete('s')) };
  };

  it('that fails half way can be tried again, and loses no draft', async () => {
    const { store, files } = made;
    const { undo, drafts } = await deletedWithDraft();
    files.faults = [{ call: 'rename', path: 's.jsonl', errno: 'EPERM', times: 1 }];
    await expect(undo()).rejects.toMatchObject({ code: 'StorageFailure' });
    await undo();
    expect(await pathTexts(await store.open('s'))).toEqual(['a']);
    expect(await drafts.read('s')).toEqual({ text: 'typed', editing: null });
  });

  it.each(['undo', 'restore'] as const)('does not mind what was written in its place (%s)', async (way) => {
    const { store, inSessions } = made;
    const { undo, drafts } = await deletedWithDraft();
    await drafts.write('s', { text: 'late', editing: null });
    await writeFile(inSessions('s', 'f'.repeat(64)), 'an attachment that came late');
    if (way === 'undo') await undo();
    else await store.restore((await store.deleted())[0]?.key ?? '');
    expect(await pathTexts(await store.open('s'))).toEqual(['a']);
    expect(await drafts.read('s')).toEqual({ text: 'typed', editing: null });
    expect(await readFile(inSessions('s', 'f'.repeat(64)), 'utf8')).toBe('an attachment that came late');
  });
});

/** The beginning of the file stays as it was. */
const LONG = 'long '.repeat(500);

describe('a write that was taken back', () => {
  /** The first window writes, the second reads it before it is durable, then the write fails and is taken back. */
  const afterGhost = async (ghost: string, text: string) => {
    const { files, place } = made;
    const locks = new LockTable();
    const first = await place.store({ files, locks }).create({ id: 's' });
    await first.append([user('a'), user(LONG)]);
    const second = await place.store({ locks, ids: randomIds }).open('s');
    const seen = { ghost: '' };
    const inner = files.open.bind(files);
    files.open = async (file, mode) => {
      const opened = await inner(file, mode);
      if (!file.endsWith('s.jsonl') || mode === 'read') return opened;
      return {
        ...opened,
        datasync: async () => {
          await second.catchUp();
          seen.ghost = (await pathTexts(second)).join();
          throw Object.assign(new Error('EIO'), { code: 'EIO' });
        },
      };
    };
    await expect(first.append([assistant(ghost)])).rejects.toMatchObject({ code: 'StorageFailure' });
    files.open = inner;
    expect(seen.ghost).toBe(`a,${LONG},${ghost}`);
    await first.append([assistant(text)]);
    return { first, second };
  };

  it.each([
    ['longer', 'b', 'beech'],
    ['just as long', 'birch', 'beech'],
    ['shorter', 'horse chestnut', 'beech'],
  ])('was never there for who followed, though what took its place is %s', async (_, ghost, text) => {
    const { first, second } = await afterGhost(ghost, text);
    await second.append([user('c')]);
    expect(await pathTexts(second)).toEqual(['a', LONG, text, 'c']);
    expect(second.damage).toEqual([]);
    await first.catchUp();
    expect(await pathTexts(first)).toEqual(['a', LONG, text, 'c']);
    const again = await made.place.store().open('s');
    expect([await pathTexts(again), again.damage]).toEqual([['a', LONG, text, 'c'], []]);
  });
});

describe('what was read of a file that was another one by then', () => {
  it('is not kept: what stands there now is read', async () => {
    const { files, place } = made;
    const read = async (text: string): Promise<Ledger> => {
      await writeFile(file, lines(headerLine('s'), messageLine('a', null, text)));
      return (await loadLog(files, file, 's')).ledger;
    };
    const file = path.join(place.folder, 's.jsonl');
    const bodies = new Bodies(files, file);
    bodies.use();
    const before = await read('before');
    const inner = files.open.bind(files);
    files.open = async (name, mode) => {
      const opened = await inner(name, mode);
      return {
        ...opened,
        read: async (into, position) => {
          const got = await opened.read(into, position);
          bodies.forget();
          return got;
        },
      };
    };
    expect((await bodies.read(before, [0])).map(({ entry }) => textOf(entry))).toEqual(['before']);
    files.open = inner;
    const after = await read('behind');
    expect((await bodies.read(after, [0])).map(({ entry }) => textOf(entry))).toEqual(['behind']);
  });
});

describe('a log that another program puts a copy in place of while a turn runs', () => {
  it('is what is written to from then on: no entry goes where nobody finds it', async () => {
    const { store, place } = made;
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    const lease = await log.acquire();
    await log.append([assistant('b')]);
    const copy = `${place.log('s')}.copy`;
    await copyFile(place.log('s'), copy);
    await rename(copy, place.log('s'));
    await log.append([assistant('c')]);
    lease.dispose();
    expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'b', 'c']);
    expect(await pathTexts(log)).toEqual(['a', 'b', 'c']);
  });
});

describe('an attachment that is put again', () => {
  it('is as new: what deletes old ones that nothing names leaves it until it is named', async () => {
    const { store, inSessions } = made;
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    const hash = await log.blobs.put('a picture');
    const then = new Date(Date.now() - 9 * 86_400_000);
    await utimes(inSessions('s', hash), then, then);
    expect(await log.blobs.put('a picture')).toBe(hash);
    const report = await store.prune({ detachedResultAge: 86_400_000 });
    expect([report.results, report.young]).toEqual([[], 1]);
    expect(await log.blobs.has(hash)).toBe(true);
  });
});
