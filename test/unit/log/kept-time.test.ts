/** The list goes by when a session was worked in: what is noted beside that moves no file's time, and hides no other's. */
import { stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { osLockFor, type OsLock } from '../../../src/log/lease.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Files } from '../../../src/ports.js';
import { headerLine, lines, messageLine, putLog } from './lines.js';
import { makePlace, user, type Place } from './support.js';

let place: Place;
let store: FileStore;
beforeEach(async () => {
  place = await makePlace();
  store = place.store();
  await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
  await utimes(place.log('s'), 1_700_000_000, 1_700_000_000);
});
afterEach(() => place.dispose());

const isOld = async (): Promise<boolean> => (await stat(place.log('s'))).mtimeMs === 1_700_000_000_000;

/** Locks of the operating system that tell when one was held by somebody else. */
function tellingLocks(): { osLock: typeof osLockFor; refused: Promise<void> } {
  let tell: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => (tell = resolve));
  const osLock: typeof osLockFor = (paths, parts) => {
    const lock = osLockFor(paths, parts);
    const tryTake: OsLock['tryTake'] = async (purpose) => {
      const isTaken = await lock.tryTake(purpose);
      if (!isTaken) tell();
      return isTaken;
    };
    const { namesHolder } = lock;
    return { namesHolder, tryTake, isOurs: () => lock.isOurs(), release: () => lock.release() };
  };
  return { osLock, refused };
}

describe('the time of a log', () => {
  it('stays as it is when the session is renamed, tagged or put away, and is new when it is taken out again', async () => {
    await store.rename('s', 'Called');
    await store.setTags('s', ['t']);
    await store.archive('s');
    expect(await isOld()).toBe(true);
    await store.unarchive('s');
    expect(await isOld()).toBe(false);
  });

  it('is that of a message which is written together with a name', async () => {
    const open = await store.open('s');
    await Promise.all([store.rename('s', 'Called'), open.append([user('more')])]);
    expect(await isOld()).toBe(false);
  });

  it.each([
    ['while this one renames', { window: 'other', pid: process.pid, host: os.hostname() }],
    // That is how a lease is taken from a process that was dead for a while.
    ['which took the lease from this one', {}],
  ])('is that of a message of another window, %s', async (_, who) => {
    const { osLock, refused } = tellingLocks();
    const there = await place.store({ osLock, ...('pid' in who ? { who } : {}) }).open('s');
    let said: Promise<unknown> = Promise.resolve();
    const inner = createNodeFiles();
    const setTime: Files['setTime'] = async (file, time) => {
      said = there.append([user('from the other window')]);
      await Promise.race([said, refused]); // it is written by now, or waits until this is done
      return inner.setTime(file, time);
    };
    await place.store({ files: { ...inner, setTime } }).rename('s', 'Called');
    await said;
    expect(await isOld()).toBe(false);
  });
});
