// What fails beside what was asked for: what was asked for is done all the same, and the failure is told or does no harm.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderBlobs } from '../../../src/log/blobs.js';
import { LeaseFileLock } from '../../../src/log/lease-file.js';
import { SessionLease } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { sessionPaths } from '../../../src/log/session-name.js';
import { createUnreadableLog } from '../../../src/log/unreadable-log.js';
import { BoughError } from '../../../src/shared/failure.js';
import { useFaultyPlace, type FaultyPlace } from './faulty-place.js';
import { bytesOf, damageOf, headerLine, joined, lines, messageLine, pathTexts, putLog } from './lines.js';
import { FakeClock, realClock, user } from './support.js';

let made: FaultyPlace;
useFaultyPlace((place) => (made = place));

const who = { window: 'test', pid: process.pid, host: 'here' };
const bug = new TypeError('a bug');
const putOne = (id = 's') => putLog(made.place, id, lines(headerLine(id), messageLine('a', null)));

describe('where ends were set aside cannot be read', () => {
  const put = () => putLog(made.place, 's', joined(lines(headerLine('s'), messageLine('a', null)), '{"ty'));

  it.each(['stat', 'open', 'file.read'] as const)('the log is read, and it is told (%s)', async (call) => {
    const { store, files, place, inSessions } = made;
    await put();
    await (await store.open('s')).append([user('b')]);
    await store.close();
    files.faults = [{ call, path: 's.damaged', errno: 'EACCES' }];
    const log = await place.store({ files }).open('s');
    expect(await pathTexts(log)).toEqual(['a', 'b']);
    expect(log.isCutBehind('a')).toBe(false);
    expect(place.troubles).toMatchObject([
      { code: 'StorageFailure', data: { path: inSessions('s.damaged'), errno: 'EACCES', session: 's' } },
    ]);
  });

  it('a bug passes', async () => {
    const { store, files } = made;
    await put();
    files.faults = [{ call: 'stat', path: 's.damaged', bug }];
    await expect(store.open('s')).rejects.toBe(bug);
  });

  it('what another window set aside is known of by who follows', async () => {
    const { store, place } = made;
    await put();
    const follower = await place.store().open('s');
    expect([damageOf(follower), follower.isCutBehind('a')]).toEqual([['torn-tail in line 3'], false]);
    const log = await store.open('s');
    const [b] = await log.append([user('b')]);
    await follower.catchUp();
    for (const one of [log, follower])
      expect([one.isCutBehind('a'), one.isCutBehind(b?.id ?? ''), one.isCutBehind('none')]).toEqual([
        true,
        false,
        false,
      ]);
  });
});

describe('what is read as it is written', () => {
  it('is told from what stands there now', async () => {
    const { store } = made;
    const file = await putOne();
    const log = await store.open('s');
    const bytes = await bytesOf(file);
    await writeFile(file, bytes.toString().replace('"text":"a"', '"text":"b"'));
    await expect(log.records([0])).rejects.toMatchObject({ code: 'LogDamaged', data: { path: file } });
    await expect(log.records([7])).rejects.toThrow(RangeError);
  });
});

describe('an attachment that is there already', () => {
  it('is taken as it is where it cannot be made to look new', async () => {
    const { files, inSessions } = made;
    const blobs = new FolderBlobs(files, inSessions('s'), realClock);
    const hash = await blobs.put('x');
    files.faults = [{ call: 'setTime', errno: 'EPERM' }];
    expect(await blobs.put('x')).toBe(hash);
    files.faults = [{ call: 'setTime', bug }];
    await expect(blobs.put('x')).rejects.toBe(bug);
  });
});

describe('the time of a log that is renamed', () => {
  it('is no reason to refuse the name', async () => {
    const { store, files, place } = made;
    await putOne();
    files.faults = [{ call: 'setTime', path: 's.jsonl', errno: 'EPERM' }];
    await store.rename('s', 'Mine');
    expect((await store.summary('s'))?.title).toBe('Mine');
    expect(place.troubles).toMatchObject([{ code: 'StorageFailure', data: { errno: 'EPERM' } }]);
    files.faults = [{ call: 'setTime', path: 's.jsonl', bug }];
    await expect(store.rename('s', 'Ours')).rejects.toBe(bug);
  });
});

describe('a deletion that fails', () => {
  it('is what is told, though its mark cannot be taken away either', async () => {
    const { store, files, place } = made;
    await putOne();
    files.faults = [
      { call: 'rename', path: 's.jsonl', errno: 'EIO', times: 1 },
      { call: 'remove', path: path.join('deleted', 's'), errno: 'EROFS' },
    ];
    await expect(store.delete('s')).rejects.toMatchObject({ data: { errno: 'EIO' } });
    expect(place.troubles).toMatchObject([{ data: { errno: 'EROFS' } }]);
    files.faults = [
      { call: 'rename', path: 's.jsonl', errno: 'EIO', times: 1 },
      { call: 'remove', path: path.join('deleted', 's'), bug },
    ];
    await expect(store.delete('s')).rejects.toBe(bug);
    files.heal();
    expect(await pathTexts(await store.open('s'))).toEqual(['a']);
  });

  it('of what is no session in the trash brings nothing back', async () => {
    const { store, files } = made;
    await putOne();
    await store.delete('s');
    await expect(store.restore('no such place')).rejects.toMatchObject({ code: 'SessionNotFound' });
    files.faults = [{ call: 'open', path: 's.jsonl', errno: 'EIO' }];
    expect(await store.deleted()).toMatchObject([{ id: 's', messages: 0 }]);
    files.faults = [{ call: 'open', path: 's.jsonl', bug }];
    await expect(store.deleted()).rejects.toBe(bug);
  });
});

describe('what is no session log', () => {
  it('is not deleted for its age', async () => {
    const { place, inSessions } = made;
    await mkdir(inSessions(), { recursive: true });
    await writeFile(inSessions('notes.jsonl'), 'what somebody noted\n');
    const clock = new FakeClock();
    clock.wall = Date.now() + 1e9;
    const store = place.store({ clock });
    const { kept, sessions } = await store.prune({ sessionIdle: 1 });
    expect({ kept, sessions }).toMatchObject({
      sessions: [],
      kept: [{ reason: 'It is no session log.' }],
    });
    expect(await bytesOf(inSessions('notes.jsonl'))).toHaveLength(20);
  });
});

describe('a lease', () => {
  it('that was let go of beats no more, though its clock does', async () => {
    const { files, inSessions } = made;
    await mkdir(inSessions(), { recursive: true });
    const fired: (() => void)[] = [];
    const clock = {
      ...realClock,
      after: (_: number, fire: () => void) => ({ dispose: () => fired.push(fire) }),
    };
    const file = inSessions('s.lease.json');
    const lock = new LeaseFileLock({ files, clock, who, path: file });
    await lock.tryTake('run');
    await lock.release();
    files.calls.length = 0;
    expect(fired.length).toBeGreaterThan(0);
    for (const fire of fired) fire();
    await lock.release();
    expect(files.calls).toEqual([]);
  });

  it('is free though a bug keeps its files', async () => {
    const { files, inSessions } = made;
    await mkdir(inSessions(), { recursive: true });
    const parts = { files, clock: realClock, locks: new LockTable(), who };
    const lease = new SessionLease(sessionPaths(inSessions(), 's'), parts);
    await lease.take('write');
    files.faults = [{ call: 'remove', bug, times: 1 }];
    await expect(lease.retire()).rejects.toBe(bug);
    expect(lease.isHeld).toBe(false);
  });
});

describe('an entry of a type and with a time that this build does not know', () => {
  it('is there, as old as the log', async () => {
    const { store } = made;
    const strange = JSON.stringify({ type: 'future', id: 'f', parent_id: null, timestamp: 5 });
    await putLog(made.place, 's', lines(headerLine('s'), strange, messageLine('a', null)));
    const log = await store.open('s');
    expect(damageOf(log)).toEqual([]);
    expect((await log.records([0]))[0]).toMatchObject({ text: strange, entry: { type: 'unknown', id: 'f' } });
  });
});

describe('places where nothing can be done', () => {
  it('a folder is not synced on Windows, which has no way to', async () => {
    await expect(
      createNodeFiles({ platform: 'win32' }).syncFolder(path.join(made.place.folder, 'none')),
    ).resolves.toBeUndefined();
  });

  it('a session that is not there is shown as missing', () => {
    const { access } = createUnreadableLog('s', new BoughError('SessionNotFound', 'It is gone.'));
    expect(access).toEqual({ mode: 'read-only', reason: 'missing', message: 'It is gone.' });
  });

  it('a file that is gone and cannot be closed is told of, and the lease is free', async () => {
    const { store, files, place } = made;
    const file = await putOne();
    const log = await store.open('s');
    const lease = await log.acquire();
    await log.append([user('b')]);
    await rm(file);
    await expect(log.append([user('c')])).rejects.toMatchObject({ code: 'SessionConflict' });
    lease.dispose();
    files.faults = [{ call: 'file.close', path: 's.jsonl', errno: 'EIO', times: 1 }];
    await expect(log.close()).rejects.toMatchObject({ code: 'StorageFailure', data: { errno: 'EIO' } });
    await putOne();
    expect(await pathTexts(await place.store().open('s'))).toEqual(['a']);
  });
});
