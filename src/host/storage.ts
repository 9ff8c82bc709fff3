/** Where this window's sessions are, opened: the stores of its folders, what the side bar shows, drafts. */
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { connectStore } from '../log/connected-store.js';
import type { CustomStore } from '../log/custom-store.js';
import { ActiveSessions } from '../log/active-sessions.js';
import { DraftFiles } from '../log/draft.js';
import { FileStore } from '../log/file-store.js';
import { LockTable } from '../log/lock-table.js';
import { createMemoryStore } from '../log/memory-store.js';
import { createNodeFiles } from '../log/node-files.js';
import { textsHere, type ReadTexts } from '../log/said-text.js';
import { TextReader } from './sessions/text-reader.js';
import {
  findWorkspace,
  isKnownBy,
  linkWorkspace,
  unlinkWorkspace,
  listWorkspaces,
  type FolderIdentity,
} from '../log/workspace-key.js';
import type { Clock, Files, Ids } from '../ports.js';
import { isBoughError, type Failure } from '../shared/failure.js';
import type { DraftStore } from './chat/drafts.js';
import type { ReadSetting } from './model/settings.js';
import {
  activeSession,
  sideBarSurface,
  tabSessions,
  type ActiveSession,
  type TabSessions,
} from './sessions/active.js';
import type { Bucket, Buckets } from './sessions/other-folders.js';
import { storageRoots, type StorageRoots } from './sessions/storage-roots.js';
import { WindowStore, type Place } from './sessions/window-store.js';

export interface Storage {
  store: WindowStore;
  buckets: Buckets;
  roots: StorageRoots;
  active: ActiveSession;
  tabs: TabSessions;
  /** Which session a surface of this folder talks to. */
  surfaces: ActiveSessions;
  drafts: DraftStore;
  /** The sessions of another extension's store. */
  connect: (custom: CustomStore) => Place;
  close(): Promise<void>;
}

export interface StorageParts {
  context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri' | 'extension'>;
  readSetting: ReadSetting;
  clock: Clock;
  ids: Ids;
  onTrouble: (error: Error) => void;
  onError: (error: unknown) => void;
  /** Takes keys out of the names of sessions. */
  clean: (text: string) => string;
  /** A setting that cannot be followed. */
  onSetting: (failure: Failure) => void;
}

/** What all stores of this window share. */
interface Root extends StorageParts {
  root: string;
  files: Files;
  locks: LockTable;
  who: { window: string; pid: number; host: string };
  producer: string;
  readTexts: ReadTexts;
  onFirstWrite?: () => Promise<void>;
}

export async function openStorage(parts: StorageParts): Promise<Storage> {
  const { clock, ids, onTrouble, onError } = parts;
  const { version } = parts.context.extension.packageJSON as { version?: unknown };
  const leases = {
    clock,
    files: createNodeFiles(),
    locks: new LockTable(),
    who: { window: vscode.workspace.name ?? 'no folder', pid: process.pid, host: os.hostname() },
  };
  const roots = storageRoots({ ...parts, ...leases, storage: parts.context.globalStorageUri.fsPath });
  const script = vscode.Uri.joinPath(parts.context.extension.extensionUri, 'dist', 'text-worker.js').fsPath;
  const texts = new TextReader({ script, here: textsHere(leases.files), clock, onTrouble });
  const producer = `bough/${String(version)}`;
  const shared: Root = { ...parts, ...leases, root: roots.present, producer, readTexts: texts.read };
  await remembered(roots, onTrouble);
  const [identity] = folderIdentities();
  const bucket = await findWorkspace(shared, shared.root, identity, onTrouble);
  const first = placeAt({ ...shared, onFirstWrite: bucket.remember }, bucket.key, identity?.uri);
  const memory = createMemoryStore({ clock, ids, producer: shared.producer });
  const store = new WindowStore({ first, memory, freshId: () => ids.session(), onError, clean: parts.clean });
  const buckets = createBuckets(shared, store);
  await store.follow(() => othersOrNone(buckets, onTrouble));
  const surfaces = new ActiveSessions(bucket.folder, shared);
  const { surface, ...before } = sideBarSurface(bucket.key, parts.context.storageUri?.fsPath);
  const active = activeSession(surface, {
    ...before,
    surfaces,
    store,
    freshId: () => ids.session(),
    isContinued: () => parts.readSetting('sessions.continueLast') !== false,
    onTrouble,
  });
  let connected = 0;
  const connect = (custom: CustomStore): Place => ({
    key: `custom-${++connected}`,
    folder: undefined,
    store: connectStore({ custom, clock, ids, producer: shared.producer, onTrouble }),
  });
  return {
    store,
    buckets,
    roots,
    active,
    tabs: tabSessions(bucket.key, { surfaces, store }),
    surfaces,
    drafts: draftsOf(shared, store),
    connect,
    close: async () => {
      texts.dispose();
      await store.close();
    },
  };
}

/** Sessions can be had without it; only the way back to them is longer once the setting names another place. */
async function remembered(roots: StorageRoots, onTrouble: (error: Error) => void): Promise<void> {
  try {
    await roots.remember();
  } catch (error) {
    if (!isBoughError(error)) throw error;
    onTrouble(error);
  }
}

/** A window begins with its first folder's sessions, whatever is wrong with those of the others. */
async function othersOrNone(buckets: Buckets, onTrouble: (error: Error) => void): Promise<Place[]> {
  try {
    return await buckets.others();
  } catch (error) {
    if (!isBoughError(error)) throw error;
    onTrouble(error);
    return [];
  }
}

function placeAt(shared: Root, key: string, folder: string | undefined): Place {
  const at = folderAt(shared, key);
  return { key, folder, logs: path.join(at, 'sessions'), store: new FileStore({ ...shared, folder: at }) };
}

const folderAt = ({ root }: Root, key: string): string => path.join(root, 'workspaces', key);

function createBuckets(shared: Root, store: WindowStore): Buckets {
  const { files, root, onTrouble } = shared;
  const list = () => listWorkspaces(files, root, onTrouble);
  const open = ({ key, uris }: Bucket) => store.visited(key) ?? placeAt(shared, key, uris.at(-1));
  return {
    list,
    open,
    link: async (key) => {
      const [identity] = folderIdentities();
      if (identity) await linkWorkspace(shared, root, key, identity.uri);
    },
    unlink: async (key) => {
      const [identity] = folderIdentities();
      if (identity) await unlinkWorkspace(shared, root, key, identity.uri);
    },
    /** Each folder has the sessions of its own key, and those of every bucket it is known by. */
    others: async () => {
      const identities = folderIdentities();
      const own = await Promise.all(identities.map((identity) => findWorkspace(shared, root, identity)));
      const isShown = ({ key, uris }: Bucket) =>
        own.some((place) => place.key === key) || identities.some(({ uri }) => isKnownBy(uris, uri));
      const known = await list();
      return known.filter((bucket) => bucket.key !== store.first.key && isShown(bucket)).map(open);
    },
  };
}

/** Drafts lie beside their session. One that is in memory only leaves none on disk. */
function draftsOf(shared: Root, store: WindowStore): DraftStore {
  const at = async (session: string) =>
    new DraftFiles(folderAt(shared, (await store.placeOf(session)).key), shared.files);
  return {
    read: async (session) => (store.isKept(session) ? (await at(session)).read(session) : undefined),
    write: async (session, draft) => {
      if (store.isKept(session)) await (await at(session)).write(session, draft);
    },
  };
}

function folderIdentities(): FolderIdentity[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
    uri.scheme === 'file' ? { uri: uri.toString(), path: uri.fsPath } : { uri: uri.toString() },
  );
}
