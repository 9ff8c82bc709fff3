/**
 * Where sessions are kept, where the setting wants them, and where else there are some: folders that it named before, and
 * the storages of VS Code's other profiles. Nothing here moves or deletes anything.
 */
import path from 'node:path';
import { copyRoot, type RootCopy } from '../../log/copy-root.js';
import { listElsewhere, type FolderElsewhere } from '../../log/elsewhere.js';
import type { LeaseParts } from '../../log/lease.js';
import { KnownRoots, type OtherRoot } from '../../log/roots.js';
import { isBoughError, type Failure } from '../../shared/failure.js';
import type { ReadSetting } from '../model/settings.js';

export interface StorageRoots {
  /** Where this window's sessions are. */
  present: string;
  /** Where those of the next window will be; undefined when that is no place, which is said. */
  wanted(): string | undefined;
  /** The present one is found again once the setting names another. */
  remember(): Promise<void>;
  /** Those that have sessions, and those that may have some and are not there now. */
  elsewhere(): Promise<RootElsewhere[]>;
  /** One that is not there is listed no more; nothing is deleted. */
  forget(root: string): Promise<void>;
  copyTo(root: string, signal: AbortSignal): Promise<RootCopy>;
}

export interface RootElsewhere extends OtherRoot {
  /** Those that have sessions; none of a root that is not there. */
  folders: readonly FolderElsewhere[];
}

export interface StorageRootsParts extends LeaseParts {
  /** The profile's own storage. */
  storage: string;
  readSetting: ReadSetting;
  onTrouble: (error: Error) => void;
  /** A setting that cannot be followed. */
  onSetting: (failure: Failure) => void;
}

export function storageRoots(parts: StorageRootsParts): StorageRoots {
  const { storage } = parts;
  const present = wantedRoot(parts) ?? storage;
  const known = new KnownRoots(storage, parts);
  return {
    present,
    wanted: () => wantedRoot(parts),
    remember: () => known.add(present),
    elsewhere: async () => {
      const listed = await Promise.all(
        (await known.others(present)).map(async (other) => ({
          ...other,
          folders: other.isMissing === true ? [] : await foldersOf(parts, other),
        })),
      );
      return listed.filter(({ folders, isMissing }) => isMissing === true || folders.length > 0);
    },
    forget: (root) => known.forget(root),
    copyTo: (to, signal) => copyRoot({ ...parts, from: present, to }, signal),
  };
}

/** A root that cannot be read hides none of the others. */
async function foldersOf(parts: StorageRootsParts, { root }: OtherRoot): Promise<FolderElsewhere[]> {
  try {
    return await listElsewhere(parts, root);
  } catch (error) {
    if (!isBoughError(error)) throw error;
    parts.onTrouble(error);
    return [];
  }
}

/** One root for each profile of VS Code, unless the person names another. */
function wantedRoot({ storage, readSetting, onSetting }: StorageRootsParts): string | undefined {
  const wanted = readSetting('sessions.location');
  if (typeof wanted !== 'string' || wanted.trim() === '') return storage;
  if (path.isAbsolute(wanted)) return path.normalize(wanted);
  const message = `The setting bough.sessions.location is "${wanted}", which is no absolute path. Sessions are kept in VS Code's own storage.`;
  onSetting({ kind: 'refused', message, transient: false, code: 'configuration', action: 'open-settings' });
  return undefined;
}
