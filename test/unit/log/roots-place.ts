/** Storage roots in a folder of their own: the storages of profiles, places that the setting named, and sessions in them. */
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { RootsParts } from '../../../src/log/roots.js';
import { openWorkspace } from '../../../src/log/workspace-key.js';
import type { BoughError } from '../../../src/shared/failure.js';
import { FaultyFiles } from './faulty-files.js';
import { assistant, randomIds, realClock, user } from './support.js';

export interface RootsPlace {
  base: string;
  troubles: BoughError[];
  files: FaultyFiles;
  /** As of one process. */
  leases: () => RootsParts;
  storeIn: (root: string, key: string) => FileStore;
  /** A root with one folder and a session in it that says `text`. */
  rootWith: (root: string, text: string, id?: string) => Promise<{ root: string; key: string }>;
}

/** Hands `take` a new one before each test of the file, and clears it away after. */
export function useRootsPlace(take: (made: RootsPlace) => void): void {
  const stores: FileStore[] = [];
  let base: string;
  beforeEach(async () => {
    base = await mkdtemp(path.join(os.tmpdir(), 'bough-roots-'));
    take(placeAt(base, stores));
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await rm(base, { recursive: true, force: true });
  });
}

function placeAt(base: string, stores: FileStore[]): RootsPlace {
  const troubles: BoughError[] = [];
  const files = new FaultyFiles(createNodeFiles());
  const locks = new LockTable();
  const who = { window: 'test', pid: process.pid, host: os.hostname() };
  const onTrouble = (error: BoughError): void => void troubles.push(error);
  const leases = (): RootsParts => ({ files, clock: realClock, locks, who, onTrouble });
  const storeIn = (root: string, key: string): FileStore => {
    const folder = path.join(root, 'workspaces', key);
    const store = new FileStore({ ...leases(), folder, ids: randomIds, producer: 'bough/0.0.0-test' });
    stores.push(store);
    return store;
  };
  const rootWith: RootsPlace['rootWith'] = async (root, text, id = 's') => {
    await mkdir(root, { recursive: true });
    const { key } = await openWorkspace(leases(), root, { uri: 'file:///project', path: '/project' });
    const store = storeIn(root, key);
    const log = await store.openOrCreate(id);
    await log.append([user(text), assistant(`re: ${text}`)]);
    await store.close();
    return { root, key };
  };
  return { base, troubles, files, leases, storeIn, rootWith };
}

/** Every file below a folder, by its path there, with its bytes. */
export async function snapshot(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = found
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map(async (file) => [path.relative(folder, file), await readFile(file, 'base64')] as const);
  return Object.fromEntries(await Promise.all(entries));
}
