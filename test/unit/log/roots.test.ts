import { spawnSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderBlobs } from '../../../src/log/blobs.js';
import { copyRoot, type RootCopy } from '../../../src/log/copy-root.js';
import { DraftFiles } from '../../../src/log/draft.js';
import { listElsewhere } from '../../../src/log/elsewhere.js';
import { FileStore } from '../../../src/log/file-store.js';
import type { LeaseParts } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { KnownRoots, type RootsParts } from '../../../src/log/roots.js';
import { stagedName } from '../../../src/log/staged-name.js';
import { findWorkspace, openWorkspace } from '../../../src/log/workspace-key.js';
import type { BoughError } from '../../../src/shared/failure.js';
import { FaultyFiles } from './faulty-files.js';
import { assistant, randomIds, realClock, user } from './support.js';

let base: string;
let troubles: BoughError[];
let files: FaultyFiles;
/** Of one process. */
let locks: LockTable;
const stores: FileStore[] = [];
beforeEach(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'bough-roots-'));
  troubles = [];
  files = new FaultyFiles(createNodeFiles());
  locks = new LockTable();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await rm(base, { recursive: true, force: true });
});

const who = { window: 'test', pid: process.pid, host: os.hostname() };
const onTrouble = (error: BoughError): void => void troubles.push(error);
const leases = (): RootsParts & LeaseParts => ({
  files,
  clock: realClock,
  locks,
  who,
  onTrouble,
});
const ofExtension = (...parts: string[]): string =>
  path.join(base, 'User', ...parts, 'globalStorage', 'bough.bough');

function storeIn(root: string, key: string): FileStore {
  const folder = path.join(root, 'workspaces', key);
  const store = new FileStore({ ...leases(), folder, ids: randomIds, producer: 'bough/0.0.0-test' });
  stores.push(store);
  return store;
}

/** A root with one folder and a session in it that says `text`. */
async function rootWith(root: string, text: string, id = 's'): Promise<{ root: string; key: string }> {
  await mkdir(root, { recursive: true });
  const { key } = await openWorkspace(leases(), root, { uri: 'file:///project', path: '/project' });
  const store = storeIn(root, key);
  const log = await store.openOrCreate(id);
  await log.append([user(text), assistant(`re: ${text}`)]);
  await store.close();
  return { root, key };
}

/** Every file below a folder, by its path there, with its bytes. */
async function snapshot(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = found
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map(async (file) => [path.relative(folder, file), await readFile(file, 'base64')] as const);
  return Object.fromEntries(await Promise.all(entries));
}

describe('known roots', () => {
  it('remember what the setting named, once each, and not the own storage', async () => {
    const storage = ofExtension();
    const known = new KnownRoots(storage, leases());
    await known.add(storage);
    await expect(stat(path.join(storage, 'roots.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    await known.add('/sessions/a');
    await known.add('/sessions/b');
    await known.add('/sessions/a');
    expect(JSON.parse(await readFile(path.join(storage, 'roots.json'), 'utf8'))).toEqual({
      roots: ['/sessions/a', '/sessions/b'],
    });
    expect((await stat(path.join(storage, 'roots.json'))).mode & 0o077).toBe(0);
  });

  it('forget none when several windows remember at once', async () => {
    const storage = ofExtension();
    const roots = Array.from({ length: 8 }, (_, index) => `/sessions/${index}`);
    await Promise.all(roots.map((root) => new KnownRoots(storage, leases()).add(root)));
    const { roots: kept } = JSON.parse(await readFile(path.join(storage, 'roots.json'), 'utf8')) as {
      roots: string[];
    };
    expect(kept.sort()).toEqual(roots);
  });

  it('keep a garbled list beside the new one', async () => {
    const storage = ofExtension();
    await mkdir(storage, { recursive: true });
    const file = path.join(storage, 'roots.json');
    await writeFile(file, '{"roots":["/sessions/a"');
    await new KnownRoots(storage, leases()).add('/sessions/b');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ roots: ['/sessions/b'] });
    expect(await readFile(`${file}.damaged`, 'utf8')).toBe('{"roots":["/sessions/a"');
  });

  it('say what keeps them from being written, and leave no lock taken', async () => {
    const storage = ofExtension();
    const known = new KnownRoots(storage, leases());
    files.faults = [{ call: 'replace', path: 'roots.json', errno: 'ENOSPC', times: 1 }];
    await expect(known.add('/sessions/a')).rejects.toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'ENOSPC', path: path.join(storage, 'roots.json') },
    });
    await known.add('/sessions/a');
    expect(await readFile(path.join(storage, 'roots.json'), 'utf8')).toContain('/sessions/a');
  });

  it('remove what a killed process left half written', async () => {
    const storage = ofExtension();
    await mkdir(storage, { recursive: true });
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    const mine = stagedName(path.join(storage, 'roots.json'));
    const left = mine.replace(`.${process.pid}-`, `.${dead}-`);
    for (const name of [mine, left]) await writeFile(name, '{"roo');
    await new KnownRoots(storage, leases()).add('/sessions/a');
    const staged = (await readdir(storage)).filter((name) => name.endsWith('.tmp'));
    expect(staged).toEqual([path.basename(mine)]);
  });

  it.each([
    ['garbled', '{"roots":["/a'],
    ['another kind of file', '["/a"]'],
    ['relative', '{"roots":["a/b"]}'],
  ])('are none where the file is %s, and it is made anew', async (_, text) => {
    const storage = ofExtension();
    await mkdir(storage, { recursive: true });
    await writeFile(path.join(storage, 'roots.json'), text);
    const known = new KnownRoots(storage, leases());
    expect(await known.others(storage)).toEqual([]);
    await known.add('/sessions/a');
    expect(JSON.parse(await readFile(path.join(storage, 'roots.json'), 'utf8'))).toEqual({
      roots: ['/sessions/a'],
    });
  });

  it('find the storages of sibling profiles, by the names VS Code gave them, from any of them', async () => {
    const [main, work, home] = [
      ofExtension(),
      ofExtension('profiles', '1a2b'),
      ofExtension('profiles', '3c'),
    ];
    for (const root of [main, work, home]) await mkdir(root, { recursive: true });
    await mkdir(path.join(base, 'User/profiles/without-bough'), { recursive: true });
    await writeFile(
      path.join(base, 'User/globalStorage/storage.json'),
      JSON.stringify({ userDataProfiles: [{ name: 'Work', location: '1a2b', icon: 'x' }], other: 1 }),
    );
    expect(await new KnownRoots(main, leases()).others(main)).toEqual([
      { root: work, profile: 'Work' },
      { root: home, profile: '3c' },
    ]);
    expect(await new KnownRoots(work, leases()).others(work)).toEqual([
      { root: main, profile: 'Default' },
      { root: home, profile: '3c' },
    ]);
    // Where the setting names another place, the own storage is one of the others.
    const named = path.join(base, 'named');
    await mkdir(named);
    expect((await new KnownRoots(work, leases()).others(named)).map(({ root }) => root)).toEqual([
      main,
      work,
      home,
    ]);
  });

  it('name each place once, also those that a sibling remembers, and say of one that is gone that it is', async () => {
    const [main, work] = [ofExtension(), ofExtension('profiles', 'w')];
    const [there, gone] = [path.join(base, 'there'), path.join(base, 'gone')];
    for (const root of [main, work, there]) await mkdir(root, { recursive: true });
    await symlink(there, path.join(base, 'same'));
    await new KnownRoots(main, leases()).add(there);
    for (const root of [gone, path.join(base, 'same'), main]) await new KnownRoots(work, leases()).add(root);
    expect(await new KnownRoots(main, leases()).others(main)).toEqual([
      { root: work, profile: 'w' },
      { root: there },
      { root: gone, isMissing: true },
    ]);
    expect(await new KnownRoots(main, leases()).others(there)).toEqual([
      { root: main, profile: 'Default' },
      { root: work, profile: 'w' },
      { root: gone, isMissing: true },
    ]);
  });

  it('forget one that is wanted no more, whoever names it, until it is used again', async () => {
    const [main, work] = [ofExtension(), ofExtension('profiles', 'w')];
    for (const root of [main, work]) await mkdir(root, { recursive: true });
    const gone = path.join(base, 'gone');
    const known = new KnownRoots(main, leases());
    for (const roots of [known, new KnownRoots(work, leases())]) await roots.add(gone);
    const listed = async (roots: KnownRoots) => (await roots.others('/present')).map(({ root }) => root);
    expect(await listed(known)).toContain(gone);
    await known.forget(gone);
    await known.forget(gone);
    expect(await listed(known)).toEqual([main, work]);
    expect(await listed(new KnownRoots(work, leases()))).toContain(gone);
    await known.add(gone);
    expect(await listed(known)).toContain(gone);
    expect(JSON.parse(await readFile(path.join(main, 'roots.json'), 'utf8'))).toEqual({ roots: [gone] });
  });

  it('forget none when that cannot be written, which is said', async () => {
    const storage = ofExtension();
    const known = new KnownRoots(storage, leases());
    await known.add('/sessions/a');
    files.faults = [{ call: 'replace', path: 'roots.json', errno: 'EROFS' }];
    await expect(known.forget('/sessions/a')).rejects.toMatchObject({ data: { errno: 'EROFS' } });
    files.heal();
    expect((await known.others('/present')).map(({ root }) => root)).toContain('/sessions/a');
  });

  it('hide none because one cannot be looked at', async () => {
    const [main, work] = [ofExtension(), ofExtension('profiles', 'w')];
    for (const root of [main, work]) await mkdir(root, { recursive: true });
    await new KnownRoots(work, leases()).add('/sessions/a');
    files.faults = [
      { call: 'read', path: path.join(work, 'roots.json'), errno: 'EIO' },
      { call: 'read', path: 'storage.json', errno: 'EACCES' },
    ];
    expect(await new KnownRoots(main, leases()).others(main)).toEqual([{ root: work, profile: 'w' }]);
    expect(troubles.map(({ data }) => data['errno']).sort()).toEqual(['EACCES', 'EIO']);
    files.faults = [{ call: 'list', path: 'profiles', errno: 'EACCES' }];
    expect(await new KnownRoots(main, leases()).others(main)).toEqual([]);
  });

  it('are only the own storage outside the layout of VS Code', async () => {
    const storage = path.join(base, 'elsewhere', 'bough');
    await mkdir(path.join(base, 'profiles/x/globalStorage/bough'), { recursive: true });
    await mkdir(storage, { recursive: true });
    expect(await new KnownRoots(storage, leases()).others('/present')).toEqual([
      { root: storage, profile: 'Default' },
    ]);
  });
});

describe('sessions elsewhere', () => {
  it('are listed and nothing is written there', async () => {
    const { root, key } = await rootWith(ofExtension('profiles', 'w'), 'Hello');
    await rm(path.join(root, 'workspaces', key, 'cache'), { recursive: true, force: true });
    await writeFile(path.join(root, 'workspaces', key, 'sessions', 'Odd Name.jsonl'), '');
    const before = await snapshot(root);
    const [found, ...others] = await listElsewhere(leases(), root);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ key, uris: ['file:///project'] });
    expect(found?.sessions.map(({ summary, file }) => [summary.title, path.basename(file)])).toEqual(
      expect.arrayContaining([
        ['Hello', 's.jsonl'],
        ['Odd Name.jsonl', 'Odd Name.jsonl'],
      ]),
    );
    expect(await snapshot(root)).toEqual(before);
  });

  it('are listed beside stray files and folders that cannot be read, which are told', async () => {
    const { root, key } = await rootWith(path.join(base, 'r'), 'Hello');
    const workspaces = path.join(root, 'workspaces');
    await writeFile(path.join(workspaces, '.DS_Store'), 'x');
    await mkdir(path.join(workspaces, 'locked', 'sessions'), { recursive: true });
    await mkdir(path.join(workspaces, 'odd'));
    await writeFile(path.join(workspaces, 'odd', 'sessions'), 'a file');
    files.faults = [
      { call: 'read', path: path.join(key, 'workspace.json'), errno: 'EACCES' },
      { call: 'list', path: path.join('locked', 'sessions'), errno: 'EACCES' },
    ];
    const found = await listElsewhere(leases(), root);
    expect(found).toMatchObject([{ key, uris: [], sessions: [{ summary: { title: 'Hello' } }] }]);
    expect(troubles.map(({ data }) => data['path']).sort()).toEqual(
      [path.join(workspaces, key, 'workspace.json'), path.join(workspaces, 'locked', 'sessions')].sort(),
    );
    const elsewhere = { uri: 'file:///elsewhere', path: '/elsewhere' };
    expect((await findWorkspace(leases(), root, elsewhere)).key).not.toBe(key);
    const report = await copyRoot({ ...leases(), from: root, to: path.join(base, 'to') });
    expect(report).toMatchObject({
      copied: [`${key}/s`],
      failed: [{ session: 'locked/sessions' }],
    });
  });

  it('are none where there is no such folder, and none of a folder without sessions', async () => {
    expect(await listElsewhere(leases(), path.join(base, 'nowhere'))).toEqual([]);
    const root = path.join(base, 'r');
    await mkdir(root);
    await openWorkspace(leases(), root, { uri: 'file:///project', path: '/project' });
    expect(await listElsewhere(leases(), root)).toEqual([]);
  });

  it('leave out a row of the index there whose log is gone', async () => {
    const { root, key } = await rootWith(path.join(base, 'r'), 'Hello');
    await storeIn(root, key).list();
    await rm(path.join(root, 'workspaces', key, 'sessions', 's.jsonl'));
    expect(await listElsewhere(leases(), root)).toEqual([]);
  });

  it('are opened to be read: no append, no rename, no deletion; a fork and a copy are sessions of this root', async () => {
    const other = await rootWith(path.join(base, 'other'), 'Hello');
    const [folder] = await listElsewhere(leases(), other.root);
    const file = folder?.sessions[0]?.file ?? '';
    const before = await snapshot(other.root);
    const here = storeIn(path.join(base, 'here'), 'k');
    const log = await here.openToRead(file, 'It is read here.');
    expect(log.access).toEqual({ mode: 'read-only', reason: 'elsewhere', message: 'It is read here.' });
    expect(log.outline).toHaveLength(2);
    const refused = { code: 'AccessDenied', message: 'It is read here.' };
    await expect(log.append([user('no')])).rejects.toMatchObject(refused);
    await expect(log.acquire()).rejects.toMatchObject(refused);
    await expect(here.rename(log.id, 'Mine')).rejects.toMatchObject(refused);
    await expect(here.archive(log.id)).rejects.toMatchObject(refused);
    await expect(here.delete(log.id)).rejects.toMatchObject({ code: 'AccessDenied' });

    const again = await here.openToRead(file, 'It is read here.');
    const fork = await here.fork(again.id, { at: again.outline[0]?.[0] ?? '', id: 'forked' });
    expect(fork.access).toEqual({ mode: 'write' });
    expect(fork.outline).toHaveLength(1);
    expect(fork.header).toMatchObject({ parent_session_id: 's' });
    await fork.append([assistant('differently')]);
    const copy = await here.importCopy(again, { id: 'copied' });
    expect(copy.outline).toHaveLength(2);
    expect((await here.list()).sessions.map(({ id }) => id).sort()).toEqual(['copied', 'forked']);
    expect(await snapshot(other.root)).toEqual(before);
  });

  it('are writable where they turn out to be of this very root', async () => {
    const { root, key } = await rootWith(path.join(base, 'r'), 'Hello');
    const store = storeIn(root, key);
    const log = await store.openToRead(path.join(root, 'workspaces', key, 'sessions', 's.jsonl'), 'Read.');
    expect(log.access).toEqual({ mode: 'write' });
  });
});

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
