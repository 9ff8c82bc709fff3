// A lease where the disk fails, names make no sense and links are not to be had: one holder all the same.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { beforeEach, describe, expect, it } from 'vitest';
import { HEARTBEAT_MS, LeaseFileLock } from '../../../src/log/lease-file.js';
import { SessionLease, type LeaseParts } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { FakeClock, realClock } from './support.js';

let files: FaultyFiles;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ files, inSessions } = made));

const DEAD_PID = 2 ** 22 + 1;

describe('a lease', () => {
  const who = (window: string, pid = process.pid): LeaseParts['who'] => ({
    window,
    pid,
    host: os.hostname(),
  });
  const paths = (): { lock: string; lease: string } => ({
    lock: inSessions('s.lock'),
    lease: inSessions('s.lease.json'),
  });
  beforeEach(() => mkdir(inSessions(), { recursive: true }));

  it('that somebody here holds keeps its files', async () => {
    const locks = new LockTable();
    const parts = { files, clock: realClock, locks, who: who('one') };
    const held = new SessionLease(paths(), parts);
    await held.take('run');
    const before = await readdir(inSessions());
    await new SessionLease(paths(), parts).removeFiles();
    expect(await readdir(inSessions())).toEqual(before);
    await held.release();
    await held.removeFiles();
    expect(await readdir(inSessions())).toEqual([]);
  });

  it('whose files cannot be removed is left where others use them, and told where the disk fails', async () => {
    const lease = new SessionLease(paths(), {
      files,
      clock: realClock,
      locks: new LockTable(),
      who: who('one'),
    });
    files.faults = [{ call: 'remove', path: 's.lock', errno: 'EBUSY', times: 1 }];
    await lease.removeFiles();
    files.faults = [{ call: 'remove', path: 's.lock', errno: 'EIO', times: 1 }];
    await expect(lease.removeFiles()).rejects.toMatchObject({ code: 'EIO' });
  });

  it('B1: is waited for while it names a process that is dead', async () => {
    await writeFile(
      paths().lease,
      JSON.stringify({ ...who('gone', DEAD_PID), since: '2026-01-01T00:00:00Z' }),
    );
    let refusals = 3;
    const osLock = () => ({
      namesHolder: false,
      tryTake: () => Promise.resolve(--refusals < 0),
      isOurs: () => Promise.resolve(true),
      release: () => Promise.resolve(),
    });
    const parts = { files, clock: realClock, locks: new LockTable(), who: who('one'), osLock };
    const lease = new SessionLease(paths(), parts);
    await lease.take('run');
    expect([lease.isHeld, refusals]).toEqual([true, -1]);
    await lease.release();
  });

  it('says since when it is held in the words it finds, where they are no time', async () => {
    await writeFile(paths().lease, JSON.stringify({ ...who('other'), since: 'this morning' }));
    const osLock = () => ({
      namesHolder: false,
      tryTake: () => Promise.resolve(false),
      isOurs: () => Promise.resolve(false),
      release: () => Promise.resolve(),
    });
    const parts = { files, clock: realClock, locks: new LockTable(), who: who('one'), osLock };
    await expect(new SessionLease(paths(), parts).take('run')).rejects.toMatchObject({
      code: 'Locked',
      message: expect.stringContaining('since this morning') as string,
    });
  });

  it.each(['EPERM', 'ENOTSUP'])(
    'B1: by its file has one holder also where there are no links (%s), and a dead one is taken by one',
    async (errno) => {
      const faulty = (): FaultyFiles => {
        const one = new FaultyFiles(createNodeFiles());
        one.faults = [{ call: 'link', errno }];
        return one;
      };
      const lockOf = (window: string): LeaseFileLock =>
        new LeaseFileLock({ files: faulty(), clock: realClock, who: who(window), path: paths().lease });
      const left = { ...who('gone', DEAD_PID), since: '2026-01-01T00:00:00Z', nonce: 'old', beat: 'b' };
      for (const before of [undefined, JSON.stringify(left)]) {
        if (before !== undefined) await writeFile(paths().lease, before);
        const locks = Array.from({ length: 6 }, (_, index) => lockOf(`w${index}`));
        const taken = await Promise.all(locks.map((lock) => lock.tryTake('run')));
        expect(taken.filter((isTaken) => isTaken).length).toBeLessThanOrEqual(1);
        const last = taken.includes(true) ? undefined : lockOf('last');
        if (last) expect(await last.tryTake('run')).toBe(true);
        expect(await lockOf('other').tryTake('run')).toBe(false);
        for (const [index, lock] of locks.entries()) if (taken[index]) await lock.release();
        await last?.release();
        expect(await readdir(inSessions())).toEqual([]);
      }
    },
  );

  it('that cannot be written where there are no links leaves no name behind', async () => {
    files.faults = [
      { call: 'link', errno: 'EPERM' },
      { call: 'file.write', path: 's.lease.json', errno: 'ENOSPC', bytes: 5 },
    ];
    const lock = new LeaseFileLock({ files, clock: realClock, who: who('one'), path: paths().lease });
    await expect(lock.tryTake('run')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readdir(inSessions())).toEqual([]);
  });

  describe('that a dead process left, with its claim,', () => {
    const since = '2026-01-01T00:00:00Z';
    const claimTo = (file: string, nonce: string): string =>
      `${file}.${createHash('sha256').update(`${nonce} ${since}`).digest('hex').slice(0, 16)}.claim`;
    const left = (nonce: string): string =>
      JSON.stringify({ ...who('gone', DEAD_PID), since, nonce, beat: since });
    const lock = (): LeaseFileLock =>
      new LeaseFileLock({ files, clock: realClock, who: who('one'), path: paths().lease });
    beforeEach(async () => {
      await writeFile(paths().lease, left('lease'));
      await writeFile(claimTo(paths().lease, 'lease'), left('claim'));
    });

    it('B1: is left to whoever is taking that claim away', async () => {
      const other = { ...who('other'), since: new Date().toISOString(), nonce: 'n' };
      await writeFile(claimTo(paths().lease, 'claim'), JSON.stringify(other));
      expect(await lock().tryTake('run')).toBe(false);
      expect(await readFile(paths().lease, 'utf8')).toBe(left('lease'));
    });

    it('B1: is left to whoever was quicker to claim it then', async () => {
      files.faults = [{ call: 'link', path: '.claim', errno: 'EEXIST', after: 2, times: 1 }];
      expect(await lock().tryTake('run')).toBe(false);
      files.heal();
      const taker = lock();
      expect(await taker.tryTake('run')).toBe(true);
      await taker.release();
    });
  });

  it('that another has taken is beaten no more', async () => {
    const clock = new FakeClock();
    const lock = new LeaseFileLock({ files, clock, who: who('one'), path: paths().lease });
    await lock.tryTake('run');
    const theirs = JSON.stringify({ ...who('two'), since: '2026-01-01T00:00:00Z', nonce: 'n', beat: 'b' });
    await writeFile(paths().lease, theirs);
    clock.advance(HEARTBEAT_MS);
    await expect.poll(() => files.calls.filter((call) => call === `read ${paths().lease}`).length).toBe(2);
    await lock.release();
    expect([await readFile(paths().lease, 'utf8'), clock.pending]).toEqual([theirs, 0]);
  });
});
