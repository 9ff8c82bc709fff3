import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { SessionLog } from '../../../src/log/store.js';
import { isBoughError, type BoughError } from '../../../src/shared/failure.js';
import { quickly } from '../runs.js';
import { FaultyFiles } from './faulty-files.js';
import { indexFrom, IndexSpoiler, indexStates, type IndexState } from './index-states.js';
import { makePlace, user, type Place } from './support.js';

const errnos = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EFBIG', 'EPERM', 'EBUSY'];
/** More calls than any of the jobs makes; a job that was not hit any more is done. */
const MAX_CALLS = 200;
const calls = quickly(
  Array.from({ length: MAX_CALLS }, (_, index) => index + 1),
  6,
);

let place: Place;
let files: FaultyFiles;
beforeEach(async () => {
  place = await makePlace();
  files = new FaultyFiles(createNodeFiles());
});
afterEach(async () => {
  files.heal();
  await place.dispose();
});

interface Scene {
  store: FileStore;
  log: SessionLog;
}

/** Each begins with a session `s` that was closed and opened again. */
const jobs: [string, (scene: Scene) => Promise<unknown>][] = [
  ['an append', ({ log }) => log.append([user('b')])],
  ['a batch', ({ log }) => log.append([user('b'), user('c')])],
  ['a burst', ({ log }) => Promise.all([log.append([user('b')]), log.append([user('c')])])],
  ['a first append', async ({ store }) => (await store.create({ id: 'new' })).append([user('b')])],
  ['a text that is kept beside the log', ({ log }) => log.append([user('x'.repeat(1_200_000))])],
  [
    'a run',
    async ({ log }) => {
      const lease = await log.acquire();
      try {
        await log.append([user('b')]);
      } finally {
        lease.dispose();
      }
    },
  ],
  [
    'opening',
    async ({ log, store }) => {
      await log.close();
      await store.open('s');
    },
  ],
  ['the list', ({ store }) => store.list()],
  ['renaming', ({ store }) => store.rename('s', 'named')],
  ['archiving', ({ store }) => store.archive('s')],
  ['a fork', ({ store }) => store.fork('s', { id: 'copy' })],
  ['deleting', async ({ store }) => (await store.delete('s')).purge()],
  ['deleting and bringing back', async ({ store }) => (await store.delete('s')).undo()],
  [
    'the stream journal',
    async ({ log }) => {
      await log.journal.begin({ attempt_id: 'a', step: 1, parent_id: log.head, turn_id: 't' });
      log.journal.add({ text: 'so far' });
      await log.journal.flush();
      await log.journal.end();
    },
  ],
];

/** A folder with a session that was written on twice, and what was to become of its index became of it. */
async function prepared(index: IndexState): Promise<Place> {
  const made = await makePlace();
  const spoiler = new IndexSpoiler(index, createNodeFiles());
  for (const text of ['a', 'b']) {
    const store = made.store({ indexFrom: indexFrom(index) });
    await (await store.openOrCreate('s')).append([user(text)]);
    await store.close();
    await spoiler.spoil(path.join(made.folder, 'cache', 's.index'));
  }
  return made;
}

/** The job with its n-th call failing: what it threw, or nothing; `isHit` is false when it made fewer calls. */
async function failAt(
  index: IndexState,
  { nth, errno }: { nth: number; errno: string },
  job: (scene: Scene) => Promise<unknown>,
) {
  const store = place.store({ files, indexFrom: indexFrom(index) });
  const scene = { store, log: await store.open('s') };
  files.failAt = { nth, errno };
  let thrown: unknown;
  try {
    await job(scene);
  } catch (error) {
    thrown = error;
  }
  // What it let go of goes on behind it.
  await scene.log.catchUp().catch(() => undefined);
  const isHit = (files.failAt?.nth ?? 0) <= 0;
  files.heal();
  return { ...scene, thrown, isHit };
}

const dataOf = (error: BoughError) => ({
  code: error.code,
  errno: error.data['errno'],
  volume: error.data['volume'],
});

/** All of them where the index is as it should be; other ones, one in six, for each other state of it. */
const callsFor = (index: IndexState): readonly number[] =>
  index === 'on' ? calls : calls.filter((_, at) => at % 6 === indexStates.indexOf(index));

describe.each(quickly(indexStates, indexStates.length))(
  'whichever call of it fails, its index %s',
  (index) => {
    it.each(jobs)(
      '%s fails clearly, loses nothing, and works afterwards',
      { timeout: 120_000 },
      async (_, job) => {
        const before = await prepared(index);
        let tried = 0;
        for (const nth of callsFor(index)) {
          const errno = errnos[nth % errnos.length] ?? 'EIO';
          await cp(before.folder, place.folder, { recursive: true });
          const { store, log, thrown, isHit } = await failAt(index, { nth, errno }, job);
          if (!isHit) break;
          tried += 1;
          if (thrown !== undefined) {
            if (!isBoughError(thrown))
              throw new Error(`call ${nth} was no StorageFailure`, { cause: thrown });
            expect(dataOf(thrown), `call ${nth}: ${String(thrown)}`).toEqual({
              code: 'StorageFailure',
              errno,
              volume: '/mnt/test',
            });
          }
          await canGoOn(index, store, log);
          await store.close();
          await place.dispose();
          place = await makePlace();
        }
        await before.dispose();
        expect(tried).toBeGreaterThan(0);
        expect(tried).toBeLessThan(calls.length);
      },
    );
  },
);

/** The handle writes on or refuses; a fresh one finds all that was there and writes. */
async function canGoOn(index: IndexState, store: FileStore, log: SessionLog): Promise<void> {
  await store.unarchive('s').catch(ignoreMissing);
  try {
    await log.append([user('later')]);
  } catch (error) {
    if (!isBoughError(error)) throw error;
    expect(['SessionStale', 'SessionConflict', 'StorageFailure']).toContain(error.code);
  }
  await store.close();
  const fresh = place.store({ indexFrom: indexFrom(index) });
  const { sessions } = await fresh.list();
  expect(sessions.map(({ status, detail }) => `${status} ${detail ?? ''}`.trim())).toEqual(
    sessions.map(() => 'idle'),
  );
  if (sessions.some(({ id }) => id === 's')) {
    const again = await fresh.open('s');
    expect((await again.path())[0]).toMatchObject({ parts: [{ text: 'a' }] });
    expect(again.damage).toEqual([]);
    await again.append([user('again')]);
  }
  await fresh.close();
  // Stores of this process that lives may have left a name behind; no half-made file, though.
  const left = await readdir(place.folder, { recursive: true });
  expect(left.filter((name) => name.endsWith('.damaged'))).toEqual([]);
}

function ignoreMissing(error: unknown): void {
  if (!isBoughError(error, 'SessionNotFound')) throw error;
}
