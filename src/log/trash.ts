/**
 * Deleted sessions until they are gone for good: log and side files are moved together into a folder of their own, from
 * which they can be brought back. It outlives the window; what a dead process left there is purged after a week, and
 * what it left half done is brought to its end: a session whose log is in the trash is there with all that belongs to it.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Clock, FileStat, Files } from '../ports.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { isAliveHere, readHolder, type HolderRecord } from './holder.js';
import { LOG_SUFFIX, sessionPaths, type SessionPaths } from './session-name.js';
import { stagedBy, stagedName } from './staged-name.js';
import { ifThere, storageFailure, stored } from './storage.js';
import type { DeletedSession, SessionSummary } from './store.js';
import { summarise, unreadable } from './summary.js';

const OWNER_FILE = 'owner.json';
/** What a place's name ends with that was never a session yet: of a dead process it goes at once. */
const COPY_SUFFIX = '.copy';
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

export interface TrashParts {
  files: Files;
  folder: string;
  /** Where what is deleted comes from. */
  sessions: string;
  clock: Clock;
  /** Who deletes: what is in the trash is this process's as long as it lives. */
  who: Pick<HolderRecord, 'window' | 'pid' | 'host'>;
}

/** One deleted session. */
export interface Discarded {
  /**
   * Brings everything back; what was brought back otherwise by then stays so. @throws BoughError SessionExists when there is a
   * new session of this id, SessionNotFound when it is not in the trash any more
   */
  restore(): Promise<void>;
  purge(): Promise<void>;
}

/** A session that is put together where nobody looks: it is there whole or not at all, however the process ends. */
export interface Staged {
  log: string;
  /** For its blobs; not made yet. */
  folder: string;
  /** @throws BoughError SessionExists */
  commit(): Promise<void>;
  abandon(): Promise<void>;
}

export class Trash {
  readonly #parts: TrashParts;
  readonly #kept = new Set<string>();

  constructor(parts: TrashParts) {
    this.#parts = parts;
  }

  /** Moves what there is of a session; the log first, so that it is gone from the list at once or not at all. */
  async discard(paths: SessionPaths): Promise<Discarded> {
    const { files } = this.#parts;
    const place = this.#placeFor(paths);
    const moved: string[] = [];
    await stored('move to the trash', place, async () => {
      await this.#makePlace(place);
      try {
        for (const from of partsOf(paths)) {
          if ((await ifThere(files.stat(from))) === undefined) continue;
          await files.rename(from, path.join(place, path.basename(from)));
          moved.push(from);
        }
        // Where it is now first: a machine that stops must not leave it in neither.
        await files.syncFolder(place);
        await files.syncFolder(paths.sessions);
      } catch (error) {
        await this.#putBack(place, moved, storageFailure(error, 'move to the trash', place));
        throw error;
      }
    });
    this.#kept.add(place);
    let isPurged = false;
    return {
      restore: async () => {
        if (isPurged) throw goneForGood();
        if (await this.#isPlace(place)) return this.#restore(place, paths);
        // Only this process purges it: it was brought back from the list of what was deleted, here or in another window.
        const isBack = await stored('look at', paths.log, () => ifThere(files.stat(paths.log)));
        if (isBack === undefined) throw leftTheTrash(paths);
      },
      purge: async () => {
        isPurged = true;
        await this.#purge(place);
      },
    };
  }

  /** Side files of `paths` whose log is not there: into a place of their own, where they lie as they did. */
  async discardSides(paths: SessionPaths, sides: readonly string[]): Promise<void> {
    const { files } = this.#parts;
    const place = this.#placeFor(paths);
    await stored('move to the trash', place, async () => {
      await this.#makePlace(place);
      for (const from of sides) {
        const to = path.join(place, path.relative(paths.sessions, from));
        await files.makeFolder(path.dirname(to));
        await ifThere(files.rename(from, to));
      }
      await files.syncFolder(place);
    });
  }

  async #isPlace(place: string): Promise<boolean> {
    return (await stored('look at', place, () => ifThere(this.#parts.files.stat(place)))) !== undefined;
  }

  /** The log last: as long as it is in the trash, all of the session can be brought back from there. */
  async #putBack(place: string, moved: readonly string[], failure: BoughError): Promise<void> {
    try {
      for (const from of moved.toReversed())
        await this.#parts.files.rename(path.join(place, path.basename(from)), from);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `${failure.message} What was moved by then could not be put back: ${why} The session is in the trash; bring it back with "Restore Deleted Session…".`;
      throw new BoughError('StorageFailure', message, failure.data, { cause: failure });
    }
  }

  async stage(paths: SessionPaths): Promise<Staged> {
    const place = `${this.#placeFor(paths)}${COPY_SUFFIX}`;
    await stored('create', place, () => this.#makePlace(place));
    this.#kept.add(place);
    return {
      log: path.join(place, path.basename(paths.log)),
      folder: path.join(place, path.basename(paths.folder)),
      commit: () => this.#restore(place, paths),
      abandon: async () => {
        await this.#complete(place, paths.name);
        await this.#purge(place);
      },
    };
  }

  /** What is there of sessions that were deleted, whoever deleted them; the newest first. */
  async list(): Promise<DeletedSession[]> {
    const { files, folder } = this.#parts;
    const names = (await stored('list', folder, () => ifThere(files.list(folder)))) ?? [];
    const found = await Promise.all(names.map((name) => this.#deletedAt(name)));
    return found.flatMap((one) => one ?? []).sort((a, b) => b.deleted - a.deleted);
  }

  /** @throws BoughError SessionNotFound */
  async find(key: string): Promise<{ id: string; paths: SessionPaths }> {
    const found = await this.#deletedAt(key);
    if (found === undefined) throw goneForGood();
    return { id: found.id, paths: sessionPaths(this.#parts.sessions, sessionIn(key)) };
  }

  /** Of a place that {@link find} found. @throws BoughError SessionExists */
  async restore(key: string, paths: SessionPaths): Promise<void> {
    const place = path.join(this.#parts.folder, key);
    this.#kept.add(place);
    await this.#restore(place, paths);
  }

  /** Undefined for what is no session that was deleted. */
  async #deletedAt(key: string): Promise<DeletedSession | undefined> {
    const { files, folder, sessions } = this.#parts;
    if (!PLACE.test(key)) return undefined;
    const place = path.join(folder, key);
    const name = sessionIn(key);
    const log = path.join(place, `${name}${LOG_SUFFIX}`);
    const stat = await stored('look at', log, () => ifThere(files.stat(log)));
    const owner = await stored('read', place, () => readHolder(files, path.join(place, OWNER_FILE)));
    if (stat?.isFile !== true || owner === undefined) return undefined;
    const { id, title, messages } = await this.#rowOf(log, name, stat);
    const bytes = stat.size + (await this.#sizeOf(place, sessionPaths(sessions, name)));
    return { key, id, title, messages, deleted: Date.parse(owner.since), bytes };
  }

  async #rowOf(log: string, name: string, stat: FileStat): Promise<SessionSummary> {
    try {
      return await summarise(this.#parts.files, log);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      return unreadable(name, stat, error.message);
    }
  }

  /** Of all but the log. */
  async #sizeOf(place: string, { stream, damaged, folder }: SessionPaths): Promise<number> {
    const { files } = this.#parts;
    const inFolder = path.join(place, path.basename(folder));
    const names = (await stored('list', inFolder, () => ifThere(files.list(inFolder)))) ?? [];
    const sides = [stream, damaged].map((file) => path.join(place, path.basename(file)));
    let bytes = 0;
    for (const file of [...sides, ...names.map((name) => path.join(inFolder, name))])
      bytes += (await stored('look at', file, () => ifThere(files.stat(file))))?.size ?? 0;
    return bytes;
  }

  #placeFor({ name }: SessionPaths): string {
    return path.join(this.#parts.folder, `${name}.${randomBytes(6).toString('hex')}`);
  }

  /** With its owner's name in it from the first moment. */
  async #makePlace(place: string): Promise<void> {
    const { files, clock, who } = this.#parts;
    const owner: HolderRecord = { ...who, since: new Date(clock.now()).toISOString() };
    const staged = stagedName(place);
    await files.makeFolder(staged);
    await files.replace(path.join(staged, OWNER_FILE), new TextEncoder().encode(JSON.stringify(owner)));
    await files.rename(staged, place);
    await files.syncFolder(path.dirname(place));
  }

  /**
   * Ends what processes that are dead left half done, and purges what they deleted more than a week ago. What cannot be
   * done in one place is told and keeps no other from it.
   */
  async sweep(onTrouble: (error: BoughError) => void): Promise<void> {
    const { files, folder } = this.#parts;
    const names = (await stored('list', folder, () => ifThere(files.list(folder)))) ?? [];
    for (const name of names) {
      try {
        await this.#sweepPlace(name);
      } catch (error) {
        if (!isBoughError(error)) throw error;
        onTrouble(error);
      }
    }
  }

  async #sweepPlace(name: string): Promise<void> {
    const { files, folder, clock, who } = this.#parts;
    const place = path.join(folder, name);
    const by = stagedBy(name, who.host);
    if (by !== undefined) {
      if (isAliveHere(by, who.host) === false) await this.#remove(place);
      return;
    }
    const owner = path.join(place, OWNER_FILE);
    const record = await stored('read', owner, () => readHolder(files, owner));
    if (record === undefined || this.#kept.has(place) || isAliveHere(record, who.host) !== false) return;
    const isOld = clock.now() - Date.parse(record.since) > KEPT_MS;
    const session = sessionIn(name);
    const isEmpty = await this.#isEmpty(place);
    if (!isOld && !isEmpty) await this.#complete(place, session);
    if (isOld || isEmpty || name.endsWith(COPY_SUFFIX)) await this.#purge(place);
  }

  /** The process died before it moved anything here, or after it brought everything back. */
  async #isEmpty(place: string): Promise<boolean> {
    const names = await stored('list', place, () => this.#parts.files.list(place));
    return names.every((name) => name === OWNER_FILE);
  }

  /** Side files whose log is here already follow it, unless there is a new session of that id. */
  async #complete(place: string, session: string): Promise<void> {
    const { files, sessions } = this.#parts;
    const paths = sessionPaths(sessions, session);
    await stored('move to the trash', place, async () => {
      const isHere = (await ifThere(files.stat(path.join(place, path.basename(paths.log))))) !== undefined;
      if (!isHere || (await ifThere(files.stat(paths.log))) !== undefined) return;
      for (const from of partsOf(paths)) await this.#move(from, path.join(place, path.basename(from)));
    });
  }

  /** Into a folder that is there each file by itself: blobs of the same name are the same. */
  async #move(from: string, to: string): Promise<void> {
    const { files } = this.#parts;
    const source = await ifThere(files.stat(from));
    if (source === undefined) return;
    const isMerged = source.isFolder && (await ifThere(files.stat(to)))?.isFolder === true;
    if (!isMerged) return files.rename(from, to);
    for (const name of await files.list(from)) await files.rename(path.join(from, name), path.join(to, name));
    await files.removeTree(from);
  }

  async #restore(place: string, paths: SessionPaths): Promise<void> {
    if (!this.#kept.has(place)) {
      throw goneForGood();
    }
    const { files } = this.#parts;
    await stored('bring back', paths.log, async () => {
      if ((await ifThere(files.stat(paths.log))) !== undefined) {
        throw new BoughError(
          'SessionExists',
          `There is a new session of this id; ${paths.log} was not replaced.`,
        );
      }
      // The log comes last: a session that is listed has all that belongs to it. A composer that was still open may have
      // saved its draft after the session was deleted.
      for (const to of partsOf(paths).reverse()) await this.#move(path.join(place, path.basename(to)), to);
      await files.syncFolder(paths.sessions);
    });
    await this.#purge(place);
  }

  /** Under another name first: what is half removed is not taken for a deleted session. */
  async #purge(place: string): Promise<void> {
    const doomed = stagedName(place);
    await stored('empty the trash', place, () => ifThere(this.#parts.files.rename(place, doomed)));
    await this.#remove(doomed);
    this.#kept.delete(place);
  }

  async #remove(place: string): Promise<void> {
    await stored('empty the trash', place, () => this.#parts.files.removeTree(place));
  }
}

/** The name of a place: the session's, and a number. */
const PLACE = /^.+\.[0-9a-f]{12}$/;

const sessionIn = (place: string): string => place.replace(/\.[0-9a-f]{12}(?:\.copy)?$/, '');

const goneForGood = (): BoughError =>
  new BoughError('SessionNotFound', 'This session was removed for good; it cannot be brought back.');

const leftTheTrash = ({ log }: SessionPaths): BoughError =>
  new BoughError(
    'SessionNotFound',
    `This session is not where it was put in the trash any more: it was brought back meanwhile and deleted again or moved, or the trash was emptied by hand. Look for it with "Restore Deleted Session…"; it belongs to ${log}.`,
    { path: log },
  );

const partsOf = ({ log, stream, damaged, folder }: SessionPaths): string[] => [log, stream, damaged, folder];
