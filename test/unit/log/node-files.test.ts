import { execFileSync } from 'node:child_process';
import fs, { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readRange, writeAll } from '../../../src/log/bytes.js';
import { MemoryFiles } from '../../../src/log/memory-files.js';
import { createNodeFiles, patientRename } from '../../../src/log/node-files.js';
import { ifThere, storageFailure, stored } from '../../../src/log/storage.js';
import { FileStore } from '../../../src/log/file-store.js';
import type { LeaseParts } from '../../../src/log/lease.js';
import { LockTable } from '../../../src/log/lock-table.js';
import {
  findWorkspace,
  linkWorkspace,
  unlinkWorkspace,
  listWorkspaces,
  openWorkspace,
  workspaceKey,
} from '../../../src/log/workspace-key.js';
import { checkSessionId, isSessionName, sessionIdOf, sessionName } from '../../../src/log/session-name.js';
import type { Files } from '../../../src/ports.js';
import { randomIds, realClock, user } from './support.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'bough-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (content: Uint8Array): string => new TextDecoder().decode(content);
const at = (...parts: string[]): string => path.join(folder, ...parts);
const failing = (code: string): Error => Object.assign(new Error(code), { code });
const isPosix = process.platform !== 'win32';

describe.each<[string, () => Files]>([
  ['on disk', () => createNodeFiles()],
  ['in memory', () => new MemoryFiles(() => 0)],
])('files %s', (_, make) => {
  let files: Files;
  beforeEach(async () => {
    files = make();
    await files.makeFolder(folder);
  });

  it('append, read at any place, cut and stat', async () => {
    const file = await files.open(at('f'), 'append');
    await writeAll(file, bytes('hello '));
    await writeAll(file, bytes('world'));
    await file.datasync();
    expect(text(await readRange(file, 3, 8))).toBe('lo wo');
    expect(text(await readRange(file, 9, 100))).toBe('ld');
    await file.truncate(5);
    await writeAll(file, bytes('!'));
    expect((await file.stat()).size).toBe(6);
    await file.close();
    expect(text(await files.read(at('f')))).toBe('hello!');
    expect(await files.stat(at('f'))).toMatchObject({ size: 6, isFile: true, isFolder: false });
  });

  it('create only what is not there, and read only what is', async () => {
    await (await files.open(at('f'), 'create')).close();
    await expect(files.open(at('f'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(files.open(at('g'), 'read')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(files.open(at('no', 'f'), 'append')).rejects.toMatchObject({ code: 'ENOENT' });
    const works = [
      () => files.read(at('g')),
      () => files.stat(at('g')),
      () => files.list(at('g')),
      () => files.remove(at('g')),
      () => files.rename(at('g'), at('h')),
    ];
    for (const work of works) await expect(work()).rejects.toMatchObject({ code: 'ENOENT' });
    await files.removeTree(at('g'));
  });

  it('replace, link, rename, list and remove', async () => {
    await files.replace(at('f'), bytes('one'));
    await files.replace(at('f'), bytes('two'));
    await files.link(at('f'), at('g'));
    await expect(files.link(at('f'), at('g'))).rejects.toMatchObject({ code: 'EEXIST' });
    await files.makeFolder(at('a', 'b'));
    await files.replace(at('a', 'b', 'x'), bytes('x'));
    await files.rename(at('a'), at('c'));
    expect(text(await files.read(at('c', 'b', 'x')))).toBe('x');
    await files.remove(at('f'));
    expect((await files.list(folder)).sort()).toEqual(['c', 'g']);
    expect(text(await files.read(at('g')))).toBe('two');
    await files.removeTree(at('c'));
    await files.syncFolder(folder);
    expect(await files.list(folder)).toEqual(['g']);
    expect(await files.realPath(at('g'))).toBe(
      await createNodeFiles()
        .realPath(folder)
        .then(
          (real) => path.join(real, 'g'),
          () => at('g'),
        ),
    );
  });
});

describe('files on disk', () => {
  it.skipIf(!isPosix)('B18: are for their owner only, whatever the umask, and so are folders', async () => {
    const before = process.umask(0o022);
    try {
      const files = createNodeFiles();
      await mkdir(at('open'), { mode: 0o755 });
      await files.makeFolder(at('open'));
      await files.makeFolder(at('a', 'b'));
      await (await files.open(at('a', 'f'), 'append')).close();
      await (await files.open(at('a', 'g'), 'create')).close();
      await files.replace(at('a', 'h'), bytes('x'));
      await writeFile(at('a', 'loose'), 'x', { mode: 0o644 });
      await files.replace(at('a', 'loose'), bytes('y'));
      const mode = async (name: string): Promise<number> => (await stat(at(name))).mode & 0o777;
      expect([await mode('open'), await mode('a'), await mode('a/b')]).toEqual([0o700, 0o700, 0o700]);
      for (const name of ['f', 'g', 'h', 'loose'])
        expect([name, await mode(`a/${name}`)]).toEqual([name, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  it.skipIf(process.platform === 'win32')(
    'are never a pipe or a folder, and none makes us wait',
    async () => {
      const files = createNodeFiles();
      execFileSync('mkfifo', [at('pipe')]);
      for (const mode of ['read', 'append'] as const) {
        await expect(files.open(at('pipe'), mode)).rejects.toMatchObject({ code: 'EINVAL' });
        await expect(files.open(at(), mode)).rejects.toMatchObject({ code: 'EISDIR' });
      }
      expect(await files.read(at('pipe'))).toHaveLength(0);
    },
  );

  it('name the volume in what they throw', async () => {
    await expect(createNodeFiles().read(at())).rejects.toMatchObject({
      code: 'EISDIR',
      volume: expect.stringMatching(/^(\/|[A-Z]:)/),
    });
    // That something is not there is an answer: nobody waits until it is known where it is not.
    await expect(createNodeFiles().read(at('none'))).rejects.not.toHaveProperty('volume');
  });

  it('B2: replace a file under a name of its own: two at once leave one of them whole, and nothing else', async () => {
    const files = createNodeFiles();
    const contents = Array.from({ length: 12 }, (_, index) => `${index}`.repeat(20_000));
    await Promise.all(contents.map((content) => files.replace(at('f'), bytes(content))));
    expect(contents).toContain(await readFile(at('f'), 'utf8'));
    expect(await readdir(folder)).toEqual(['f']);
  });

  it('leave the old file and no other when a new one cannot take its place', async () => {
    await writeFile(at('f'), 'old');
    const files = createNodeFiles({ rename: () => Promise.reject(failing('EACCES')) });
    await expect(files.replace(at('f'), bytes('new'))).rejects.toMatchObject({ code: 'EACCES' });
    expect([await readFile(at('f'), 'utf8'), await readdir(folder)]).toEqual(['old', ['f']]);
  });

  it('are cut by name where a descriptor that appends may not (Windows)', async () => {
    const file = await createNodeFiles({ platform: 'win32' }).open(at('f'), 'append');
    await writeAll(file, bytes('hello'));
    await file.truncate(2);
    await writeAll(file, bytes('y'));
    await file.close();
    expect(await readFile(at('f'), 'utf8')).toBe('hey');
    await createNodeFiles({ platform: 'win32' }).syncFolder(at('not there'));
    await expect(createNodeFiles({ platform: 'linux' }).syncFolder(at('not there'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it.skipIf(process.platform !== 'linux')('tell a full disk', async () => {
    await symlink('/dev/full', at('full'));
    const files = createNodeFiles();
    const file = await files.open(at('full'), 'append');
    await expect(writeAll(file, bytes('x'))).rejects.toMatchObject({ code: 'ENOSPC' });
    await file.close();
  });

  it.each(['EPERM', 'EBUSY', 'EACCES'])(
    'B4: are renamed again and again on Windows while something else holds them (%s)',
    async (code) => {
      let left = 5;
      const waits: number[] = [];
      const rename = patientRename(
        'win32',
        () => (left-- > 0 ? Promise.reject(failing(code)) : Promise.resolve()),
        async (ms) => waits.push(ms),
      );
      await rename('a', 'b');
      expect(waits).toEqual([10, 20, 40, 80, 160]);
    },
  );

  it('B4: keep the staged file until the renaming succeeded, and give up after some seconds', async () => {
    let seen: string[] = [];
    let tries = 0;
    const files = createNodeFiles({
      platform: 'win32',
      wait: async () => (seen = await readdir(folder)),
      rename: async (from, to) => {
        if (++tries <= 5) throw failing('EPERM');
        await writeFile(to, await readFile(from));
        await rm(from);
      },
    });
    await files.replace(at('f'), bytes('result'));
    expect(seen).toEqual([expect.stringMatching(/^f\.[0-9]+-[0-9a-f]{8}-[0-9a-f]{16}\.tmp$/)]);
    expect([await readFile(at('f'), 'utf8'), await readdir(folder)]).toEqual(['result', ['f']]);
    const waits: number[] = [];
    const never = patientRename(
      'win32',
      () => Promise.reject(failing('EBUSY')),
      async (ms) => waits.push(ms),
    );
    await expect(never('a', 'b')).rejects.toMatchObject({ code: 'EBUSY' });
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(5_000);
  });

  it('B4: are not renamed again elsewhere, nor after another error', async () => {
    for (const [platform, code] of [
      ['linux', 'EACCES'],
      ['win32', 'ENOSPC'],
    ] as const) {
      let tries = 0;
      const rename = patientRename(
        platform,
        () => Promise.reject(failing(code)),
        () => Promise.resolve(tries++),
      );
      await expect(rename('a', 'b')).rejects.toMatchObject({ code });
      expect(tries).toBe(0);
    }
  });
});

describe('failures', () => {
  it('say what to do about each errno, and keep what is no failure of the disk', async () => {
    const say = (code: string): string => storageFailure(failing(code), 'write to', at('f')).message;
    const codes = [
      'ENOSPC',
      'EDQUOT',
      'EFBIG',
      'EACCES',
      'EPERM',
      'EROFS',
      'EIO',
      'EMFILE',
      'ENOENT',
      'EBUSY',
      'EWHATEVER',
    ];
    for (const code of codes)
      expect(say(code)).toMatch(new RegExp(`^Could not write to .*f: .+ \\(${code}\\)\\.$`));
    expect(storageFailure('odd', 'read', at('f'))).toMatchObject({
      code: 'StorageFailure',
      data: { errno: 'UNKNOWN' },
    });
    const bug = new TypeError('a bug');
    await expect(stored('read', at('f'), () => Promise.reject(bug))).rejects.toBe(bug);
    await expect(stored('read', at('f'), () => Promise.reject(failing('EIO')))).rejects.toMatchObject({
      code: 'StorageFailure',
    });
    await expect(ifThere(Promise.reject(failing('EIO')))).rejects.toMatchObject({ code: 'EIO' });
    expect(await ifThere(Promise.reject(failing('ENOENT')))).toBe(undefined);
  });
});

describe('names of sessions', () => {
  it('are the id where it is plain, else its hash, and never a path or a device', () => {
    expect([sessionName('0190a-b_c'), sessionName('x'.repeat(64))]).toEqual(['0190a-b_c', 'x'.repeat(64)]);
    for (const id of ['A', 'x'.repeat(65), '../x', 'a/b', 'con', 'lpt1', 'nul', 'a.b', 'é', 'a b']) {
      expect(sessionName(id)).toMatch(/^h-[0-9a-f]{64}$/);
    }
    expect(sessionName('A')).not.toBe(sessionName('B'));
    expect(sessionName(sessionName('A'))).toBe(sessionName('A'));
  });

  it('give the id of a header only to the file that is named by it', () => {
    expect([sessionIdOf('s', 's'), sessionIdOf('copy', 's'), sessionIdOf('s', undefined)]).toEqual([
      's',
      'copy',
      's',
    ]);
    expect(sessionIdOf(sessionName('A b'), 'A b')).toBe('A b');
    expect([
      isSessionName('s'),
      isSessionName('S'),
      isSessionName('con'),
      isSessionName(sessionName('A')),
    ]).toEqual([true, false, false, true]);
  });

  it('are refused for ids that are blank, padded or half a character', () => {
    for (const id of ['', '  ', ' a', 'a\n', '\u00a0a', 'a\ud800'])
      expect(() => checkSessionId(id)).toThrow(/well-formed/);
    for (const id of ['a', 'a b', 'slack:C1:t:1', 'ü😀']) checkSessionId(id);
  });
});

describe('keys of workspaces', () => {
  const files = createNodeFiles();
  const leasesOf = (window: string): LeaseParts => ({
    files,
    clock: realClock,
    locks: new LockTable(),
    who: { window, pid: process.pid, host: os.hostname() },
  });
  const leases = leasesOf('w');

  it('are readable and the same for a folder whatever way leads to it', async () => {
    await mkdir(at('My Project'));
    await symlink(at('My Project'), at('link'), 'dir');
    const key = await workspaceKey(files, { uri: 'file:///x', path: at('My Project') });
    expect(key).toMatch(/^my-project-[0-9a-f]{16}$/);
    expect(await workspaceKey(files, { uri: 'file:///y', path: at('link') })).toBe(key);
    expect(
      await workspaceKey(files, { uri: 'file:///y', path: at('link', '..', 'My Project') + path.sep }),
    ).toBe(key);
    expect(await workspaceKey(files, { uri: 'file:///z', path: at('gone') })).toMatch(/^gone-/);
    expect(await workspaceKey(files, undefined)).toBe('empty');
  });

  it('B9: do not depend on the case of a drive letter', async () => {
    const memory: Files = { ...createNodeFiles(), realPath: (name) => Promise.resolve(name) };
    const keys = await Promise.all(
      ['c:\\P', 'C:\\P', 'D:\\P'].map((name) => workspaceKey(memory, { uri: name, path: name })),
    );
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
  });

  it('B9: do not depend on the case of a server or share, nor on the prefix for long paths', async () => {
    const memory: Files = { ...createNodeFiles(), realPath: (name) => Promise.resolve(name) };
    const keyOf = (name: string): Promise<string> => workspaceKey(memory, { uri: name, path: name });
    const same = ['\\\\Server\\Share\\P', '\\\\server\\SHARE\\P', '\\\\?\\UNC\\server\\share\\P'];
    expect(new Set(await Promise.all(same.map(keyOf))).size).toBe(1);
    expect(await keyOf('\\\\server\\share\\p')).not.toBe(await keyOf('\\\\server\\share\\P'));
    expect(await keyOf('\\\\?\\C:\\P')).toBe(await keyOf('c:\\P'));
  });

  it('B9: take a URI for the same however it is written', async () => {
    await mkdir(at('p'));
    const first = await openWorkspace(leases, at('root'), { uri: 'file:///c%3A/P', path: at('p') });
    for (const uri of ['file:///C:/P', 'file:///c:/P/', 'FILE:///C%3a/P']) {
      expect(await openWorkspace(leases, at('root'), { uri, path: at('moved') })).toEqual(first);
    }
    const known = JSON.parse(await readFile(path.join(first.folder, 'workspace.json'), 'utf8')) as unknown;
    expect(known).toEqual({ uris: ['file:///c%3A/P'] });
    expect(
      (await openWorkspace(leases, at('root'), { uri: 'file:///c:/p', path: at('moved') })).key,
    ).not.toBe(first.key);
  });

  it('B7: are looked for without writing anything; the URI is noted with the first write', async () => {
    await mkdir(at('a'));
    const place = await findWorkspace(leases, at('root'), { uri: 'file:///a', path: at('a') });
    const store = new FileStore({
      folder: place.folder,
      files,
      clock: realClock,
      ids: randomIds,
      locks: new LockTable(),
      who: { window: 'w', pid: process.pid, host: 'h' },
      producer: 'bough/0.0.0-test',
      onTrouble: (error) => expect.fail(error.message),
      onFirstWrite: place.remember,
    });
    expect(await store.list()).toEqual({ sessions: [] });
    expect(await store.summary('s')).toBe(undefined);
    expect((await store.verify()).logs).toEqual([]);
    const log = await store.create({ id: 's' });
    await expect(store.open('nobody')).rejects.toMatchObject({ code: 'SessionNotFound' });
    await expect(stat(at('root'))).rejects.toThrow('ENOENT');
    await log.append([user('a')]);
    await store.close();
    expect(await listWorkspaces(files, at('root'))).toEqual([{ key: place.key, uris: ['file:///a'] }]);
    expect(await findWorkspace(leases, at('root'), { uri: 'file:///a', path: at('b') })).toMatchObject({
      key: place.key,
    });
  });

  it('B7, B10: lead to a moved folder once it is linked; a bucket whose files are gone hides nothing', async () => {
    const old = await openWorkspace(leases, at('root'), { uri: 'file:///old', path: at('old') });
    const moved = { uri: 'file:///new', path: at('new') };
    expect((await findWorkspace(leases, at('root'), moved)).key).not.toBe(old.key);
    await linkWorkspace(leases, at('root'), old.key, moved.uri);
    expect((await findWorkspace(leases, at('root'), moved)).key).toBe(old.key);
    expect(await listWorkspaces(files, at('root'))).toEqual([
      { key: old.key, uris: ['file:///old', 'file:///new'] },
    ]);
  });

  it('are made from the URI where a folder has no path', async () => {
    const one = await workspaceKey(files, { uri: 'vscode-vfs://github/a/b' });
    expect(one).toMatch(/^b-[0-9a-f]{16}$/);
    expect(await workspaceKey(files, { uri: 'vscode-vfs://github/c/b' })).not.toBe(one);
    expect(await workspaceKey(files, { uri: '///' })).toMatch(/^folder-/);
    expect((await workspaceKey(files, { uri: `x:/${'long'.repeat(50)}` })).length).toBeLessThan(64);
  });

  it('B7: lead to the sessions of a folder by any URI it was known by', async () => {
    await mkdir(at('a'));
    const first = await openWorkspace(leases, at('root'), { uri: 'file:///a', path: at('a') });
    expect(JSON.parse(await readFile(path.join(first.folder, 'workspace.json'), 'utf8'))).toEqual({
      uris: ['file:///a'],
    });
    expect(await openWorkspace(leases, at('root'), { uri: 'file:///a', path: at('elsewhere') })).toEqual(
      first,
    );
    expect(await openWorkspace(leases, at('root'), { uri: 'file:///link', path: at('a') })).toEqual(first);
    expect(await openWorkspace(leases, at('root'), { uri: 'file:///link', path: at('moved') })).toEqual(
      first,
    );
    const other = await openWorkspace(leases, at('root'), { uri: 'file:///b', path: at('b') });
    expect(other.key).not.toBe(first.key);
    await writeFile(path.join(first.folder, 'workspace.json'), 'garbage');
    expect(await openWorkspace(leases, at('root'), { uri: 'file:///a', path: at('a') })).toEqual(first);
    expect(await openWorkspace(leases, at('root'), undefined)).toEqual({
      key: 'empty',
      folder: at('root', 'workspaces', 'empty'),
    });
  });

  it('B7: forget no URI when several windows note theirs at once', async () => {
    const { key } = await openWorkspace(leases, at('root'), { uri: 'file:///a', path: at('a') });
    const uris = Array.from({ length: 4 }, (_, index) => `file:///other-${index}`);
    await Promise.all(uris.map((uri) => linkWorkspace(leasesOf(uri), at('root'), key, uri)));
    const [known] = await listWorkspaces(files, at('root'));
    expect([...(known?.uris ?? [])].sort()).toEqual(['file:///a', ...uris]);
  });

  it('B7: keep what other programs wrote beside the URIs, and a garbled file beside the new one', async () => {
    const folder = { uri: 'file:///a', path: at('a') };
    const place = await openWorkspace(leases, at('root'), folder);
    const file = path.join(place.folder, 'workspace.json');
    await writeFile(file, '{"uris":["file:///b"],"more":1}');
    await openWorkspace(leases, at('root'), folder);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ uris: ['file:///b', 'file:///a'], more: 1 });
    await writeFile(file, '{"uris":["file:///b"');
    await openWorkspace(leases, at('root'), folder);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ uris: ['file:///a'] });
    expect(await readFile(`${file}.damaged`, 'utf8')).toBe('{"uris":["file:///b"');
  });

  it('B7: are all listed, and one can be known by the name that its folder has now', async () => {
    expect(await listWorkspaces(files, at('root'))).toEqual([]);
    await mkdir(at('a'));
    const old = await openWorkspace(leases, at('root'), { uri: 'file:///a', path: at('a') });
    await linkWorkspace(leases, at('root'), old.key, 'file:///b');
    await linkWorkspace(leases, at('root'), old.key, 'file:///b');
    expect(await listWorkspaces(files, at('root'))).toEqual([
      { key: old.key, uris: ['file:///a', 'file:///b'] },
    ]);
    expect(await openWorkspace(leases, at('root'), { uri: 'file:///b', path: at('b') })).toEqual(old);
    await unlinkWorkspace(leases, at('root'), old.key, 'file:///b');
    await unlinkWorkspace(leases, at('root'), old.key, 'file:///b');
    expect(await listWorkspaces(files, at('root'))).toEqual([{ key: old.key, uris: ['file:///a'] }]);
  });
});

describe('a folder that cannot be synced', () => {
  const refused = async (errno: string): Promise<unknown> => {
    const open = fs.open.bind(fs);
    let isClosed = false;
    const spy = vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
      const handle = await open(...args);
      const close = handle.close.bind(handle);
      return Object.assign(handle, {
        sync: () => Promise.reject(failing(errno)),
        close: () => ((isClosed = true), close()),
      });
    });
    try {
      return await createNodeFiles({ platform: 'linux' }).syncFolder(folder);
    } catch (error) {
      return error;
    } finally {
      spy.mockRestore();
      expect(isClosed).toBe(true);
    }
  };

  it.skipIf(!isPosix).each(['EINVAL', 'ENOTSUP', 'ENOSYS'])(
    'is as durable as its file system makes it where that has no such call (%s)',
    async (errno) => {
      expect(await refused(errno)).toBeUndefined();
    },
  );

  it.skipIf(!isPosix).each(['EIO', 'ENOSPC', 'EACCES'])('fails what relies on it: %s', async (errno) => {
    expect(await refused(errno)).toMatchObject({ code: errno });
  });
});
