import { appendFile, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Access, SessionLog } from '../../../src/log/store.js';
import { FaultyFiles } from './faulty-files.js';
import { bytesOf, headerLine, lines, messageLine, pathTexts, putLog, textOf } from './lines.js';
import { assistant, makePlace, user, type Place } from './support.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

/** Stores of this process that share a lock table, as the stores of two windows share the system's locks. */
function twoWindows(): [FileStore, FileStore] {
  const locks = new LockTable();
  const who = (window: string): { window: string; pid: number; host: string } => ({
    window,
    pid: process.pid,
    host: 'here',
  });
  return [place.store({ locks, who: who('one') }), place.store({ locks, who: who('two') })];
}

async function inBoth(): Promise<[SessionLog, SessionLog]> {
  const [one, two] = twoWindows();
  const first = await one.create({ id: 's' });
  await first.append([user('a')]);
  return [first, await two.open('s')];
}

describe('two windows on one session', () => {
  it('B1: the second follows what the first appends', async () => {
    const [first, second] = await inBoth();
    const heard: string[] = [];
    second.onAppend((placed) =>
      heard.push(...placed.map(({ position, entry }) => `${position} ${textOf(entry)}`)),
    );
    await first.append([assistant('b')]);
    expect(await pathTexts(second)).toEqual(['a']);
    await second.catchUp();
    await second.catchUp();
    expect([await pathTexts(second), heard]).toEqual([['a', 'b'], ['1 b']]);
  });

  it('B1: the second is told once of each entry, also when reading on failed half way', async () => {
    const [first] = await inBoth();
    const files = new FaultyFiles(createNodeFiles());
    const second = await place.store({ files }).open('s');
    const heard: string[] = [];
    second.onAppend((placed) =>
      heard.push(...placed.map(({ position, entry }) => `${position} ${entry.id}`)),
    );
    // More than is read at once, however much that is.
    for (const name of 'bcdefghijk') await first.append([user(name.repeat(300_000))]);
    const wanted = first.outline.slice(1).map(([id], index) => `${index + 1} ${id}`);
    for (const after of [3, 2]) {
      files.faults = [{ call: 'file.read', path: '.jsonl', errno: 'EIO', after, times: 1 }];
      await expect(second.catchUp()).rejects.toMatchObject({ code: 'StorageFailure' });
    }
    files.heal();
    await second.catchUp();
    expect(heard).toEqual(wanted);
    await first.append([assistant('e')]);
    await second.catchUp();
    expect(heard).toHaveLength(wanted.length + 1);
    expect(second.outline).toEqual(first.outline);
  });

  it('B1: the second cannot write while the first works, and is told who does', async () => {
    const [first, second] = await inBoth();
    const lease = await first.acquire();
    await expect(second.append([user('x')])).rejects.toMatchObject({
      code: 'Locked',
      data: { since: expect.any(String) },
    });
    await expect(second.acquire()).rejects.toMatchObject({
      code: 'Locked',
      message: expect.stringContaining('window one'),
    });
    expect(await second.holder()).toMatchObject({ window: 'one' });
    expect(second.access).toEqual({ mode: 'write' });
    await first.append([assistant('b')]);
    lease.dispose();
    await first.catchUp();
    const taken = await second.acquire();
    expect(await pathTexts(second)).toEqual(['a', 'b']);
    await second.append([user('c')]);
    taken.dispose();
    await first.catchUp();
    expect(await pathTexts(first)).toEqual(['a', 'b', 'c']);
  });

  it('B1: both append from the same head: the second is told before an accidental branch comes about', async () => {
    const [first, second] = await inBoth();
    const head = second.head;
    const access: Access[] = [];
    second.onAccess((one) => access.push(one));
    await first.append([user('theirs')], { expectedHead: head });
    await expect(second.append([user('ours')], { expectedHead: head })).rejects.toMatchObject({
      code: 'SessionConflict',
    });
    expect(access.map(({ mode }) => mode)).toEqual(['stale']);
    await expect(second.append([user('ours')])).rejects.toMatchObject({ code: 'SessionStale' });
    await expect(second.acquire()).rejects.toMatchObject({ code: 'SessionStale' });
    expect(await pathTexts(second)).toEqual(['a', 'theirs']);
  });

  it('an append without a wish for the head goes on where the other window left off', async () => {
    const [first, second] = await inBoth();
    await first.append([user('b')]);
    await second.append([user('c')]);
    await first.append([user('d')]);
    expect(await pathTexts(first)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a click on a view that lags behind its own window conflicts, and harms nothing', async () => {
    const [first] = await inBoth();
    const head = first.head;
    await first.append([user('b')]);
    await expect(first.append([user('late')], { expectedHead: head })).rejects.toMatchObject({
      code: 'SessionConflict',
    });
    await first.append([user('c')]);
    expect(await pathTexts(first)).toEqual(['a', 'b', 'c']);
  });

  it('a follower whose file shrank reads it again from the start', async () => {
    const [first, second] = await inBoth();
    const before = (await stat(place.log('s'))).size;
    await first.append([user('b')]);
    await second.catchUp();
    // What the first window does when the sync of that write fails.
    await truncate(place.log('s'), before);
    const heard: number[] = [];
    second.onAppend((placed) => heard.push(placed.length));
    await second.catchUp();
    expect([second.position, await pathTexts(second), heard]).toEqual([1, ['a'], [0]]);
  });

  it('a follower whose file was replaced by another reads that from the start', async () => {
    const [, second] = await inBoth();
    await second.path();
    await writeFile(
      place.log('s'),
      lines(headerLine('s'), messageLine('x', null, 'other'), messageLine('y', 'x', 'one '.repeat(99))),
    );
    await second.catchUp();
    expect(await pathTexts(second)).toEqual(['other', 'one '.repeat(99)]);
  });

  it('a follower waits for the rest of a line, and takes a line that comes in two pieces once', async () => {
    const [, second] = await inBoth();
    const line = messageLine('b', second.head, 'b');
    await appendFile(place.log('s'), line.slice(0, 25));
    await second.catchUp();
    await second.catchUp();
    expect(second.position).toBe(1);
    await appendFile(place.log('s'), line.slice(25));
    await second.catchUp();
    expect([await pathTexts(second), second.damage]).toEqual([['a', 'b'], []]);
    await appendFile(place.log('s'), '\n');
    await second.append([user('c')]);
    expect([await pathTexts(second), second.damage]).toEqual([['a', 'b', 'c'], []]);
    expect((await place.store().open('s')).damage).toEqual([]);
  });

  it('B1: a session that was deleted in the other window takes nothing more', async () => {
    const [one, two] = twoWindows();
    const first = await one.create({ id: 's' });
    await first.append([user('a')]);
    const second = await two.open('s');
    const { undo } = await one.delete('s');
    await expect(second.append([user('late')])).rejects.toMatchObject({ code: 'SessionConflict' });
    await expect(second.append([user('late')])).rejects.toMatchObject({ code: 'SessionStale' });
    await expect(two.open('s')).rejects.toMatchObject({ code: 'SessionNotFound' });
    await undo();
    expect(await pathTexts(await two.open('s'))).toEqual(['a']);
  });

  it('B1: a session the other window works in is not deleted', async () => {
    const [one, two] = twoWindows();
    const first = await one.create({ id: 's' });
    await first.append([user('a')]);
    const lease = await first.acquire();
    await expect(two.delete('s')).rejects.toMatchObject({ code: 'Locked' });
    await first.append([user('b')]);
    lease.dispose();
    expect(await pathTexts(first)).toEqual(['a', 'b']);
  });

  it('B1: a handle that went stale within a run lets the lease go with the run', async () => {
    const [first, second] = await inBoth();
    const lease = await first.acquire();
    await appendFile(place.log('s'), `${messageLine('x', null)}\n`);
    await expect(first.append([user('b')])).rejects.toMatchObject({ code: 'SessionConflict' });
    await expect(second.acquire()).rejects.toMatchObject({ code: 'Locked' });
    lease.dispose();
    lease.dispose();
    await first.catchUp();
    (await second.acquire()).dispose();
  });

  it('a handle whose session was deleted says so also after it was closed', async () => {
    const store = place.store();
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    await store.delete('s');
    await log.close();
    await expect(log.append([user('late')])).rejects.toMatchObject({ code: 'SessionConflict' });
  });

  it('archiving in one window is seen in the other', async () => {
    const [one, two] = twoWindows();
    await (await one.create({ id: 's' })).append([user('a')]);
    const second = await two.open('s');
    const heard: Access[] = [];
    second.onAccess((access) => heard.push(access));
    await one.archive('s');
    await expect(second.append([user('x')])).rejects.toMatchObject({ code: 'SessionArchived' });
    expect(heard).toMatchObject([{ mode: 'read-only', reason: 'archived' }]);
    await one.unarchive('s');
    await second.catchUp();
    await second.append([user('b')]);
    expect(heard).toMatchObject([{ mode: 'read-only' }, { mode: 'write' }]);
  });
});

describe('a store', () => {
  it('B18: keeps all it writes for its owner only', async () => {
    if (process.platform === 'win32') return;
    const before = process.umask(0o022);
    try {
      const store = place.store();
      const log = await store.create({ id: 's' });
      await log.append([user('a')]);
      await log.blobs.put('b');
      await log.journal.begin({ attempt_id: 'x', step: 1, parent_id: null, turn_id: 't' });
      const lease = await log.acquire();
      await store.list();
      await store.create({ id: 'torn' });
      for (const name of await readdir(place.folder, { recursive: true })) {
        const found = await stat(path.join(place.folder, name));
        expect([name, (found.mode & 0o777).toString(8)]).toEqual([name, found.isDirectory() ? '700' : '600']);
      }
      lease.dispose();
    } finally {
      process.umask(before);
    }
  });

  it('writes nothing for a session nothing was appended to', async () => {
    const store = place.store();
    const log = await store.create({ id: 's' });
    await log.path();
    await log.catchUp();
    await log.holder();
    await log.close();
    await store.list();
    expect(await readdir(place.folder)).not.toContain('sessions');
    expect(await readdir(path.join(place.folder, 'cache')).catch(() => [])).toEqual([]);
  });

  it('C4: leaves a session byte for byte when it is opened and closed again and again', async () => {
    const store = place.store();
    await (await store.create({ id: 's' })).append([user('a')]);
    const before = await bytesOf(place.log('s'));
    for (let round = 0; round < 3; round++) {
      const log = await store.open('s');
      await log.line();
      await log.close();
    }
    expect((await bytesOf(place.log('s'))).equals(before)).toBe(true);
  });

  it('opens what cannot be read with a clear failure, and can delete it all the same', async () => {
    const files = new FaultyFiles(createNodeFiles());
    const store = place.store({ files });
    await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    files.faults = [{ call: 'open', path: '.jsonl', errno: 'EACCES' }];
    await expect(store.open('s')).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'EACCES' },
    });
    await expect(store.rename('s', 'x')).rejects.toMatchObject({ code: 'StorageFailure' });
    const { undo } = await store.delete('s');
    files.heal();
    await expect(store.open('s')).rejects.toMatchObject({ code: 'SessionNotFound' });
    await undo();
    expect(await pathTexts(await store.open('s'))).toEqual(['a']);
  });

  it('deletes a session as a whole or not at all', async () => {
    const files = new FaultyFiles(createNodeFiles());
    const store = place.store({ files });
    const log = await store.create({ id: 's' });
    await log.append([user('a')]);
    const hash = await log.blobs.put('b');
    files.faults = [{ call: 'rename', path: `sessions${path.sep}s`, errno: 'EIO', times: 1 }];
    await expect(store.delete('s')).rejects.toMatchObject({ code: 'StorageFailure', data: { errno: 'EIO' } });
    expect(await pathTexts(log)).toEqual(['a']);
    await log.append([user('b')]);
    expect(Buffer.from(await log.blobs.get(hash)).toString()).toBe('b');
    expect((await store.list()).sessions).toHaveLength(1);
  });

  it('leaves nothing of a session that was purged, and keeps one that was not beyond the end of its store', async () => {
    const store = place.store();
    for (const id of ['s', 't']) {
      const log = await store.create({ id });
      await log.append([user('a')]);
      await log.blobs.put('b');
      await log.journal.begin({ attempt_id: 'x', step: 1, parent_id: null, turn_id: 't' });
    }
    await writeFile(place.log('s').replace('.jsonl', '.damaged'), 'x');
    await (await store.delete('s')).purge();
    await store.delete('t');
    expect(await readdir(path.join(place.folder, 'sessions'))).toEqual([]);
    await store.close();
    const [kept = '', ...others] = await readdir(path.join(place.folder, 'trash'));
    expect(others).toEqual([]);
    expect((await readdir(path.join(place.folder, 'trash', kept))).sort()).toEqual([
      'owner.json',
      't',
      't.jsonl',
      't.stream',
    ]);
    expect((await place.store().list()).sessions).toEqual([]);
  });

  it('clears what a half deleted session left behind when it is deleted again', async () => {
    const store = place.store();
    await putLog(place, 's', lines(headerLine('s')));
    await writeFile(place.log('orphan').replace('.jsonl', '.stream'), 'x');
    await writeFile(place.log('orphan').replace('.jsonl', '.lease.json'), '{}');
    await (await store.delete('orphan')).purge();
    expect(await readdir(path.join(place.folder, 'sessions'))).toEqual(['s.jsonl']);
  });

  it('purges what a dead process deleted more than a week ago, and nothing else', async () => {
    const trash = async (name: string, pid: number, days: number): Promise<void> => {
      const folder = path.join(place.folder, 'trash', name);
      await createNodeFiles().makeFolder(folder);
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      await writeFile(
        path.join(folder, 'owner.json'),
        JSON.stringify({ window: 'w', pid, host: 'here', since }),
      );
      await writeFile(path.join(folder, 's.jsonl'), headerLine('s'));
    };
    const dead = 2 ** 22 + 1;
    await trash('dead and old', dead, 8);
    await trash('dead', dead, 6);
    await trash('alive', process.pid, 8);
    const store = place.store({ who: { window: 'w', pid: process.pid, host: 'here' } });
    expect((await store.list()).sessions).toEqual([]);
    expect((await readdir(path.join(place.folder, 'trash'))).sort()).toEqual(['alive', 'dead']);
  });

  it('A17, H4: goes on writing to the file of its own session after another was opened', async () => {
    const store = place.store();
    const one = await store.create({ id: 'one' });
    const two = await store.create({ id: 'two' });
    await one.append([user('first')]);
    await two.append([user('second')]);
    await one.append([user('third')]);
    expect(await readFile(place.log('two'), 'utf8')).not.toContain('third');
    expect(await pathTexts(one)).toEqual(['first', 'third']);
  });

  it('lists although the trash cannot be swept, and says so', async () => {
    const files = new FaultyFiles(createNodeFiles());
    files.faults = [{ call: 'list', path: 'trash', errno: 'EACCES' }];
    expect(await place.store({ files }).list()).toEqual({ sessions: [] });
    expect(place.troubles).toMatchObject([{ code: 'StorageFailure', data: { errno: 'EACCES' } }]);
  });

  it('deletes although a lock file is held open elsewhere', async () => {
    const files = new FaultyFiles(createNodeFiles());
    const store = place.store({ files });
    await (await store.create({ id: 's' })).append([user('a')]);
    files.faults = [{ call: 'remove', path: '.lock', errno: 'EBUSY' }];
    await store.delete('s');
    expect((await store.list()).sessions).toEqual([]);
    files.heal();
  });

  it('tells troubles that nobody waits for with the session they concern', async () => {
    const files = new FaultyFiles(createNodeFiles());
    const log = await place.store({ files }).create({ id: 's' });
    await log.append([user('a')]);
    const lease = await log.acquire();
    await log.append([user('b')]);
    files.faults = [
      { call: 'file.close', path: '.jsonl', errno: 'EIO', times: 1 },
      { call: 'remove', path: 'lease.json', errno: 'EIO', times: 1 },
    ];
    lease.dispose();
    await log.catchUp();
    expect(place.troubles.length).toBeGreaterThan(0);
    expect(place.troubles[0]).toMatchObject({ code: 'StorageFailure', data: { session: 's' } });
    await log.append([user('c')]);
    expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'b', 'c']);
  });
});
