/** What a window opens of what lies on disk, without an editor: only the folders it has are asked of it. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type * as NodeFiles from '../../../src/log/node-files.js';
import { openStorage } from '../../../src/host/storage.js';
import { headerLine, messageLine } from '../log/lines.js';
import { makePlace, randomIds, realClock, type Place } from '../log/support.js';

vi.mock('vscode', () => ({
  workspace: {},
  Uri: {
    joinPath: (base: { fsPath: string }, ...names: string[]) => ({
      fsPath: [base.fsPath, ...names].join('/'),
    }),
  },
}));
const disk = vi.hoisted(() => ({ isBad: false }));
vi.mock('../../../src/log/node-files.js', async (actual) => {
  const { createNodeFiles } = await actual<typeof NodeFiles>();
  return {
    createNodeFiles: () => {
      const files = createNodeFiles();
      const bad = () => Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
      return { ...files, list: (folder: string) => (disk.isBad ? bad() : files.list(folder)) };
    },
  };
});

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(async () => {
  disk.isBad = false;
  await place.dispose();
});

const open = (root: string, troubles: Error[]) =>
  openStorage({
    context: {
      globalStorageUri: { fsPath: root },
      extension: { packageJSON: { version: '0.0.0' }, extensionUri: { fsPath: root } },
    } as never,
    readSetting: () => undefined,
    clock: realClock,
    ids: randomIds,
    onTrouble: (error) => troubles.push(error),
    onError: (error) => {
      throw error;
    },
    clean: (text) => text,
    onSetting: () => undefined,
  });

it('a window begins although the URIs of another folder cannot be read, or the folders cannot be listed', async () => {
  await mkdir(path.join(place.folder, 'workspaces', 'bad', 'workspace.json'), { recursive: true });
  for (const isBad of [false, true]) {
    disk.isBad = isBad;
    const troubles: Error[] = [];
    const storage = await open(place.folder, troubles);
    expect(troubles).toMatchObject([{ code: 'StorageFailure' }]);
    expect(troubles[0]?.message).toContain(isBad ? 'workspaces' : 'workspace.json');
    expect(storage.store.places.map(({ key }) => key)).toEqual(['empty']);
    await storage.close();
  }
});

it('a file outside of the folders is shown again by its path after a reload, and as gone when it is', async () => {
  const file = path.join(place.folder, 'from-elsewhere.jsonl');
  await writeFile(file, `${headerLine('s')}\n${messageLine('a', null, 'Hello')}\n`);
  const first = await open(place.folder, []);
  const { id } = await first.store.openFile(file);
  expect(first.store.fileOf(id)).toBe(id);
  await first.active.write(id);
  await first.close();

  const second = await open(place.folder, []);
  expect(await second.active.read()).toBe(id);
  expect([second.store.fileOf(id), second.store.isForeign(id), second.store.isKept(id)]).toEqual([
    id,
    true,
    false,
  ]);
  expect((await second.store.open(id)).position).toBe(1);
  await second.close();

  await rm(file);
  const third = await open(place.folder, []);
  expect(await third.active.read()).toBe(id);
  await expect(third.store.open(id)).rejects.toMatchObject({
    code: 'StorageFailure',
    message: expect.stringContaining(id) as string,
  });
  await third.close();
});
