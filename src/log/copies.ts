/**
 * Forks and imported copies: new sessions made from what another holds. A copy is put together where nobody looks and
 * takes its place whole; the original is only read.
 */
import type { Clock, Files, Ids } from '../ports.js';
import type { Header } from '../shared/entry.js';
import type { BoughError } from '../shared/failure.js';
import { isBoughError } from '../shared/failure.js';
import { FolderBlobs } from './blobs.js';
import { copyLines } from './copy-lines.js';
import {
  exists,
  forkInit,
  forkPoint,
  goneMeanwhile,
  importInit,
  isElsewhere,
  refuseWhileAsked,
  type CopyInit,
} from './copy-init.js';
import { CopyPlan } from './copy-plan.js';
import { newHeader, refusalOf } from './header.js';
import { importRecords } from './import-records.js';
import type { FileLog } from './log.js';
import { carryBlob, linkBlobsFrom, writeCopy, type CarryBlob } from './session-copy.js';
import { LOG_SUFFIX, type SessionPaths } from './session-name.js';
import type { SessionHandles } from './session-handles.js';
import { ifThere, stored } from './storage.js';
import type { ForkOptions, SessionInit, SessionLog } from './store.js';
import type { Staged, Trash } from './trash.js';

/** How often it is looked whether a turn has settled, at first and at most. */
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;

export interface CopiesParts {
  files: Files;
  clock: Clock;
  ids: Ids;
  producer: string;
  onTrouble: (error: BoughError) => void;
  handles: SessionHandles;
  trash: Trash;
  /** A session's log is there for the first time. */
  made: (paths: SessionPaths) => Promise<void>;
}

interface Copy {
  init: CopyInit;
  plan: CopyPlan;
  positions: readonly number[];
  carry: CarryBlob;
  /** The original is in its place still. */
  isThere: () => Promise<boolean>;
}

export class Copies {
  readonly #parts: CopiesParts;

  constructor(parts: CopiesParts) {
    this.#parts = parts;
  }

  async fork(id: string, options: ForkOptions): Promise<FileLog> {
    const { handles, files } = this.#parts;
    const paths = handles.pathsOf(id);
    return this.#reading(id, options.signal, async (source) => {
      await this.#untilSettled(source, options.signal);
      const head = await forkPoint(source, options);
      refuseWhileAsked(source, head);
      const kept = source.nodes(head).map(([entry]) => entry);
      const copy = {
        init: forkInit(this.#parts.ids, source, head, options),
        plan: new CopyPlan({ outline: source.outline, kept, head, isForeign: isElsewhere(source) }),
        positions: source.linePositions(head),
        carry: linkBlobsFrom(files, paths.folder),
        isThere: () => handles.isOnDisk(paths),
      };
      return this.#make(source, copy, options.signal);
    });
  }

  /** All of `source`, whichever store it is of. */
  async importCopy(source: SessionLog, init: SessionInit, signal?: AbortSignal): Promise<FileLog> {
    const { outline, head } = source;
    const kept = outline.map(([id]) => id);
    const copy = {
      init: importInit(this.#parts.ids, source, init),
      plan: new CopyPlan({ outline, kept, head, isForeign: true, isWhole: true }),
      positions: Array.from({ length: source.position }, (_, position) => position),
      carry: this.#carryFrom(source),
      isThere: () => this.#isThere(source),
    };
    return this.#make(source, copy, signal);
  }

  async #make(
    source: SessionLog,
    { init, plan, positions, carry, isThere }: Copy,
    signal?: AbortSignal,
  ): Promise<FileLog> {
    const { access } = source;
    if (access.mode === 'read-only' && access.reason === 'newer') throw refusalOf(access);
    const { handles, trash, files, clock, ids, producer, onTrouble } = this.#parts;
    const wasThere = await isThere();
    const timestamp = new Date(clock.now()).toISOString();
    const header: Header = newHeader(init.id, timestamp, producer, init);
    return handles.gated(
      init.id,
      async (paths) => {
        if ((await handles.live(paths)) !== undefined || (await handles.isOnDisk(paths)))
          throw exists(init.id);
        await handles.prepare();
        const staged = await trash.stage(paths);
        try {
          const blobs = new FolderBlobs(files, staged.folder);
          const convert = importRecords(source, { ids, blobs, onTrouble });
          const lines = copyLines({
            source,
            positions,
            plan,
            ids,
            timestamp,
            ...(convert === undefined ? {} : { convert }),
          });
          const missing = await writeCopy(files, staged, header, lines, carry);
          // What it lacked before it still lacks; what went with it would be missing in the copy alone.
          if (missing.length > 0 && wasThere && !(await isThere()))
            throw goneMeanwhile(source, missing.length);
          await handles.underLease(paths, () => staged.commit());
          await this.#parts.made(paths);
        } catch (error) {
          await this.#abandon(staged);
          throw error;
        }
        return handles.open(init.id, paths);
      },
      signal,
    );
  }

  /** The first error is the one to tell; what cannot be removed now goes with the next start. */
  async #abandon(staged: Staged): Promise<void> {
    try {
      await staged.abandon();
    } catch (error) {
      if (!isBoughError(error)) throw error;
      this.#parts.onTrouble(error);
    }
  }

  /** Works on the session's live handle, or on one that nobody else has. */
  async #reading<T>(
    id: string,
    signal: AbortSignal | undefined,
    work: (source: FileLog) => Promise<T>,
  ): Promise<T> {
    const { handles } = this.#parts;
    const { source, isOwn } = await handles.gated(
      id,
      async (paths) => {
        const live = await handles.live(paths);
        return live === undefined
          ? { source: await handles.peek(id, paths), isOwn: true }
          : { source: live, isOwn: false };
      },
      signal,
    );
    try {
      await source.catchUp();
      return await work(source);
    } finally {
      if (isOwn) await source.close();
    }
  }

  /** A turn that runs, here or in another window, holds the lease until it has settled. */
  async #untilSettled(source: FileLog, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    for (let delay = FIRST_LOOK_MS; source.isRunning || (await source.holder()) !== null;) {
      signal?.throwIfAborted();
      await wait(clock, delay, signal);
      delay = Math.min(delay * 2, LAST_LOOK_MS);
    }
    signal?.throwIfAborted();
    await source.catchUp();
  }

  async #isThere({ file, access }: SessionLog): Promise<boolean> {
    if (file === undefined) return access.mode !== 'stale';
    const stat = await stored('look at', file, () => ifThere(this.#parts.files.stat(file)));
    return stat !== undefined;
  }

  /** A log in a file has its blobs beside it; they are linked, not written again. */
  #carryFrom({ file, blobs }: SessionLog): CarryBlob {
    const { files } = this.#parts;
    if (file !== undefined) return linkBlobsFrom(files, folderOf(file));
    return (hash, folder) => carryBlob(blobs, hash, new FolderBlobs(files, folder));
  }
}

const folderOf = (file: string): string =>
  file.endsWith(LOG_SUFFIX) ? file.slice(0, -LOG_SUFFIX.length) : file;

/** Ends early when `signal` is aborted. */
export async function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const done = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = clock.after(ms, resolve);
    const stop = (): void => {
      timer.dispose();
      resolve();
    };
    signal?.addEventListener('abort', stop, { signal: done.signal });
  });
  done.abort();
}
