// Copying a root: byte for byte, what is there is kept, and what fails is said of one session and hides no other.
import { chmod, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderBlobs } from '../../../src/log/blobs.js';
import { copyRoot, type RootCopy } from '../../../src/log/copy-root.js';
import { DraftFiles } from '../../../src/log/draft.js';
import type { FaultyFiles } from './faulty-files.js';
import { snapshot, useRootsPlace, type RootsPlace } from './roots-place.js';
import { assistant, user } from './support.js';

let base: string;
let troubles: RootsPlace['troubles'];
let files: FaultyFiles;
let leases: RootsPlace['leases'];
let storeIn: RootsPlace['storeIn'];
let rootWith: RootsPlace['rootWith'];
useRootsPlace((made) => ({ base, troubles, files, leases, storeIn, rootWith } = made));

describe('copying a root', () => {
  const copy = (from: string, to: string, signal?: AbortSignal): Promise<RootCopy> =>
    copyRoot({ ...leases(), from, to }, signal);

  it('takes logs, side files, blobs, drafts and names of folders, byte for byte and as old as they are; nothing else', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const sessions = path.join(from, 'workspaces', key, 'sessions');
    const store = storeIn(from, key);
    const log = await store.open('s');
    const hash = await log.blobs.put('a long text');
    await store.close();
    await writeFile(path.join(sessions, 's.damaged'), 'set aside');
    await writeFile(path.join(sessions, 's.stream'), 'half a sent');
    await writeFile(path.join(sessions, 's.lease.json'), '{}');
    await writeFile(path.join(sessions, 's', 'stray'), 'not ours');
    await new DraftFiles(path.dirname(sessions), files).write('s', { text: 'not sent', editing: null });
    await new DraftFiles(path.dirname(sessions), files).write('only-a-draft', {
      text: 'typed',
      editing: null,
    });
    const old = new Date('2024-01-01T00:00:00Z');
    await utimes(path.join(sessions, 's.jsonl'), old, old);
    await rm(path.join(sessions, 's.lease.json'));
    const before = await snapshot(from);

    const to = path.join(base, 'to');
    expect(await copy(from, to)).toEqual({
      copied: [`${key}/only-a-draft`, `${key}/s`],
      kept: [],
      inUse: [],
      failed: [],
      isStopped: false,
    });
    const copied = await snapshot(path.join(to, 'workspaces', key));
    // The lock of the names there is the target's own.
    expect(Object.keys(copied).filter((name) => name !== 'workspace.lock')).toEqual(
      [
        'sessions/only-a-draft/draft.json',
        'sessions/s.damaged',
        'sessions/s.jsonl',
        `sessions/s/${hash}`,
        'sessions/s/draft.json',
        'workspace.json',
      ].sort(),
    );
    const original = await snapshot(path.join(from, 'workspaces', key));
    for (const [name, bytes] of Object.entries(copied)) expect([name, bytes]).toEqual([name, original[name]]);
    expect((await stat(path.join(to, 'workspaces', key, 'sessions/s.jsonl'))).mtime).toEqual(old);
    const after = await snapshot(from);
    for (const [name, bytes] of Object.entries(before)) expect([name, after[name]]).toEqual([name, bytes]);

    const there = storeIn(to, key);
    expect((await there.list()).sessions).toMatchObject([
      { id: 's', title: 'Hello', updated: old.getTime() },
    ]);
    expect(new TextDecoder().decode(await (await there.open('s')).blobs.get(hash))).toBe('a long text');
    for (const name of await readdir(to, { recursive: true }))
      expect([(await stat(path.join(to, name))).mode & 0o077, name]).toEqual([0, name]);
  });

  it('keeps what is there already, and copies again what was not copied', async () => {
    const from = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    await copy(from.root, to);
    const there = storeIn(to, from.key);
    await (await there.open('s')).append([user('Went on there')]);
    await there.close();
    await rootWith(from.root, 'Another', 't');
    const before = await readFile(path.join(to, 'workspaces', from.key, 'sessions/s.jsonl'));
    expect(await copy(from.root, to)).toMatchObject({
      copied: [`${from.key}/t`],
      kept: [`${from.key}/s`],
      failed: [],
    });
    expect(await readFile(path.join(to, 'workspaces', from.key, 'sessions/s.jsonl'))).toEqual(before);
  });

  it('brings what was copied before and went on here up to it, attachments and all', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    await copy(from, to);
    const here = storeIn(from, key);
    const log = await here.open('s');
    const hash = await log.blobs.put('picture');
    await log.append([
      { type: 'message', role: 'user', parts: [{ type: 'image', blob: hash, mime: 'image/png', name: 'x' }] },
    ]);
    await log.append([assistant('y'.repeat(900_000)), assistant('z'.repeat(900_000))]);
    await here.close();
    const [source, target] = [from, to].map((root) => path.join(root, 'workspaces', key, 'sessions/s.jsonl'));
    files.faults = [{ call: 'file.write', path: target ?? '', errno: 'ENOSPC', bytes: 10, times: 1 }];
    const before = await readFile(target ?? '');
    expect(await copy(from, to)).toMatchObject({ copied: [], failed: [{ session: `${key}/s` }] });
    expect(await readFile(target ?? '')).toEqual(before);
    expect(await copy(from, to)).toMatchObject({ copied: [`${key}/s`], kept: [], failed: [] });
    expect((await readFile(target ?? '')).equals(await readFile(source ?? ''))).toBe(true);
    const there = await storeIn(to, key).open('s');
    expect(there.damage).toEqual([]);
    expect(new TextDecoder().decode(await there.blobs.get(hash))).toBe('picture');
    expect(await copy(from, to)).toMatchObject({ copied: [], kept: [`${key}/s`] });
  });

  it('keeps a longer log that is no continuation of the one there, and one that is in use there', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    await copy(from, to);
    const there = storeIn(to, key);
    const log = await there.open('s');
    await log.append([user('there')]);
    const here = storeIn(from, key);
    await (await here.open('s')).append([user('h'.repeat(5_000))]);
    await here.close();
    const before = await readFile(path.join(to, 'workspaces', key, 'sessions/s.jsonl'));
    expect(await copy(from, to)).toMatchObject({ copied: [], kept: [`${key}/s`], failed: [] });
    expect(await readFile(path.join(to, 'workspaces', key, 'sessions/s.jsonl'))).toEqual(before);
    const lease = await log.acquire();
    expect(await copy(from, to)).toMatchObject({ copied: [], inUse: [{ session: `${key}/s` }] });
    lease.dispose();
  });

  it('keeps one that becomes shorter while it is looked at, and says of one that is cut short while it is read', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    await copy(from, to);
    const here = storeIn(from, key);
    await (await here.open('s')).append([user('h'.repeat(5_000))]);
    await here.close();
    const [source, target] = [from, to].map((root) => path.join(root, 'workspaces', key, 'sessions/s.jsonl'));
    const before = await readFile(target ?? '');
    files.faults = [{ call: 'stat', path: target ?? '', longer: 10 }];
    expect(await copy(from, to)).toMatchObject({ copied: [], kept: [`${key}/s`], failed: [] });
    expect(await readFile(target ?? '')).toEqual(before);
    files.faults = [{ call: 'stat', path: source ?? '', longer: 10 }];
    expect(await copy(from, to)).toMatchObject({ copied: [], failed: [{ session: `${key}/s` }] });
    // What was brought over by then are whole lines of the original.
    const begun = await readFile(target ?? '');
    expect(begun.equals((await readFile(source ?? '')).subarray(0, begun.length))).toBe(true);
    expect((await storeIn(to, key).open('s')).damage).toEqual([]);
    files.heal();
    await copy(from, to);
    expect((await readFile(target ?? '')).equals(await readFile(source ?? ''))).toBe(true);
  });

  it('keeps what was typed there of a session that is only a draft there, and leaves what is no session', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    const [source, target] = [from, to].map((root) => path.join(root, 'workspaces', key));
    await new DraftFiles(target ?? '', files).write('s', { text: 'typed there', editing: null });
    await new FolderBlobs(files, path.join(source ?? '', 'sessions', 'left')).put('of nobody');
    expect(await copy(from, to)).toEqual({
      ...{ copied: [], kept: [`${key}/s`], inUse: [], failed: [], isStopped: false },
    });
    expect(await new DraftFiles(target ?? '', files).read('s')).toMatchObject({ text: 'typed there' });
  });

  it('takes the attachments of a draft that is all there is of its session', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    const [source, target] = [from, to].map((root) => path.join(root, 'workspaces', key));
    const hash = await new FolderBlobs(files, path.join(source ?? '', 'sessions', 'd')).put('picture');
    const attachments = [{ kind: 'image' as const, label: 'x', blob: hash, mime: 'image/png' }];
    await new DraftFiles(source ?? '', files).write('d', { text: 'see', editing: null, attachments });
    expect((await copy(from, to)).copied).toEqual([`${key}/d`, `${key}/s`]);
    expect(await new DraftFiles(target ?? '', files).read('d')).toMatchObject({ attachments });
    expect(await readFile(path.join(target ?? '', 'sessions', 'd', hash), 'utf8')).toBe('picture');
  });

  it('keeps a draft that was typed there', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const to = path.join(base, 'to');
    for (const [root, text] of [
      [from, 'here'],
      [to, 'there'],
    ] as const)
      await new DraftFiles(path.join(root, 'workspaces', key), files).write('d', { text, editing: null });
    expect(await copy(from, to)).toMatchObject({ copied: [`${key}/s`], kept: [`${key}/d`] });
    const drafts = new DraftFiles(path.join(to, 'workspaces', key), files);
    expect(await drafts.read('d')).toMatchObject({ text: 'there' });
  });

  it('leaves a session that somebody works in, and says who', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    await rootWith(from, 'Another', 't');
    const busy = storeIn(from, key);
    const lease = await (await busy.open('s')).acquire();
    const report = await copy(from, path.join(base, 'to'));
    expect(report).toMatchObject({ copied: [`${key}/t`], inUse: [{ session: `${key}/s` }], failed: [] });
    expect(report.inUse[0]?.reason).toContain(`process ${process.pid}`);
    lease.dispose();
    await busy.close();
    expect(await copy(from, path.join(base, 'to'))).toMatchObject({ copied: [`${key}/s`], inUse: [] });
  });

  it.each([
    ['ENOSPC', { call: 'file.write', path: 's.jsonl', errno: 'ENOSPC', bytes: 10 }],
    ['EIO', { call: 'file.read', path: 's.jsonl', errno: 'EIO' }],
    ['EIO', { call: 'file.datasync', path: 's.jsonl', errno: 'EIO' }],
    ['EPERM', { call: 'rename', path: 's.jsonl', errno: 'EPERM' }],
    ['EACCES', { call: 'setTime', path: 's.jsonl', errno: 'EACCES' }],
  ] as const)(
    'says which failed with %s and why, leaves nothing of it, and goes on',
    async (errno, fault) => {
      const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
      await rootWith(from, 'Another', 't');
      const to = path.join(base, 'to');
      files.faults = [fault];
      const report = await copy(from, to);
      expect(report).toMatchObject({ copied: [`${key}/t`], failed: [{ session: `${key}/s` }] });
      expect(report.failed[0]?.reason).toContain(errno);
      expect(Object.keys(await snapshot(to)).filter((name) => /(^|\/)s(\.|\/)/.test(name))).toEqual([]);
      files.heal();
      expect(await copy(from, to)).toMatchObject({ copied: [`${key}/s`], kept: [`${key}/t`], failed: [] });
      expect(troubles).toEqual([]);
    },
  );

  it('tells what a failed copy left behind when that cannot be removed', async () => {
    const { root: from } = await rootWith(path.join(base, 'from'), 'Hello');
    files.faults = [
      { call: 'file.datasync', path: 's.jsonl', errno: 'EIO' },
      { call: 'removeTree', errno: 'EBUSY' },
    ];
    expect((await copy(from, path.join(base, 'to'))).failed).toHaveLength(1);
    expect(troubles).toMatchObject([{ data: { errno: 'EBUSY' } }]);
  });

  it('says of a file that was not named by Bough that it stays', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    await writeFile(path.join(from, 'workspaces', key, 'sessions/Odd Name.jsonl'), '{}\n');
    const report = await copy(from, path.join(base, 'to'));
    expect(report).toMatchObject({ copied: [`${key}/s`], failed: [{ session: `${key}/Odd Name` }] });
  });

  it('copies damaged and torn logs as they are', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const file = path.join(from, 'workspaces', key, 'sessions/bad.jsonl');
    await writeFile(file, Buffer.concat([Buffer.alloc(300), Buffer.from('\n{"type":"mess')]));
    await copy(from, path.join(base, 'to'));
    const there = path.join(base, 'to/workspaces', key, 'sessions/bad.jsonl');
    expect(await readFile(there)).toEqual(await readFile(file));
  });

  it('ends when it is cancelled, and says that it was', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    const cancelled = new AbortController();
    cancelled.abort();
    const report = await copy(from, path.join(base, 'to'), cancelled.signal);
    expect(report).toMatchObject({ copied: [], isStopped: true });
    expect(await copy(from, path.join(base, 'to'))).toMatchObject({ copied: [`${key}/s`], isStopped: false });
  });

  it('onto itself keeps everything', async () => {
    const { root, key } = await rootWith(path.join(base, 'r'), 'Hello');
    const before = await readFile(path.join(root, 'workspaces', key, 'sessions/s.jsonl'));
    expect(await copy(root, root)).toMatchObject({ copied: [], kept: [`${key}/s`] });
    expect(await readFile(path.join(root, 'workspaces', key, 'sessions/s.jsonl'))).toEqual(before);
  });

  it('names the folder that could not be read', async () => {
    const { root: from, key } = await rootWith(path.join(base, 'from'), 'Hello');
    files.faults = [{ call: 'list', path: 'sessions', errno: 'EACCES', times: 1 }];
    expect((await copy(from, path.join(base, 'to'))).failed).toMatchObject([{ session: `${key}/sessions` }]);
    if (process.getuid?.() === 0) return;
    await chmod(path.join(from, 'workspaces'), 0o000);
    await expect(copy(from, path.join(base, 'to'))).rejects.toMatchObject({ code: 'StorageFailure' });
    await chmod(path.join(from, 'workspaces'), 0o700);
  });
});
