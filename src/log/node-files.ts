/**
 * The file system of this host behind the {@link Files} port. Files are 0600 and folders 0700; a small file is replaced
 * as a whole or not at all: the new bytes are complete and synced under a name of their own before they take the place.
 */
import { constants, stat as statWith } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Files, FileStat, OpenFile } from '../ports.js';
import { writeAll } from './bytes.js';
import { stagedName } from './staged-name.js';
import { errnoOf } from './storage.js';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;
/** A pipe under a log's name must not keep whoever reads it waiting; Windows has neither. */
const O_NONBLOCK: number = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;
const flags = {
  read: O_RDONLY | O_NONBLOCK,
  append: O_RDWR | O_APPEND | O_CREAT,
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
} as const;

export interface NodeFilesOptions {
  platform?: NodeJS.Platform;
  rename?: (from: string, to: string) => Promise<void>;
  wait?: (ms: number) => Promise<unknown>;
}

export function createNodeFiles(options: NodeFilesOptions = {}): Files {
  const platform = options.platform ?? process.platform;
  const rename = patientRename(platform, options.rename ?? fs.rename, options.wait ?? wait);
  const files: Files = {
    open: (file, mode) => at(file, openFile(file, mode, platform)),
    read: (file) => at(file, fs.readFile(file, { flag: flags.read })),
    stat: (file) => at(file, statOf(file)),
    statAll,
    list: (folder) => at(folder, fs.readdir(folder)),
    makeFolder: (folder) => at(folder, makeFolder(folder, platform)),
    replace: (file, bytes) => at(file, replace(files, file, bytes)),
    rename: (from, to) => at(to, rename(from, to)),
    link: (from, to) => at(to, fs.link(from, to)),
    remove: (file) => at(file, fs.unlink(file)),
    removeTree: (folder) => at(folder, fs.rm(folder, { recursive: true, force: true, maxRetries: 3 })),
    syncFolder: (folder) => at(folder, syncFolder(folder, platform)),
    realPath: (file) => at(file, fs.realpath(file)),
    setTime: (file, mtime) => at(file, fs.utimes(file, mtime / 1_000, mtime / 1_000)),
  };
  return files;
}

/** Whoever asks for what may be there or not is told so: often, and whatever volume it is on. */
const answers = new Set(['ENOENT', 'EEXIST']);

/** Errors carry the volume beside errno, so that a full disk can be named. */
async function at<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== undefined && !answers.has(errno) && error instanceof Error && !('volume' in error)) {
      Object.assign(error, { volume: await volumeOf(file) });
    }
    throw error;
  }
}

/** The mount point (POSIX) or drive (Windows) that holds a path: the highest folder on the same device. */
async function volumeOf(file: string): Promise<string> {
  const { root } = path.parse(path.resolve(file));
  const device = async (name: string): Promise<number | undefined> => {
    try {
      return (await fs.stat(name)).dev;
    } catch {
      return undefined; // not there or not ours to see: the folder above tells as much
    }
  };
  let here = path.resolve(file);
  let own = await device(here);
  while (here !== root) {
    const above = path.dirname(here);
    const other = await device(above);
    if (own !== undefined && other !== own) return here;
    own ??= other;
    here = above;
  }
  return root;
}

/** A list asks for every file of a folder: by a callback at half the price of a promise of the file system's. */
function statOf(file: string): Promise<FileStat> {
  return new Promise((resolve, reject) => {
    statWith(file, (error, stat) => {
      if (error === null) resolve(toStat(stat));
      else reject(error);
    });
  });
}

/** Enough to keep the threads of the file system busy, and few enough to leave it room for others. */
const STATS_AT_ONCE = 32;

/** A list looks at every file of a folder: one promise for all of them, and of each only what a list asks. */
function statAll(paths: readonly string[]): Promise<(FileStat | undefined)[]> {
  return new Promise((resolve) => {
    const found = new Array<FileStat | undefined>(paths.length);
    let next = 0;
    let left = paths.length;
    const look = (): void => {
      const index = next++;
      const file = paths[index];
      if (file === undefined) return;
      statWith(file, (error, stat) => {
        if (error === null)
          found[index] = {
            size: stat.size,
            mtime: stat.mtimeMs,
            isFile: stat.isFile(),
            isFolder: stat.isDirectory(),
          };
        if (--left === 0) resolve(found);
        else look();
      });
    };
    if (left === 0) resolve(found);
    for (let count = 0; count < STATS_AT_ONCE; count++) look();
  });
}

function toStat(stat: {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  birthtimeMs: number;
  dev: number;
  ino: number;
  isFile(): boolean;
  isDirectory(): boolean;
}): FileStat {
  return {
    size: stat.size,
    mtime: stat.mtimeMs,
    changed: stat.ctimeMs,
    isFile: stat.isFile(),
    isFolder: stat.isDirectory(),
    // The number of a file that is gone may be another's at once.
    identity: `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`,
  };
}

async function openFile(
  file: string,
  mode: keyof typeof flags,
  platform: NodeJS.Platform,
): Promise<OpenFile> {
  const handle = await fs.open(file, flags[mode], FILE_MODE);
  let opened: FileStat;
  try {
    const stat = await handle.stat();
    refuseOther(stat);
    opened = toStat(stat);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    opened,
    read: async (into, position) => (await at(file, handle.read(into, 0, into.length, position))).bytesRead,
    write: async (bytes) => (await at(file, handle.write(bytes, 0, bytes.length, null))).bytesWritten,
    datasync: () => at(file, handle.datasync()),
    // Windows gives a descriptor that appends no right to shorten the file.
    truncate: (length) =>
      at(file, platform === 'win32' ? fs.truncate(file, length) : handle.truncate(length)),
    stat: async () => toStat(await at(file, handle.stat())),
    close: () => at(file, handle.close()),
  };
}

/** What is written to a pipe is kept by nobody. */
function refuseOther(stat: { isFIFO(): boolean; isDirectory(): boolean }): void {
  if (stat.isFIFO()) throw Object.assign(new Error('it is a pipe, no file'), { code: 'EINVAL' });
  if (stat.isDirectory()) throw Object.assign(new Error('it is a folder, no file'), { code: 'EISDIR' });
}

async function makeFolder(folder: string, platform: NodeJS.Platform): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (platform === 'win32') return;
  const { mode, uid } = await fs.stat(folder);
  // Someone else's folder, or a file system without modes, keeps the permissions it has.
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) await fs.chmod(folder, FOLDER_MODE);
}

/**
 * Not the package write-file-atomic: it ignores short writes, names its temporary file by a process id that two containers
 * may share, and needs a `__filename` that bundles of ES modules do not have.
 */
async function replace(files: Files, target: string, bytes: Uint8Array): Promise<void> {
  const staged = stagedName(target);
  try {
    const file = await files.open(staged, 'create');
    try {
      await writeAll(file, bytes);
      await file.datasync();
    } finally {
      await file.close();
    }
    await files.rename(staged, target);
  } catch (error) {
    await fs.rm(staged, { force: true }).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  await files.syncFolder(path.dirname(target));
}

/**
 * On Windows a watcher, an indexer or a virus scanner may hold a file for a moment. Renaming is tried again with growing
 * delays, for about ten seconds in all; the staged file stays until it succeeded.
 */
export function patientRename(
  platform: NodeJS.Platform,
  rename: (from: string, to: string) => Promise<void>,
  waitFor: (ms: number) => Promise<unknown>,
): (from: string, to: string) => Promise<void> {
  const isPassing = (error: unknown): boolean => ['EPERM', 'EBUSY', 'EACCES'].includes(errnoOf(error) ?? '');
  return async (from, to) => {
    for (let delay = 10; ; delay *= 2) {
      try {
        await rename(from, to);
        return;
      } catch (error) {
        if (platform !== 'win32' || !isPassing(error) || delay > 5_120) throw error;
      }
      await waitFor(delay);
    }
  };
}

/** Makes a created or renamed file's name durable. Windows has no such call; some network systems refuse it. */
async function syncFolder(folder: string, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') return;
  const handle = await fs.open(folder, O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
