import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEASE_LIFE_MS } from '../../../src/log/claim.js';
import { LeaseFileLock, HEARTBEAT_MS } from '../../../src/log/lease-file.js';
import { SessionLease, type LeaseParts } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { OsLock } from '../../../src/log/os-lock.js';
import { loadSqlite, SqliteLock } from '../../../src/log/sqlite-lock.js';
import type { Clock, Files } from '../../../src/ports.js';
import { FaultyFiles } from './faulty-files.js';
import { FakeClock, makePlace, realClock, user, type Place } from './support.js';

const sqlite = loadSqlite();
const DEAD_PID = 2 ** 22 + 1;
const who = (window: string, pid = process.pid, host = os.hostname()): LeaseParts['who'] => ({
  window,
  pid,
  host,
});

let place: Place;
let files: Files;
let paths: { lock: string; lease: string };
beforeEach(async () => {
  place = await makePlace();
  files = createNodeFiles();
  paths = { lock: path.join(place.folder, 's.lock'), lease: path.join(place.folder, 's.lease.json') };
});
afterEach(() => place.dispose());

type Kind = 'sqlite' | 'lease file';
const kinds: Kind[] = sqlite === undefined ? ['lease file'] : ['sqlite', 'lease file'];

/** A lease as of a process of its own. */
function leaseOf(kind: Kind, window: string, more: Partial<LeaseParts> = {}): SessionLease {
  const parts: LeaseParts = { files, clock: realClock, locks: new LockTable(), who: who(window), ...more };
  const osLock = (): OsLock =>
    kind === 'sqlite' && sqlite !== undefined
      ? new SqliteLock(sqlite, parts.files, paths.lock)
      : new LeaseFileLock({ files: parts.files, clock: parts.clock, who: parts.who, path: paths.lease });
  return new SessionLease(paths, { ...parts, osLock });
}

describe.each(kinds)('the lease, by %s', (kind) => {
  it('B1: has one holder, whom it names to everybody else', async () => {
    const one = leaseOf(kind, 'one');
    const two = leaseOf(kind, 'two');
    await one.take('run');
    await expect(two.take('run')).rejects.toMatchObject({
      code: 'Locked',
      message: expect.stringContaining('in use in window one'),
      data: { holder: expect.stringContaining('one'), pid: process.pid, since: expect.stringMatching(/^20/) },
    });
    expect(await two.holder()).toMatchObject({ window: 'one', pid: process.pid, host: os.hostname() });
    expect(await one.holder()).toBe(null);
    await one.release();
    expect(await two.holder()).toBe(null);
    await two.take('run');
    expect([one.isHeld, two.isHeld, await one.isOurs(), await two.isOurs()]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    await two.release();
  });

  it('waits for somebody else’s write, not for a run', async () => {
    const one = leaseOf(kind, 'one');
    const two = leaseOf(kind, 'two');
    await one.take('write');
    const waiting = two.take('run');
    await one.release();
    await waiting;
    expect(two.isHeld).toBe(true);
    await two.release();
  });

  it('gives up on a write that goes on and on, and on the caller’s signal', async () => {
    const one = leaseOf(kind, 'one');
    await one.take('write');
    const clock = new FakeClock();
    const hurried: Clock = {
      now: () => realClock.now(),
      elapsed: () => clock.elapsed(),
      after: (ms, fire) => {
        clock.advance(ms);
        queueMicrotask(fire);
        return { dispose: () => undefined };
      },
    };
    await expect(leaseOf(kind, 'two', { clock: hurried }).take('write')).rejects.toMatchObject({
      code: 'Locked',
    });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(leaseOf(kind, 'three').take('run', stopped)).rejects.toThrow('stopped');
    await one.release();
  });

  it('excludes stores of one process from each other', async () => {
    const locks = new LockTable();
    const one = leaseOf(kind, 'one', { locks });
    const two = leaseOf(kind, 'two', { locks });
    await one.take('run');
    await expect(two.take('write')).rejects.toMatchObject({ code: 'Locked' });
    expect(await two.holder()).toMatchObject({ window: 'one' });
    await one.release();
    await two.take('write');
    await two.release();
  });

  it('B18: leaves no file that others can read', async () => {
    const lease = leaseOf(kind, 'one');
    await lease.take('run');
    for (const name of await readdir(place.folder)) {
      if (process.platform !== 'win32')
        expect([name, (await stat(path.join(place.folder, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    await lease.release();
    await lease.removeFiles();
    expect(await readdir(place.folder)).toEqual([]);
  });

  it('B1: keeps its files when the session is deleted while somebody else holds it', async () => {
    const one = leaseOf(kind, 'one');
    const two = leaseOf(kind, 'two');
    await two.take('run');
    const before = await readdir(place.folder);
    await one.removeFiles();
    expect(await readdir(place.folder)).toEqual(before);
    expect([await two.isOurs(), (await one.holder())?.window]).toEqual([true, 'two']);
    await expect(leaseOf(kind, 'three').take('write')).rejects.toMatchObject({ code: 'Locked' });
    await two.release();
    await one.removeFiles();
    expect(await readdir(place.folder)).toEqual([]);
  });

  it('B1: is not kept by the name that a dead process left, nor by one that makes no sense', async () => {
    await writeFile(paths.lease, JSON.stringify({ ...who('gone', DEAD_PID), since: '2026-01-01T00:00:00Z' }));
    const lease = leaseOf(kind, 'one');
    expect(await lease.holder()).toBe(null);
    await lease.take('write');
    await lease.release();
  });

  it('tells a failure of the file system from somebody else holding it', async () => {
    const faulty = new FaultyFiles(files);
    const lease = leaseOf(kind, 'one', { files: faulty });
    faulty.faults = [
      { call: 'open', path: '.lock', errno: 'EACCES' },
      { call: 'link', errno: 'EACCES' },
    ];
    await expect(lease.take('write')).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'EACCES' },
    });
    expect(lease.isHeld).toBe(false);
    faulty.heal();
    await lease.take('write');
    await lease.release();
  });

  it('ticks only while it is held', async () => {
    const clock = new FakeClock();
    const lease = leaseOf(kind, 'one', { clock });
    expect(clock.pending).toBe(0);
    await lease.take('run');
    expect(clock.pending).toBe(kind === 'sqlite' ? 0 : 1);
    await lease.release();
    expect(clock.pending).toBe(0);
  });
});

describe('the lease file as the lock', () => {
  const lockOf = (clock: Clock, window: string, pid = process.pid, host = os.hostname()): LeaseFileLock =>
    new LeaseFileLock({ files, clock, who: who(window, pid, host), path: paths.lease });
  const record = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(paths.lease, 'utf8')) as Record<string, unknown>;

  it('beats every 20 s, and lives as long as it beats', async () => {
    const clock = new FakeClock();
    const lock = lockOf(clock, 'one', 1, 'elsewhere');
    expect(await lock.tryTake('run')).toBe(true);
    const first = await record();
    clock.advance(HEARTBEAT_MS);
    await expect.poll(record).not.toEqual(first);
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(HEARTBEAT_MS * 2);
    await expect.poll(async () => (await record())['beat']).toBe(new Date(clock.now()).toISOString());
    expect(await lockOf(clock, 'two').tryTake('run')).toBe(false);
    await lock.release();
    await expect(readFile(paths.lease)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('B1: of another host is taken when it has not beaten for a minute', async () => {
    const clock = new FakeClock();
    expect(await lockOf(clock, 'one', 1, 'elsewhere').tryTake('run')).toBe(true);
    const still = new FakeClock();
    still.wall = clock.wall + LEASE_LIFE_MS;
    expect(await lockOf(still, 'two').tryTake('run')).toBe(false);
    still.wall += 1;
    expect(await lockOf(still, 'two').tryTake('run')).toBe(true);
  });

  it('B1: of a dead process of this host is taken at once', async () => {
    expect(await lockOf(new FakeClock(), 'one', DEAD_PID).tryTake('run')).toBe(true);
    expect(await lockOf(new FakeClock(), 'two').tryTake('run')).toBe(true);
  });

  it('B1: whose clock is ahead is given a whole life by our own clock', async () => {
    const ahead = new FakeClock();
    ahead.wall += 86_400_000;
    expect(await lockOf(ahead, 'one', 1, 'elsewhere').tryTake('run')).toBe(true);
    const clock = new FakeClock();
    const two = lockOf(clock, 'two');
    expect(await two.tryTake('run')).toBe(false);
    clock.advance(LEASE_LIFE_MS);
    expect(await two.tryTake('run')).toBe(false);
    clock.advance(1);
    expect(await two.tryTake('run')).toBe(true);
  });

  it('is lost by whoever slept through a life, and noticed before the next write', async () => {
    const clock = new FakeClock();
    const sleeper = lockOf(clock, 'one', 1, 'elsewhere');
    await sleeper.tryTake('run');
    const later = new FakeClock();
    later.wall = clock.wall + LEASE_LIFE_MS + 1;
    expect(await lockOf(later, 'two').tryTake('run')).toBe(true);
    expect(await sleeper.isOurs()).toBe(false);
    await sleeper.release();
    expect(await record()).toMatchObject({ window: 'two' });
    clock.advance(HEARTBEAT_MS);
    expect(await record()).toMatchObject({ window: 'two' });
  });

  /** A lease that a process of this host left when it died. */
  const leave = async (file: string, nonce: string): Promise<void> => {
    const since = '2026-01-01T00:00:00Z';
    await mkdir(place.folder, { recursive: true });
    await writeFile(file, JSON.stringify({ ...who('gone', DEAD_PID), since, beat: since, nonce }));
  };
  const left = async (): Promise<string[]> =>
    (await readdir(place.folder)).filter((name) => name.startsWith('s.')).sort();

  it('B1: a dead one is taken by exactly one, however slow another is that saw it dead too', async () => {
    await leave(paths.lease, 'old');
    const clock = new FakeClock();
    const quick = lockOf(clock, 'quick');
    let isTaken = false;
    // Between the judgement and the claim somebody quicker takes the dead lease and makes one of their own.
    const slowFiles: Files = {
      ...files,
      link: async (from, to) => {
        if (!isTaken) {
          isTaken = true;
          expect(await quick.tryTake('run')).toBe(true);
        }
        await files.link(from, to);
      },
    };
    const slow = new LeaseFileLock({ files: slowFiles, clock, who: who('slow'), path: paths.lease });
    expect(await slow.tryTake('run')).toBe(false);
    expect([await quick.isOurs(), await slow.isOurs()]).toEqual([true, false]);
    expect(await left()).toEqual(['s.lease.json']);
    await quick.release();
    expect(await left()).toEqual([]);
  });

  it('B1: a claim that a dead process left is taken out of the way', async () => {
    await leave(paths.lease, 'old');
    const clock = new FakeClock();
    const dying: Files = {
      ...files,
      remove: async (file) => {
        if (file === paths.lease || file.endsWith('.claim')) throw new Error('killed');
        await files.remove(file);
      },
    };
    const dead = new LeaseFileLock({ files: dying, clock, who: who('dead', DEAD_PID), path: paths.lease });
    await expect(dead.tryTake('run')).rejects.toThrow('killed');
    expect(await left()).toEqual(['s.lease.json', expect.stringMatching(/\.claim$/)]);
    const next = lockOf(clock, 'next');
    expect(await next.tryTake('run')).toBe(true);
    expect(await left()).toEqual(['s.lease.json']);
    await next.release();
  });

  it('B1: a claim that makes no sense keeps nobody out', async () => {
    await mkdir(place.folder, { recursive: true });
    await writeFile(paths.lease, 'no lease');
    const one = lockOf(new FakeClock(), 'one');
    const claims = async (): Promise<string[]> => (await left()).filter((name) => name.endsWith('.claim'));
    const stuck: Files = {
      ...files,
      remove: (file) => (file.endsWith('.tmp') ? files.remove(file) : Promise.reject(new Error('killed'))),
    };
    const dead = new LeaseFileLock({
      files: stuck,
      clock: new FakeClock(),
      who: who('dead', DEAD_PID),
      path: paths.lease,
    });
    await expect(dead.tryTake('run')).rejects.toThrow('killed');
    await writeFile(path.join(place.folder, (await claims())[0] ?? ''), 'no claim');
    expect(await one.tryTake('run')).toBe(true);
    expect(await claims()).toEqual([]);
    await one.release();
  });

  it('is let go by its owner only', async () => {
    const lock = lockOf(new FakeClock(), 'one');
    await lock.tryTake('run');
    // The same window, as after a release that failed, takes the lease it finds.
    const other = lockOf(new FakeClock(), 'one');
    expect(await other.tryTake('run')).toBe(true);
    await lock.release();
    expect(await other.isOurs()).toBe(true);
    await other.release();
    expect(await left()).toEqual([]);
  });

  it('that could not be removed when it was released does not keep its own process out', async () => {
    const faulty = new FaultyFiles(files);
    const clock = new FakeClock();
    const lock = new LeaseFileLock({ files: faulty, clock, who: who('one'), path: paths.lease });
    await lock.tryTake('run');
    faulty.faults = [{ call: 'remove', path: 'lease.json', errno: 'EIO', times: 1 }];
    await expect(lock.release()).rejects.toMatchObject({ code: 'EIO' });
    expect([clock.pending, await lockOf(clock, 'two').tryTake('run')]).toEqual([0, false]);
    expect(await lock.tryTake('run')).toBe(true);
    await lock.release();
  });

  it('keeps beating after a beat that could not be written', async () => {
    const clock = new FakeClock();
    const faulty = new FaultyFiles(files);
    const lock = new LeaseFileLock({ files: faulty, clock, who: who('one'), path: paths.lease });
    await lock.tryTake('run');
    faulty.faults = [{ call: 'replace', errno: 'ENOSPC', times: 1 }];
    clock.advance(HEARTBEAT_MS);
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(HEARTBEAT_MS);
    await expect.poll(async () => (await record())['beat']).toBe(new Date(clock.now()).toISOString());
    await lock.release();
  });
});

describe.skipIf(sqlite === undefined)(
  'the lock of the operating system (needs node:sqlite, Node 22 or newer)',
  () => {
    it('only log/sqlite-lock opens the lock file: any other open and close of it in this process would free the lock', async () => {
      const spied = new FaultyFiles(files);
      const store = place.store({ files: spied });
      const log = await store.create({ id: 's' });
      const lease = await log.acquire();
      await log.append([user('a')]);
      await log.blobs.put('b');
      await store.list();
      await store.rename('s', 'Name');
      await log.catchUp();
      await log.holder();
      lease.dispose();
      await store.archive('s');
      await (await store.delete('s')).undo();
      const touched = spied.calls.filter((call) => call.endsWith('.lock'));
      // Creating fails for a file that is there: only one that nobody can have locked yet is ever opened and closed.
      expect(new Set(touched.map((call) => call.split(' ')[0]))).toEqual(
        new Set(['open:create', 'file.close', 'stat', 'remove']),
      );
      expect(touched.filter((call) => call.startsWith('file.close'))).toHaveLength(1);
    });

    it('B1: is not that of a file that its holder removed meanwhile, so that there are never two', async () => {
      if (sqlite === undefined) return;
      await writeFile(paths.lock, '');
      const first = new sqlite.DatabaseSync(paths.lock);
      first.exec('BEGIN EXCLUSIVE');
      const third = new sqlite.DatabaseSync(paths.lock, { open: false });
      /** Between opening the file and locking it, its holder removes it, and somebody makes a new one and locks that. */
      class Slow extends sqlite.DatabaseSync {
        override exec(sql: string): void {
          rmSync(paths.lock);
          first.close();
          writeFileSync(paths.lock, '');
          third.open();
          third.exec('BEGIN EXCLUSIVE');
          super.exec(sql);
        }
      }
      const slow = new SqliteLock({ ...sqlite, DatabaseSync: Slow }, files, paths.lock);
      expect(await slow.tryTake()).toBe(false);
      expect(await slow.isOurs()).toBe(false);
      third.close();
      const next = leaseOf('sqlite', 'next');
      await next.take('write');
      await next.release();
    });

    it('is nobody’s after a look at its file that failed', async () => {
      const faulty = new FaultyFiles(files);
      const lease = leaseOf('sqlite', 'one', { files: faulty });
      faulty.faults = [{ call: 'stat', path: '.lock', errno: 'EIO', after: 1, times: 1 }];
      await expect(lease.take('write')).rejects.toMatchObject({ data: { errno: 'EIO' } });
      await lease.take('write');
      await lease.release();
    });

    it('says what is wrong with a lock file that is none', async () => {
      await writeFile(paths.lock, 'not a database, for sure '.repeat(100));
      await expect(leaseOf('sqlite', 'one').take('write')).rejects.toMatchObject({
        code: 'StorageFailure',
        message: expect.stringContaining('file is not a database'),
      });
    });
  },
);
