/**
 * The sessions of one workspace folder: `sessions/` with a log and its side files each, `cache/`, `trash/`. Strict, one
 * live handle per session, and nothing is deleted but what was asked to be.
 */
import path from 'node:path';
import type { Disposable } from '../ports.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { Catalog } from './catalog.js';
import type { ListReading } from './list-reading.js';
import { Copies } from './copies.js';
import { exists } from './copy-init.js';
import type { SessionLease } from './lease.js';
import { sweepLeftovers } from './leftovers.js';
import { Listeners } from './listeners.js';
import type { Reading } from './log-file.js';
import type { FileLog } from './log.js';
import { mend, noteMendable } from './mend.js';
import { checkPolicy, prune } from './prune.js';
import { SessionHandles, type HandleParts } from './session-handles.js';
import type { ReadTexts } from './said-text.js';
import { nameOf, tagsOf } from './session-info.js';
import { LOG_SUFFIX, type SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import type {
  DeletedSession,
  Deletion,
  ForkOptions,
  Holder,
  ListQuery,
  OnRead,
  SessionInit,
  SessionLog,
  SessionStore,
  SessionSummary,
  StoreAbilities,
} from './store.js';
import { Trash, type Discarded } from './trash.js';
import type { PruneOptions, PrunePolicy, PruneReport, VerifyOptions, VerifyReport } from './upkeep.js';
import { verifyLogs, type VerifyParts } from './verify.js';

export interface FileStoreParts extends HandleParts {
  /** `workspaces/<key>/`: see workspace-key. */
  folder: string;
  /** Reads what was said in logs, for a search; default: here. */
  readTexts?: ReadTexts;
}

export class FileStore implements SessionStore, StoreAbilities {
  readonly #parts: FileStoreParts;
  readonly #sessions: string;
  readonly #catalog: Catalog;
  /** Of the logs that its list has to read. */
  readonly reading: ListReading;
  readonly #trash: Trash;
  readonly #handles: SessionHandles;
  readonly #copies: Copies;
  readonly #changed = new Listeners<string>();
  #hasSwept = false;

  constructor(parts: FileStoreParts) {
    this.#parts = parts;
    this.#sessions = path.join(parts.folder, 'sessions');
    const { files, clock, who, onTrouble, producer, readTexts } = parts;
    const list = { files, clock, who, onTrouble, producer, sessions: this.#sessions };
    const cache = path.join(parts.folder, 'cache');
    this.#catalog = new Catalog({ ...list, cache, ...(readTexts === undefined ? {} : { readTexts }) });
    this.reading = this.#catalog.reading;
    const folder = path.join(parts.folder, 'trash');
    this.#trash = new Trash({ files, folder, sessions: this.#sessions, clock, who });
    const made = ({ name }: SessionPaths): Promise<void> => this.#catalog.made(name);
    this.#handles = new SessionHandles({ ...parts, made }, this.#sessions, (id) => this.#changed.tell(id));
    this.#copies = new Copies({ ...parts, handles: this.#handles, trash: this.#trash, made });
  }

  create(init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    const id = init.id ?? this.#parts.ids.session();
    const handles = this.#handles;
    const make = async (paths: SessionPaths): Promise<FileLog> => {
      if ((await handles.live(paths)) !== undefined || (await handles.isOnDisk(paths))) throw exists(id);
      return handles.create(id, paths, init);
    };
    return handles.gated(id, make, signal);
  }

  open(id: string, signal?: AbortSignal, onRead?: OnRead): Promise<SessionLog> {
    const reading = {
      ...(signal === undefined ? {} : { signal }),
      ...(onRead === undefined ? {} : { onRead }),
    };
    return this.#handles.gated(id, (paths) => this.#liveOrOpened(id, paths, reading), signal);
  }

  openOrCreate(id: string, init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    const handles = this.#handles;
    const make = async (paths: SessionPaths): Promise<FileLog> => {
      const live = await handles.live(paths);
      if (live !== undefined) return live;
      return (await handles.isOnDisk(paths)) ? handles.open(id, paths) : handles.create(id, paths, init);
    };
    return handles.gated(id, make, signal);
  }

  async openFile(file: string, signal?: AbortSignal): Promise<SessionLog> {
    const handles = this.#handles;
    const found = await handles.pathsOfFile(path.resolve(file));
    if (!handles.isOutside(found.name)) return this.open(found.name, signal);
    const open = async (paths: SessionPaths): Promise<FileLog> => {
      const log = await this.#liveOrOpened(found.name, paths, signal === undefined ? {} : { signal });
      if (log.isSessionLog) return log;
      await handles.drop(log, paths);
      handles.forgetFile(paths);
      throw noSessionLog(found.log);
    };
    return handles.gated(found.name, open, signal);
  }

  async openToRead(file: string, why: string, signal?: AbortSignal): Promise<SessionLog> {
    const paths = await this.#handles.pathsOfFile(path.resolve(file));
    if (!this.#handles.isOutside(paths.name)) return this.open(paths.name, signal);
    this.#handles.keepToReading(paths, why);
    return this.open(paths.name, signal);
  }

  async list(query?: ListQuery): Promise<{ sessions: SessionSummary[]; cursor?: string }> {
    await this.#sweepOnce();
    return this.#catalog.list(query);
  }

  summary(id: string): Promise<SessionSummary | undefined> {
    return this.#catalog.one(this.#handles.pathsOf(id).name);
  }

  async holder(id: string): Promise<Holder | null> {
    const handles = this.#handles;
    return handles.leaseOf(handles.pathsOf(id)).holder();
  }

  opened(id: string): SessionLog | undefined {
    return this.#handles.opened(this.#handles.pathsOf(id));
  }

  async rename(id: string, name: string, signal?: AbortSignal): Promise<void> {
    await this.#note(id, nameOf(name), signal);
  }

  async setTags(id: string, tags: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#note(id, tagsOf(tags), signal);
  }

  archive(id: string, signal?: AbortSignal): Promise<void> {
    return this.#setArchived(id, true, signal);
  }

  unarchive(id: string, signal?: AbortSignal): Promise<void> {
    return this.#setArchived(id, false, signal);
  }

  async fork(id: string, options: ForkOptions = {}): Promise<SessionLog> {
    return this.#told(await this.#copies.fork(id, options));
  }

  async importCopy(source: SessionLog, init: SessionInit = {}, signal?: AbortSignal): Promise<SessionLog> {
    return this.#told(await this.#copies.importCopy(source, init, signal));
  }

  delete(id: string, signal?: AbortSignal): Promise<Deletion> {
    const handles = this.#handles;
    const discard = async (paths: SessionPaths): Promise<Deletion> => {
      await this.#refuseMisnamed(id, paths);
      const known = await this.#catalog.known(paths.name);
      const discarded = await this.#discard(id, paths);
      this.#changed.tell(id);
      return {
        undo: () =>
          handles.gated(id, async () => {
            if (discarded.wasGone && !(await handles.isOnDisk(paths))) throw deletedBefore(id);
            await discarded.restore();
            await this.#catalog.unmarkDeleted(paths.name, known);
            this.#changed.tell(id);
          }),
        purge: () => handles.gated(id, () => discarded.purge()),
      };
    };
    return handles.gated(id, discard, signal);
  }

  async prune(policy: PrunePolicy, options: PruneOptions = {}): Promise<PruneReport> {
    checkPolicy(policy);
    const { files, clock } = this.#parts;
    const { orphans } = await verifyLogs({ ...this.#examining, isShallow: true }, () => Promise.resolve());
    // As in a list of an owner's: whose a log is only the log says.
    const rows = await this.#catalog.all(options.owner !== undefined);
    const discardSides = this.#trash.discardSides.bind(this.#trash);
    const parts = { files, clock, handles: this.#handles, rows, orphans, discardSides };
    return prune({ ...parts, delete: (id) => this.delete(id) }, policy, options);
  }

  async deleted(): Promise<DeletedSession[]> {
    return this.#trash.list();
  }

  async restore(key: string): Promise<string> {
    const { id, paths } = await this.#trash.find(key);
    await this.#handles.gated(id, async () => {
      await this.#trash.restore(key, paths);
      await this.#catalog.unmarkDeleted(paths.name);
    });
    this.#changed.tell(id);
    return id;
  }

  async verify({ repair = false, signal }: VerifyOptions = {}): Promise<VerifyReport> {
    const { files, clock, hasFiles = true } = this.#parts;
    const leaseOf = (paths: SessionPaths): SessionLease => this.#handles.leaseOf(paths);
    const parts = { files, clock, sessions: this.#sessions, leaseOf };
    const report = await verifyLogs(
      this.#examining,
      (log) => (repair ? mend(parts, log) : noteMendable(parts, log)),
      signal,
    );
    if (repair && report.logs.length > 0) {
      await this.#catalog.rebuild();
      report.repaired.push('The list of sessions was made anew from the logs.');
    }
    if (hasFiles) return report;
    return { ...report, folder: undefined, logs: report.logs.map((log) => ({ ...log, file: undefined })) };
  }

  onChange(listener: (id: string) => void): Disposable {
    return this.#changed.add(listener);
  }

  close(): Promise<void> {
    return this.#handles.close();
  }

  // --------------------------------------------------------------------------------------------------------- work

  get #examining(): VerifyParts {
    const { files, folder, who } = this.#parts;
    return { files, folder, host: who.host, openNames: this.#handles.openNames };
  }

  async #liveOrOpened(id: string, paths: SessionPaths, reading?: Reading): Promise<FileLog> {
    return (await this.#handles.live(paths)) ?? (await this.#handles.open(id, paths, reading));
  }

  #told(log: SessionLog): SessionLog {
    this.#changed.tell(log.id);
    return log;
  }

  /** What a session is called says nothing of when it was worked in, which the list goes by. */
  #note(id: string, info: { name?: string; tags?: string[] }, signal?: AbortSignal): Promise<void> {
    const note = { type: 'session_info' as const, ...info };
    const options = { isArchivedAllowed: true, keepsTime: true };
    return this.#handles.withLog(id, (log) => log.append([note], options), signal);
  }

  #setArchived(id: string, archived: boolean, signal?: AbortSignal): Promise<void> {
    const set = async (paths: SessionPaths): Promise<void> => {
      const log = await this.#liveOrOpened(id, paths);
      if (log.isRunning)
        throw new BoughError('SessionRunning', 'This session is working; stop it before it is archived.');
      try {
        if (log.state().archived !== archived) {
          // That it is put away says nothing of when it was worked in, which the list goes by; that it is taken up again does.
          const options = { isArchivedAllowed: true, keepsTime: archived };
          await log.append([{ type: 'session_info', archived }], options);
        }
      } finally {
        await this.#handles.drop(log, paths);
      }
    };
    return this.#handles.gated(id, set, signal);
  }

  /** A log that cannot be read can be deleted all the same; of one that is gone, what it left behind. */
  async #discard(id: string, paths: SessionPaths): Promise<Discarded & { wasGone: boolean }> {
    const handles = this.#handles;
    if (handles.isOutside(id)) throw outside(paths.log);
    const log = await handles.live(paths);
    let wasGone = false;
    const move = async (): Promise<Discarded> => {
      wasGone = await this.#catalog.isDeleted(paths.name);
      // First, so that whatever ends this process leaves none without a log.
      await handles.indexOf(paths)?.remove();
      await this.#catalog.markDeleted(paths.name);
      try {
        const discarded = await this.#trash.discard(paths);
        await this.#catalog.markDeleted(paths.name, true);
        return discarded;
      } catch (error) {
        await this.#catalog.unmarkUnlessGone(paths.name);
        throw error;
      }
    };
    let discarded: Discarded;
    if (log === undefined) discarded = await handles.underLease(paths, move);
    else {
      discarded = await log.discard(deleted(id), move);
      handles.forget(paths);
    }
    await stored('remove', paths.lock, () => handles.leaseOf(paths).removeFiles());
    return { ...discarded, wasGone };
  }

  /** A file in the folder that Bough did not name is listed by its whole name, and is left to whoever put it there. */
  async #refuseMisnamed(id: string, paths: SessionPaths): Promise<void> {
    if (!id.endsWith(LOG_SUFFIX) || path.basename(id) !== id || this.#handles.isOutside(id)) return;
    const file = path.join(this.#sessions, id);
    const stat = await stored('look at', file, () => ifThere(this.#parts.files.stat(file)));
    if (stat?.isFile === true && !(await this.#handles.isOnDisk(paths))) throw misnamed(file);
  }

  #sweepLeftovers(): Promise<void> {
    const { files, clock, who, folder } = this.#parts;
    const leaseOf = (paths: SessionPaths): SessionLease => this.#handles.leaseOf(paths);
    return sweepLeftovers({ files, clock, folder, sessions: this.#sessions, host: who.host, leaseOf });
  }

  /** What was deleted long ago goes for good when somebody looks, and what dead processes left half done. */
  async #sweepOnce(): Promise<void> {
    if (this.#hasSwept) return;
    this.#hasSwept = true;
    const { onTrouble } = this.#parts;
    for (const sweep of [() => this.#trash.sweep(onTrouble), () => this.#sweepLeftovers()]) {
      try {
        await sweep();
      } catch (error) {
        if (!isBoughError(error)) throw error;
        onTrouble(error);
      }
    }
  }
}

const deleted = (id: string): BoughError =>
  new BoughError('SessionConflict', `Session ${id} was deleted; nothing more is written to it.`);

const deletedBefore = (id: string): BoughError =>
  new BoughError(
    'SessionNotFound',
    `Session ${id} had been deleted before, in another window maybe: nothing of it was left to be deleted here, and nothing can be undone here. Undo it where it was deleted, or bring it back with "Restore Deleted Session…".`,
  );

const misnamed = (file: string): BoughError =>
  new BoughError(
    'InvalidArgument',
    `${file} was not named by Bough and is left as it is. Delete it in your file manager, or rename it to lower-case letters, digits, - and _ to have it as a session.`,
    { path: file },
  );

const noSessionLog = (file: string): BoughError =>
  new BoughError(
    'InvalidArgument',
    `${file} is no session log: none of its lines is an entry that Bough knows. Bough takes its own logs (JSONL, format 4) and tree logs of format 3. The file was left as it is.`,
    { path: file },
  );

const outside = (file: string): BoughError =>
  new BoughError(
    'AccessDenied',
    `${file} is not in Bough's own folder; it is deleted where the file is, not here.`,
    { path: file },
  );
