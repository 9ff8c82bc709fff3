/**
 * Forks and imported copies: new sessions made from what another holds. A copy is put together where nobody looks and
 * takes its place whole; the original is only read.
 */
import path from 'node:path';
import type { Clock, Files, Ids } from '../ports.js';
import type { Header } from '../shared/entry.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { isConversation } from '../shared/notes.js';
import { FolderBlobs } from './blobs.js';
import { copyLines } from './copy-lines.js';
import { CopyPlan } from './copy-plan.js';
import { newHeader, refusalOf } from './header.js';
import { importRecords } from './import-records.js';
import type { FileLog } from './log.js';
import { linkBlobsFrom, writeCopy, type CarryBlob } from './session-copy.js';
import { LOG_SUFFIX } from './session-name.js';
import type { SessionHandles } from './session-handles.js';
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
}

interface Copy {
  init: SessionInit & { id: string };
  plan: CopyPlan;
  positions: readonly number[];
  carry: CarryBlob;
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
      const kept = (await source.path(head)).map((entry) => entry.id);
      const copy = {
        init: forkInit(this.#parts.ids, source, head, options),
        plan: new CopyPlan({ outline: source.outline, kept, head }),
        positions: source.linePositions(head),
        carry: linkBlobsFrom(files, paths.folder),
      };
      return this.#make(source, copy, options.signal);
    });
  }

  /** All of `source`, whichever store it is of. */
  async importCopy(source: SessionLog, init: SessionInit, signal?: AbortSignal): Promise<FileLog> {
    const { outline, head, header } = source;
    const kept = outline.map(([id]) => id);
    const { folder, title, subagent_task } = header;
    const lineage = {
      ...(subagent_task === undefined ? {} : { subagent_task }),
      ...(folder === undefined ? {} : { folder }),
      ...(title === undefined ? {} : { title }),
      parent_session_id: lineageOf(source),
    };
    const copy = {
      init: { ...lineage, ...init, id: init.id ?? this.#parts.ids.session() },
      plan: new CopyPlan({ outline, kept, head }),
      positions: Array.from({ length: source.position }, (_, position) => position),
      carry: this.#carryFrom(source),
    };
    return this.#make(source, copy, signal);
  }

  async #make(
    source: SessionLog,
    { init, plan, positions, carry }: Copy,
    signal?: AbortSignal,
  ): Promise<FileLog> {
    const { access } = source;
    if (access.mode === 'read-only' && access.reason === 'newer') throw refusalOf(access);
    const { handles, trash, files, clock, ids, producer } = this.#parts;
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
          const convert = importRecords(source, { ids, blobs: new FolderBlobs(files, staged.folder) });
          const lines = copyLines({
            source,
            positions,
            plan,
            ids,
            timestamp,
            ...(convert === undefined ? {} : { convert }),
          });
          await writeCopy(files, staged, header, lines, carry);
          await handles.underLease(paths, () => staged.commit());
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

  /** A log in a file has its blobs beside it; they are linked, not written again. */
  #carryFrom({ file, blobs }: SessionLog): CarryBlob {
    const { files } = this.#parts;
    if (file !== undefined) return linkBlobsFrom(files, folderOf(file));
    return async (hash, folder) => {
      if (await blobs.has(hash)) await new FolderBlobs(files, folder).put(await blobs.get(hash));
    };
  }
}

const folderOf = (file: string): string =>
  file.endsWith(LOG_SUFFIX) ? file.slice(0, -LOG_SUFFIX.length) : file;

/** The last conversation entry of the copy; null for one that holds none. */
export async function forkPoint(source: SessionLog, { at, before }: ForkOptions): Promise<string | null> {
  if (at !== undefined && before !== undefined)
    throw new BoughError('InvalidArgument', 'A fork is made at an entry or before one, not both.');
  const named = at ?? before;
  if (named === undefined) return source.head;
  const entry = await source.entry(named);
  if (entry === undefined)
    throw new BoughError(
      'InvalidArgument',
      `There is no entry ${named} in session ${source.id} to fork from.`,
    );
  return at !== undefined && isConversation(entry) ? entry.id : entry.parent_id;
}

export function refuseWhileAsked(source: SessionLog, head: string | null): void {
  const asked = source.state().approvals[0] ?? source.state(head).approvals[0];
  if (asked === undefined) return;
  const message = `This session waits for an answer to "${asked.summary}"; approve or deny it, then fork.`;
  throw new BoughError('ResumeRequired', message, { request: asked.request_id });
}

export function forkInit(
  ids: Ids,
  source: SessionLog,
  head: string | null,
  options: ForkOptions,
): Copy['init'] {
  const { folder } = source.header;
  const title = options.title ?? source.header.title;
  const owner = options.owner ?? source.header.owner;
  return {
    id: options.id ?? ids.session(),
    ...(folder === undefined ? {} : { folder }),
    ...(title === undefined ? {} : { title }),
    ...(owner === undefined ? {} : { owner }),
    parent_session_id: lineageOf(source),
    ...(head === null ? {} : { parent_entry_id: head }),
  };
}

/** A log that lies elsewhere is known here by its path; what it calls itself says more. */
const lineageOf = ({ id, header }: SessionLog): string => (path.isAbsolute(id) ? header.id : id);

export const exists = (id: string): BoughError =>
  new BoughError('SessionExists', `There is a session ${id} already; open it instead.`);

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
