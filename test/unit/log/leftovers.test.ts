import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { osLockFor } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { sessionPaths } from '../../../src/log/session-name.js';
import { stagedName } from '../../../src/log/staged-name.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { FaultyFiles } from './faulty-files.js';
import { headerLine, lines, messageLine, putLog } from './lines.js';
import { makePlace, realClock, user, type Place } from './support.js';

const DEAD_PID = 2 ** 22 + 1;
const since = '2026-01-01T00:00:00Z';
const holder = (pid: number, host = os.hostname(), more: object = {}): string =>
  JSON.stringify({ window: 'w', pid, host, since, ...more });
/** As a process that is dead would have named it. */
const deadName = (target: string): string => stagedName(target).replace(`.${process.pid}-`, `.${DEAD_PID}-`);

let place: Place;
let sessions: string;
beforeEach(async () => {
  place = await makePlace();
  sessions = path.join(place.folder, 'sessions');
  await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
});
afterEach(() => place.dispose());

async function all(): Promise<string[]> {
  const found = await readdir(place.folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(place.folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => name !== path.join('cache', 'index.json'))
    .sort();
}

async function put(name: string, content = 'x'): Promise<string> {
  const file = path.join(place.folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

/** Looks as a process that just started does. */
async function start(): Promise<void> {
  const store = place.store();
  expect((await store.list()).sessions.map(({ id, status }) => [id, status])).toEqual([['s', 'idle']]);
  await store.close();
}

describe('what a killed process left half done', () => {
  it('goes when the next one looks: files that never took their place, wherever they are', async () => {
    for (const folder of ['', 'cache', 'sessions', 'sessions/s']) await put(path.join(folder, deadName('f')));
    const ours = path.relative(place.folder, await put(path.join('sessions', stagedName('f'))));
    await put('sessions/s/draft.json', '{}');
    await put('sessions/other/draft.json', '{}');
    await put('sessions/s.jsonl.tmp');
    await start();
    expect(await all()).toEqual(
      [
        'sessions/other/draft.json',
        'sessions/s.jsonl',
        'sessions/s.jsonl.tmp',
        'sessions/s/draft.json',
        ours,
      ].sort(),
    );
  });

  it('of another machine goes after a day', async () => {
    const foreign = deadName('f').replace(/-[0-9a-f]{8}-/, '-00000000-');
    const young = await put(foreign);
    const old = await put(foreign.replace('f.', 'g.'));
    const before = new Date(Date.now() - 25 * 3_600_000);
    await utimes(old, before, before);
    await start();
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
  });

  it('is no lease any more, and no claim to one that is gone', async () => {
    await put('sessions/s.lease.json', holder(DEAD_PID, os.hostname(), { nonce: 'n' }));
    await put(`sessions/s.lease.json.${'0'.repeat(16)}.claim`, holder(DEAD_PID));
    await put(`sessions/s.lease.json.${'1'.repeat(16)}.claim`, holder(process.pid));
    await put('sessions/gone.lock', '');
    await put('sessions/elsewhere.lease.json', holder(1, 'elsewhere'));
    await start();
    const left = (await all()).filter((name) => name !== path.join('sessions', 's.lock'));
    expect(left).toEqual([
      'sessions/elsewhere.lease.json',
      'sessions/s.jsonl',
      `sessions/s.lease.json.${'1'.repeat(16)}.claim`,
    ]);
  });

  it('keeps a lock taken until its file is gone', async () => {
    await put('sessions/gone.lock', '');
    const paths = sessionPaths(sessions, 'gone');
    const parts = { clock: realClock, who: { window: 'other', pid: process.pid, host: os.hostname() } };
    let isTaken: boolean | undefined;
    class Watched extends FaultyFiles {
      override async remove(file: string): Promise<void> {
        if (file === paths.lock && isTaken === undefined) {
          isTaken = false;
          const files = createNodeFiles();
          const other = osLockFor(paths, { ...parts, files, locks: new LockTable() });
          isTaken = !(await other.tryTake('write'));
          await other.release();
        }
        return super.remove(file);
      }
    }
    const store = place.store({ files: new Watched(createNodeFiles()) });
    await store.list();
    expect([isTaken, existsSync(paths.lock)]).toEqual([true, false]);
    await store.close();
  });

  it('lets a lock go whose file cannot be removed while it is open', async () => {
    const lock = await put('sessions/gone.lock', '');
    const files = new FaultyFiles(createNodeFiles());
    files.faults = [{ call: 'remove', path: 'gone.lock', errno: 'EBUSY', times: 1 }];
    const store = place.store({ files });
    await store.list();
    expect([existsSync(lock), place.troubles]).toEqual([false, []]);
    await store.close();
  });

  it.each(['trash/.DS_Store', 'sessions/.DS_Store', 'sessions/stray', 'cache/.DS_Store'])(
    'is not %s, which keeps nothing from being swept',
    async (name) => {
      await put(name);
      const deleted = await put('trash/old.0123456789ab/owner.json', holder(DEAD_PID));
      await start();
      expect([place.troubles, existsSync(deleted)]).toEqual([[], false]);
    },
  );

  it('of a deletion that cannot be looked at is told, and the others are swept', async () => {
    await put('trash/a.0123456789ab/owner.json', holder(DEAD_PID));
    const other = await put('trash/b.0123456789ab/owner.json', holder(DEAD_PID));
    await put('sessions/gone.lock', '');
    const files = new FaultyFiles(createNodeFiles());
    files.faults = [{ call: 'read', path: path.join('a.0123456789ab', 'owner.json'), errno: 'EACCES' }];
    await place.store({ files }).list();
    expect(place.troubles).toMatchObject([{ code: 'StorageFailure', data: { errno: 'EACCES' } }]);
    expect([existsSync(other), existsSync(path.join(sessions, 'gone.lock'))]).toEqual([false, false]);
  });

  it('of a deletion is brought to its end: side files follow their log', async () => {
    await put(
      'trash/d.0123456789ab/owner.json',
      holder(DEAD_PID, os.hostname(), { since: new Date().toISOString() }),
    );
    await put('trash/d.0123456789ab/d.jsonl', headerLine('d'));
    await put('sessions/d.stream');
    await put('sessions/d/draft.json', '{}');
    await put('trash/nothing.0123456789ab/owner.json', holder(DEAD_PID));
    await put(path.join('trash', deadName('half.0123456789ab'), 'owner.json'), holder(DEAD_PID));
    await start();
    expect(await all()).toEqual([
      'sessions/s.jsonl',
      'trash/d.0123456789ab/d.jsonl',
      'trash/d.0123456789ab/d.stream',
      'trash/d.0123456789ab/d/draft.json',
      'trash/d.0123456789ab/owner.json',
    ]);
  });

  it('of a deletion is left alone where there is a new session of that id', async () => {
    await put(
      'trash/s.0123456789ab/owner.json',
      holder(DEAD_PID, os.hostname(), { since: new Date().toISOString() }),
    );
    await put('trash/s.0123456789ab/s.jsonl', headerLine('s'));
    await put('sessions/s/draft.json', '{}');
    await start();
    expect(existsSync(path.join(sessions, 's', 'draft.json'))).toBe(true);
  });

  it('does not keep the list from coming when it cannot be removed, and says so', async () => {
    await put(path.join('sessions', deadName('f')));
    const files = new FaultyFiles(createNodeFiles());
    files.faults = [{ call: 'remove', errno: 'EACCES' }];
    const store = place.store({ files });
    expect((await store.list()).sessions).toHaveLength(1);
    expect(place.troubles).toMatchObject([{ code: 'StorageFailure', data: { errno: 'EACCES' } }]);
  });

  it('does not wait for a session that is being written to', async () => {
    const writer = place.store();
    const log = await writer.open('s');
    await log.append([user('b')]);
    const lease = await log.acquire();
    await start();
    expect((await log.append([user('c')]))[0]?.type).toBe('message');
    lease.dispose();
  });
});
