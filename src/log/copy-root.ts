/**
 * Copies the sessions of one storage root into another: logs byte for byte, what was set aside of them, blobs, drafts, and
 * the names of their folders. Never a lock, a lease or a stream journal. The original is only read, under its lease; a
 * session that is there already stays as it is, unless it is the beginning of the original: then it gets the rest; each is there whole or not at all; none keeps the others from being copied.
 */
import path from 'node:path';
import { BoughError, isBoughError } from '../shared/failure.js';
import { isHash } from './blobs.js';
import { readFull, withFile, writeAll } from './bytes.js';
import { continuationOf } from './continue-copy.js';
import { SessionLease, type LeaseParts } from './lease.js';
import { DRAFT_FILE, LOG_SUFFIX, isSessionName, sessionPaths, type SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import { Trash, type Staged } from './trash.js';
import { linkWorkspace, listWorkspaces } from './workspace-key.js';

const CHUNK_BYTES = 1024 * 1024;

export interface CopyRootParts extends LeaseParts {
  from: string;
  to: string;
  /** What a copy that failed left behind; it goes with the next start there. */
  onTrouble: (error: BoughError) => void;
}

/** Sessions by `<key of their folder>/<name>`. */
export interface RootCopy {
  copied: string[];
  /** There is one of that id in the new place, which is no mere beginning of this one. */
  kept: string[];
  /** Somebody works in them now. */
  inUse: { session: string; reason: string }[];
  failed: { session: string; reason: string }[];
  /** `signal` ended it before all were looked at. */
  isStopped: boolean;
}

export async function copyRoot(parts: CopyRootParts, signal?: AbortSignal): Promise<RootCopy> {
  const report: RootCopy = { copied: [], kept: [], inUse: [], failed: [], isStopped: false };
  for (const { key, uris } of await listWorkspaces(parts.files, parts.from, parts.onTrouble)) {
    const copy = new FolderCopy(parts, key, report);
    await copy.run(uris, signal);
  }
  return report;
}

/** The sessions of one workspace folder. */
class FolderCopy {
  readonly #parts: CopyRootParts;
  readonly #key: string;
  readonly #report: RootCopy;
  readonly #from: string;
  readonly #to: string;
  readonly #trash: Trash;

  constructor(parts: CopyRootParts, key: string, report: RootCopy) {
    this.#parts = parts;
    this.#key = key;
    this.#report = report;
    const [from, to] = [parts.from, parts.to].map((root) => path.join(root, 'workspaces', key)) as [
      string,
      string,
    ];
    this.#from = path.join(from, 'sessions');
    this.#to = path.join(to, 'sessions');
    const { files, clock, who } = parts;
    this.#trash = new Trash({ files, clock, who, folder: path.join(to, 'trash'), sessions: this.#to });
  }

  async run(uris: readonly string[], signal?: AbortSignal): Promise<void> {
    const { files, to } = this.#parts;
    await this.#told('workspace.json', async () => {
      for (const uri of uris) await linkWorkspace(this.#parts, to, this.#key, uri);
    });
    await this.#told('sessions', async () => {
      const names = (await stored('list', this.#from, () => ifThere(files.list(this.#from)))) ?? [];
      for (const name of sessionsIn(names)) {
        if (signal?.aborted === true) {
          this.#report.isStopped = true;
          return;
        }
        await this.#told(name, () => this.#copy(name, names.includes(`${name}${LOG_SUFFIX}`)));
      }
    });
  }

  /** What fails is said of this one, and the next is begun. */
  async #told(name: string, work: () => Promise<void>): Promise<void> {
    const session = `${this.#key}/${name}`;
    try {
      await work();
    } catch (error) {
      if (!isBoughError(error)) throw error;
      if (error.code === 'SessionExists') this.#report.kept.push(session);
      else if (error.code === 'Locked') this.#report.inUse.push({ session, reason: error.message });
      else this.#report.failed.push({ session, reason: error.message });
    }
  }

  async #copy(name: string, hasLog: boolean): Promise<void> {
    if (!isSessionName(name)) throw misnamed(name);
    const from = sessionPaths(this.#from, name);
    const to = sessionPaths(this.#to, name);
    if (!hasLog) return this.#copyDraft(from, to);
    const isThere = await this.#isThere(to.log);
    if (isThere && (await this.#sizeOf(to.log)) >= (await this.#sizeOf(from.log))) throw there(to.log);
    if (!isThere && (await this.#isThere(draftOf(to)))) throw there(draftOf(to));
    await this.#leased(from, async () => {
      if (isThere) await this.#leased(to, (lease) => this.#continue(from, to, lease));
      else await this.#place(from, to);
    });
    this.#report.copied.push(`${this.#key}/${name}`);
  }

  async #leased(paths: SessionPaths, work: (lease: SessionLease) => Promise<void>): Promise<void> {
    const lease = new SessionLease(paths, this.#parts);
    await lease.take('write');
    try {
      await work(lease);
    } finally {
      await lease.release();
    }
  }

  /** It was copied before, and went on here only. Attachments come first: those that a line names are there. */
  async #continue(from: SessionPaths, to: SessionPaths, lease: SessionLease): Promise<void> {
    const { files } = this.#parts;
    const parts = { files, from: from.log, to: to.log, isLeaseOurs: () => lease.isOurs() };
    const append = await continuationOf(parts);
    if (append === undefined) throw there(to.log);
    const { mtime } = await stored('look at', from.log, () => files.stat(from.log));
    const known = await this.#listed(to.folder);
    const missing = (await this.#listed(from.folder)).filter((name) => isHash(name) && !known.includes(name));
    if (missing.length > 0) await stored('create', to.folder, () => files.makeFolder(to.folder));
    for (const hash of missing) {
      const blob = path.join(from.folder, hash);
      const bytes = await stored('read', blob, () => files.read(blob));
      await stored('write the copy', to.folder, () => files.replace(path.join(to.folder, hash), bytes));
    }
    await append();
    await stored('write the copy', to.log, () => files.setTime(to.log, mtime));
  }

  async #place(from: SessionPaths, to: SessionPaths): Promise<void> {
    await this.#staged(to, async (staged) => {
      await this.#copySideFiles(from, staged);
      await this.#copyFile(from.log, staged.log);
    });
  }

  async #staged(to: SessionPaths, fill: (staged: Staged) => Promise<void>): Promise<void> {
    const { files } = this.#parts;
    await stored('create', this.#to, () => files.makeFolder(this.#to));
    const staged = await this.#trash.stage(to);
    try {
      await fill(staged);
      await staged.commit();
    } catch (error) {
      await this.#abandon(staged);
      throw error;
    }
    await stored('create', this.#to, () => files.syncFolder(path.dirname(this.#to)));
  }

  /** The first error is the one to tell. */
  async #abandon(staged: Staged): Promise<void> {
    try {
      await staged.abandon();
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }

  async #copySideFiles(from: SessionPaths, staged: Staged): Promise<void> {
    if (await this.#isThere(from.damaged)) {
      const damaged = path.join(path.dirname(staged.log), path.basename(from.damaged));
      await this.#copyFile(from.damaged, damaged);
    }
    const kept = (await this.#listed(from.folder)).filter((name) => isHash(name) || name === DRAFT_FILE);
    if (kept.length === 0) return;
    const { files } = this.#parts;
    await stored('create', staged.folder, () => files.makeFolder(staged.folder));
    for (const name of kept)
      await this.#copyFile(path.join(from.folder, name), path.join(staged.folder, name));
    await stored('create', staged.folder, () => files.syncFolder(staged.folder));
  }

  /** What was typed and attached and not sent, in a session that is nothing else yet. */
  async #copyDraft(from: SessionPaths, to: SessionPaths): Promise<void> {
    if (!(await this.#isThere(draftOf(from)))) return;
    for (const file of [to.log, to.folder]) if (await this.#isThere(file)) throw there(file);
    await this.#staged(to, (staged) => this.#copySideFiles(from, staged));
    this.#report.copied.push(`${this.#key}/${from.name}`);
  }

  /** As old as the original: the list is in the order of what was used last. */
  async #copyFile(from: string, to: string): Promise<void> {
    const { files } = this.#parts;
    const { mtime } = await stored('read', from, () => files.stat(from));
    await stored('read', from, () =>
      withFile(files.open(from, 'read'), (source) =>
        stored('write the copy', to, () =>
          withFile(files.open(to, 'create'), async (target) => {
            const chunk = new Uint8Array(CHUNK_BYTES);
            for (let position = 0; ;) {
              const got = await stored('read', from, () => readFull(source, chunk, position));
              if (got === 0) break;
              await writeAll(target, chunk.subarray(0, got));
              position += got;
            }
            await target.datasync();
          }),
        ),
      ),
    );
    await stored('write the copy', to, () => files.setTime(to, mtime));
  }

  async #isThere(file: string): Promise<boolean> {
    const { files } = this.#parts;
    return (await stored('look at', file, () => ifThere(files.stat(file)))) !== undefined;
  }

  async #sizeOf(file: string): Promise<number> {
    return (await stored('look at', file, () => this.#parts.files.stat(file))).size;
  }

  async #listed(folder: string): Promise<string[]> {
    const { files } = this.#parts;
    return (await stored('list', folder, () => ifThere(files.list(folder)))) ?? [];
  }
}

const draftOf = ({ folder }: SessionPaths): string => path.join(folder, DRAFT_FILE);

/** By their logs, and the folders of those that have none yet. */
function sessionsIn(names: readonly string[]): string[] {
  const logs = names.filter((name) => name.endsWith(LOG_SUFFIX));
  const found = [
    ...logs.map((name) => name.slice(0, -LOG_SUFFIX.length)),
    ...names.filter((name) => isSessionName(name)),
  ];
  return [...new Set(found)].sort();
}

const there = (file: string): BoughError =>
  new BoughError('SessionExists', `There is such a session already; ${file} was not replaced.`);

const misnamed = (name: string): BoughError =>
  new BoughError(
    'InvalidArgument',
    `${name}${LOG_SUFFIX} was not named by Bough; rename it to lower-case letters, digits, - and _ and copy it again.`,
  );
