// Where sessions may be besides the present root: what is remembered, what is found, and that it is only read.
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyRoot } from '../../../src/log/copy-root.js';
import { listElsewhere } from '../../../src/log/elsewhere.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { KnownRoots } from '../../../src/log/roots.js';
import { stagedName } from '../../../src/log/staged-name.js';
import { findWorkspace, linkWorkspace, openWorkspace, workspaceKey } from '../../../src/log/workspace-key.js';
import type { Files } from '../../../src/ports.js';
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

const ofExtension = (...parts: string[]): string =>
  path.join(base, 'User', ...parts, 'globalStorage', 'bough.bough');

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

describe('a folder', () => {
  it('that two windows link at the same moment is known once', async () => {
    const { root, key } = await rootWith(path.join(base, 'r'), 'Hello');
    const uri = 'file:///renamed';
    await Promise.all([leases(), leases()].map((parts) => linkWorkspace(parts, root, key, uri)));
    const { uris } = JSON.parse(
      await readFile(path.join(root, 'workspaces', key, 'workspace.json'), 'utf8'),
    ) as { uris: string[] };
    expect(uris).toEqual(['file:///project', uri]);
  });
});

describe('a key of a folder', () => {
  it('B7: is not guessed where the folder cannot be looked at', async () => {
    const denied: Files = {
      ...createNodeFiles(),
      realPath: () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })),
    };
    await expect(workspaceKey(denied, { uri: 'file:///p', path: '/p' })).rejects.toMatchObject({
      code: 'EACCES',
    });
  });
});
