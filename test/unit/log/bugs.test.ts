// What keeps a failure of the disk from hiding the rest lets a bug through: it is told as what it is, by whoever meets it.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectStore, type ConnectedStore } from '../../../src/log/connected-store.js';
import { copyRoot } from '../../../src/log/copy-root.js';
import { listElsewhere } from '../../../src/log/elsewhere.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { HEARTBEAT_MS, LeaseFileLock } from '../../../src/log/lease-file.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { KnownRoots } from '../../../src/log/roots.js';
import { listWorkspaces } from '../../../src/log/workspace-key.js';
import { MapStore } from './custom-stores.js';
import type { Fault, FaultyFiles } from './faulty-files.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine, joined, lines, messageLine, putLog } from './lines.js';
import { FakeClock, randomIds, realClock, user, type Place } from './support.js';

let place: Place;
let files: FaultyFiles;
let store: FileStore;
let inSessions: (...names: string[]) => string;
useFaultyPlace((made) => ({ place, files, store, inSessions } = made));

const who = { window: 'test', pid: process.pid, host: 'here' };
const onTrouble = (error: Error): void => expect.fail(`a trouble was told: ${error.message}`);
const parts = () => ({ files, clock: realClock, locks: new LockTable(), who, onTrouble });
const torn = '{"type":"mess';

/** What is done, and the call at which a bug shows. */
const jobs: [string, Omit<Fault, 'bug' | 'errno'>, () => Promise<unknown>][] = [
  ['the list looks at a log', { call: 'stat', path: 's.jsonl' }, () => store.list()],
  ['the list reads a log', { call: 'open', path: 's.jsonl' }, () => store.list()],
  ['the list looks through the trash', { call: 'list', path: 'trash' }, () => store.list()],
  [
    'the list looks at a deleted session',
    { call: 'read', path: 'owner.json' },
    async () => {
      await putLog(place, 'gone', lines(headerLine('gone'), messageLine('a', null)));
      await store.delete('gone');
      return place.store({ files }).list();
    },
  ],
  ['the list ends what marks of deletions are for', { call: 'list', path: 'deleted' }, () => store.list()],
  ['a deletion is marked', { call: 'makeFolder', path: 'deleted' }, () => store.delete('s')],
  ['a log is verified', { call: 'file.read', path: 's.jsonl' }, () => store.verify()],
  [
    'an attachment is verified',
    { call: 'read', path: 'a'.repeat(64) },
    async () => {
      const image = { type: 'image', blob: 'a'.repeat(64), mime: 'image/png', name: 'x' } as const;
      await (await store.open('s')).append([{ type: 'message', role: 'user', parts: [image] }]);
      await mkdir(inSessions('s'), { recursive: true });
      await writeFile(inSessions('s', 'a'.repeat(64)), 'x');
      return store.verify();
    },
  ],
  [
    'a log is mended',
    { call: 'open', path: 's.damaged' },
    async () => {
      await putLog(place, 's', joined(lines(headerLine('s'), messageLine('a', null)), torn));
      return store.verify({ repair: true });
    },
  ],
  [
    'a session is looked at to be pruned',
    { call: 'list', path: path.join('sessions', 's') },
    async () => {
      const clock = new FakeClock();
      clock.wall = Date.now() + 1e9;
      await place.store({ files }).list();
      return place.store({ files, clock }).prune({ sessionIdle: 1 });
    },
  ],
  [
    'a copy that failed is taken away',
    { call: 'removeTree' },
    async () => {
      files.faults.push({ call: 'file.datasync', path: 'copy.jsonl', errno: 'EIO' });
      return store.fork('s', { id: 'copy' });
    },
  ],
  [
    'workspaces are listed',
    { call: 'read', path: 'workspace.json' },
    async () => {
      await mkdir(path.join(place.folder, 'workspaces', 'k'), { recursive: true });
      return listWorkspaces(files, place.folder, onTrouble);
    },
  ],
  [
    'sessions elsewhere are listed',
    { call: 'list', path: path.join('k', 'sessions') },
    async () => {
      await mkdir(path.join(place.folder, 'workspaces', 'k', 'sessions'), { recursive: true });
      return listElsewhere(parts(), place.folder);
    },
  ],
  [
    'roots are looked for',
    { call: 'read', path: 'roots.json' },
    () => new KnownRoots(place.folder, parts()).others('/present'),
  ],
  [
    'a root is copied',
    { call: 'stat', path: path.join('sessions', 's.jsonl') },
    async () => {
      const sessions = path.join(place.folder, 'workspaces', 'k', 'sessions');
      await mkdir(sessions, { recursive: true });
      await writeFile(path.join(sessions, 's.jsonl'), lines(headerLine('s'), messageLine('a', null)));
      return copyRoot({ ...parts(), from: place.folder, to: path.join(place.folder, 'to') });
    },
  ],
];

describe('a bug passes', () => {
  it.each(jobs)('where %s', async (_, fault, work) => {
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    const bug = new TypeError('a bug');
    files.faults = [{ ...fault, bug }];
    await expect(work()).rejects.toBe(bug);
  });

  it('where a lease beats', async () => {
    await mkdir(inSessions(), { recursive: true });
    const clock = new FakeClock();
    const lock = new LeaseFileLock({ files, clock, who, path: inSessions('s.lease.json') });
    await lock.tryTake('run');
    const bug = new TypeError('a bug');
    files.faults = [{ call: 'replace', bug, times: 1 }];
    clock.advance(HEARTBEAT_MS);
    await expect(lock.release()).rejects.toBe(bug);
  });

  it.each([
    ['listed', (connected: ConnectedStore) => connected.list()],
    ['verified', (connected: ConnectedStore) => connected.verify()],
    ['pruned', (connected: ConnectedStore) => connected.prune({ sessionIdle: 1 })],
  ] as const)('where the sessions of a custom store are %s', async (_, work) => {
    const custom = new MapStore();
    const given = { custom, ids: randomIds, producer: 'bough/test', onTrouble };
    const first = connectStore({ ...given, clock: realClock });
    await (await first.create({ id: 's' })).append([user('a')]);
    await first.close();
    const bug = new TypeError('a bug');
    // The first call of the store is for its rows; the deadline of the next cannot be set.
    let calls = 0;
    const clock = new FakeClock();
    clock.wall = Date.now() + 1e9;
    clock.after = () => {
      calls += 1;
      if (calls > 1) throw bug;
      return { dispose: () => undefined };
    };
    await expect(work(connectStore({ ...given, clock }))).rejects.toBe(bug);
  });
});
