// What seldom happens to a store that is otherwise well: a disk that does not answer, two at once, files of the dead.
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { SessionLease } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createMemoryStore } from '../../../src/log/memory-store.js';
import { namedBlobs } from '../../../src/log/named-blobs.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { sessionPaths } from '../../../src/log/session-name.js';
import { errnoOf, storageFailure } from '../../../src/log/storage.js';
import { createUnreadableLog } from '../../../src/log/unreadable-log.js';
import type { Files } from '../../../src/ports.js';
import { BoughError } from '../../../src/shared/failure.js';
import type { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine, lines, messageLine, pathTexts, putLog, textOf } from './lines.js';
import { FakeClock, randomIds, realClock, user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ place, files, store, inSessions } = made));

const DEAD_PID = 2 ** 22 + 1;
const since = '2026-01-01T00:00:00Z';
const DAY = 86_400_000;

/** A disk on which syncing a log does not return until it is let go. */
function stuck(): { files: Files; isStuck: Promise<void>; letGo: () => void } {
  const inner = createNodeFiles();
  let letGo = (): void => undefined;
  let arrive = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const isStuck = new Promise<void>((resolve) => (arrive = resolve));
  const open: Files['open'] = async (file, mode) => {
    const opened = await inner.open(file, mode);
    if (mode === 'read' || !file.endsWith('.jsonl')) return opened;
    const datasync = async (): Promise<void> => {
      arrive();
      await gate;
      await opened.datasync();
    };
    return { ...opened, datasync };
  };
  return { files: { ...inner, open }, isStuck, letGo };
}

describe('the last write of a turn that was cancelled', () => {
  it('is waited for 5 s and no longer, arrives later all the same, and is told then', async () => {
    const clock = new FakeClock();
    const disk = stuck();
    const log = await place.store({ files: disk.files, clock }).create({ id: 's' });
    const heard: string[] = [];
    log.onAppend((placed) => heard.push(...placed.map(({ entry }) => textOf(entry))));
    const written = log.append([user('last')], { isLast: true });
    const refusal = expect(written).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'ETIMEDOUT', op: 'write', path: place.log('s') },
    });
    await disk.isStuck;
    clock.advance(5_000);
    await refusal;
    expect(heard).toEqual([]);
    disk.letGo();
    await log.append([user('and on')], { isLast: true });
    expect(heard).toEqual(['last', 'and on']);
    await log.close();
    expect(await pathTexts(await place.store().open('s'))).toEqual(heard);
  });
});

describe('two who ask for one session in one moment', () => {
  it('have one handle, whether it is there or not', async () => {
    for (let round = 0; round < 2; round++) {
      const asked = [store.openOrCreate('s'), store.openOrCreate('s')];
      const [one, two, ...more] = await Promise.all([...asked, store.open('s'), store.openOrCreate('s')]);
      expect([two, ...more].every((log) => log === one)).toBe(true);
      await Promise.all([one?.append([user('a')]), two?.append([user('b')])]);
      expect(one?.position).toBe(2 * (round + 1));
      await store.close();
    }
  });

  it('create it once: the other is told that it is there', async () => {
    const made = await Promise.allSettled([store.create({ id: 's' }), store.create({ id: 's' })]);
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(made[1]).toMatchObject({ reason: { code: 'SessionExists' } });
  });

  it('are told of a head that is another, in words where there is none', async () => {
    const log = await store.create({ id: 's' });
    await expect(log.append([user('a')], { expectedHead: 'gone' })).rejects.toMatchObject({
      code: 'SessionConflict',
      data: { expected: 'gone', head: 'the beginning' },
    });
    expect(await log.records([])).toEqual([]);
  });
});

describe('a lease', () => {
  it('that names somebody who lives and does not hold it has no holder', async () => {
    await mkdir(inSessions(), { recursive: true });
    const paths = { lock: inSessions('s.lock'), lease: inSessions('s.lease.json') };
    await writeFile(
      paths.lease,
      JSON.stringify({ window: 'w', pid: process.ppid, host: os.hostname(), since }),
    );
    let isFree = false;
    const osLock = () => ({
      namesHolder: false,
      tryTake: () => Promise.resolve(isFree),
      isOurs: () => Promise.resolve(true),
      release: () => Promise.resolve(),
    });
    const who = { window: 'one', pid: process.pid, host: os.hostname() };
    const lease = new SessionLease(paths, { files, clock: realClock, locks: new LockTable(), who, osLock });
    expect(await lease.holder()).toMatchObject({ window: 'w' });
    isFree = true;
    expect(await lease.holder()).toBeNull();
    expect(lease.isHeld).toBe(false);
  });

  it('is named to others only while it is held', () => {
    const locks = new LockTable();
    const holder = { window: 'w', pid: 1, host: 'h', since };
    locks.name('key', holder);
    expect(locks.holder('key')).toBeUndefined();
    expect(locks.tryTake('key', null)).toBe(true);
    locks.name('key', holder);
    expect([locks.holder('key'), locks.tryTake('key', null)]).toEqual([holder, false]);
  });

  it('that is claimed by a dead process keeps that claim: its next taker removes both', async () => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    const elsewhere = { window: 'w', pid: 1, host: 'elsewhere', since, nonce: 'n' };
    await writeFile(inSessions('s.lease.json'), JSON.stringify(elsewhere));
    const name = createHash('sha256').update(`n ${since}`).digest('hex').slice(0, 16);
    const dead = { window: 'w', pid: DEAD_PID, host: os.hostname(), since, nonce: 'c' };
    const claims = [name, '0'.repeat(16)].map((one) => `s.lease.json.${one}.claim`);
    for (const claim of claims) await writeFile(inSessions(claim), JSON.stringify(dead));
    await store.list();
    const left = await readdir(inSessions());
    expect(claims.map((claim) => left.includes(claim))).toEqual([true, false]);
  });
});

describe('copies', () => {
  it('that fail and cannot be cleared away tell why they failed; what is left goes with the next start', async () => {
    const troubled = place.store({ files });
    const log = await troubled.create({ id: 's' });
    await log.append([user('a')]);
    files.faults = [
      { call: 'file.datasync', path: 's2.jsonl', errno: 'ENOSPC' },
      { call: 'removeTree', errno: 'EIO' },
    ];
    await expect(troubled.fork('s', { id: 's2' })).rejects.toMatchObject({ data: { errno: 'ENOSPC' } });
    expect(place.troubles.map(({ data }) => data['errno'])).toContain('EIO');
    files.heal();
    await troubled.close();
    expect((await place.store().list()).sessions.map(({ id }) => id)).toEqual(['s']);
  });

  it('of more than is written at once are whole', async () => {
    const log = await store.create({ id: 's' });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await log.append([user(name.repeat(900_000))]);
    const copy = await store.fork('s', { id: 'copy' });
    expect(await pathTexts(copy)).toEqual(await pathTexts(log));
    await store.close();
    const again = await place.store().open('copy');
    expect([again.position, again.damage]).toEqual([6, []]);
  });
});

describe('looking after sessions', () => {
  it('deletes by age only what is its owner’s, and on trial nothing', async () => {
    for (const owner of ['a.a', 'b.b']) {
      const log = await store.create({ id: owner.replace('.', '-'), owner });
      await log.append([user('x')]);
      await log.blobs.put(`named by nothing in ${owner}`);
    }
    await store.close();
    const later = place.store({ clock: { ...realClock, now: () => Date.now() + 2 * DAY } });
    const policy = { sessionIdle: 0, detachedResultAge: DAY };
    const results = async (dryRun: boolean): Promise<string[]> =>
      (await later.prune(policy, { owner: 'a.a', dryRun })).results.map(({ session }) => session);
    expect([await results(true), await results(true)]).toEqual([['a-a'], ['a-a']]);
    expect([await results(false), await results(false)]).toEqual([['a-a'], []]);
    expect(await readdir(inSessions('b-b'))).toHaveLength(1);
  });

  it('names no folder and no file of what is in none', async () => {
    const memory = createMemoryStore({ clock: realClock, ids: randomIds, producer: 'bough/test' });
    await (await memory.create({ id: 's' })).append([user('a')]);
    const report = await memory.verify({ repair: true });
    expect([report.folder, report.logs.map(({ id, file }) => [id, file])]).toEqual([
      undefined,
      [['s', undefined]],
    ]);
    await memory.close();
  });

  it('mends nothing where there is nothing', async () => {
    expect(await store.verify({ repair: true })).toMatchObject({ logs: [], repaired: [] });
  });

  it('looks for no blob in an entry that names none', () => {
    const entry = { id: 'a', parent_id: null, timestamp: since };
    expect(namedBlobs({ ...entry, type: 'head', entry_id: null })).toEqual([]);
    expect(namedBlobs({ ...entry, type: 'queue_update', items: [] })).toEqual([]);
    expect(namedBlobs({ ...entry, type: 'unknown', unknown_type: 'future' })).toEqual([]);
    const skill = { ...entry, type: 'skill_load' as const, name: 'n', description: 'd', body: 'b' };
    expect(namedBlobs(skill)).toEqual([]);
  });
});

describe('what is told of a failure', () => {
  it('names the file where there is one, and only what the system says as its code', () => {
    const { lock } = sessionPaths(inSessions(), 's');
    expect(createUnreadableLog('s', new BoughError('StorageFailure', 'why', { path: lock })).file).toBe(lock);
    expect(createUnreadableLog('s', new BoughError('StorageFailure', 'why')).file).toBeUndefined();
    expect(errnoOf(Object.assign(new Error('x'), { code: 5 }))).toBeUndefined();
    const failure = storageFailure(Object.assign(new Error('x'), { code: 'EIO' }), 'read', 'log.jsonl');
    expect(failure.data).toMatchObject({ errno: 'EIO', volume: '.' });
  });
});

describe('a journal of what a command prints', () => {
  it('is no attempt’s, and an attempt’s is no command’s', async () => {
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    const { journal } = log;
    expect(await journal.output()).toBeNull();
    const head = { attempt_id: 'a', step: 1, parent_id: null, turn_id: 't' };
    await journal.begin(head);
    journal.add({ text: 'said' });
    await journal.flush();
    expect([await journal.output(), (await journal.read())?.text]).toEqual([null, 'said']);
    for (const printed of [undefined, 'before ']) {
      await journal.begin({ ...head, call_id: 'c', ...(printed === undefined ? {} : { printed }) });
      journal.add({ text: 'printed' });
      await journal.flush();
      const found = { call_id: 'c', turn_id: 't', text: `${printed ?? ''}printed` };
      expect([await journal.output(), await journal.read()]).toEqual([found, null]);
    }
    journal.add({ text: '' });
    await journal.end();
    expect(await journal.output()).toBeNull();
  });
});
