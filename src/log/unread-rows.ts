/**
 * Rows of logs that a stopped list left. They are called by the id that they will have once they are read: who opens, keeps
 * or deletes one means that session, and never a second one beside it.
 */
import type { FileStat, Files } from '../ports.js';
import { isBoughError } from '../shared/failure.js';
import { withFile } from './bytes.js';
import { inParallel } from './in-parallel.js';
import { Ledger } from './ledger.js';
import type { Readable } from './list-reading.js';
import { scanLines } from './scan.js';
import { sessionIdOf, sessionName } from './session-name.js';
import { stored } from './storage.js';
import type { SessionSummary } from './store.js';
import { unread } from './summary.js';

const HEADS_AT_ONCE = 32;
/** Read at a time: a header is seldom longer. */
const PIECE_BYTES = 4 * 1024;
/** A log whose header is not found in so much of it is called by its file's name until it is read. */
const HEAD_BYTES = 64 * 1024;

/** What the beginning of a log said, and of which log it is. */
interface Head {
  stat: FileStat;
  id: string;
}

export class UnreadRows {
  readonly #files: Files;
  readonly #fileOf: (name: string) => string;
  /** Of the logs that the last list left. */
  #heads = new Map<string, Head>();

  constructor(files: Files, fileOf: (name: string) => string) {
    this.#files = files;
    this.#fileOf = fileOf;
  }

  async of(
    logs: readonly Readable[],
    known: (name: string) => SessionSummary | undefined,
  ): Promise<{ name: string; summary: SessionSummary }[]> {
    const heads = new Map<string, Head>();
    const rows: { name: string; summary: SessionSummary }[] = [];
    await inParallel(HEADS_AT_ONCE, logs, async ({ name, stat }) => {
      const row = known(name);
      const id = row?.id ?? name;
      // A plain name is the id itself; only one that stands for another id takes a look at the log.
      const head = id === name && isStandIn(name) ? await this.#headOf(name, stat) : undefined;
      if (head !== undefined) heads.set(name, head);
      rows.push({ name, summary: { ...unread(name, stat, row), id: head?.id ?? id } });
    });
    this.#heads = heads;
    return rows;
  }

  async #headOf(name: string, stat: FileStat): Promise<Head | undefined> {
    const before = this.#heads.get(name);
    if (before?.stat.size === stat.size && before.stat.mtime === stat.mtime) return before;
    try {
      return { stat, id: sessionIdOf(name, await headerIdOf(this.#files, this.#fileOf(name), stat.size)) };
    } catch (error) {
      if (!isBoughError(error)) throw error;
      return undefined; // one that cannot be read is called by its name in a list that reads it, too
    }
  }
}

const isStandIn = (name: string): boolean => name.startsWith('h-') && sessionName(name) === name;

/** Undefined where the beginning of the log does not say it. @throws BoughError StorageFailure */
function headerIdOf(files: Files, file: string, size: number): Promise<string | undefined> {
  return stored('read', file, () =>
    withFile(files.open(file, 'read'), async (log) => {
      const ledger = new Ledger('', new Date(0).toISOString(), undefined, () => 0);
      const options = { to: Math.min(size, HEAD_BYTES), chunkBytes: PIECE_BYTES };
      for await (const lines of scanLines(log, options)) {
        for (const line of lines) {
          ledger.take(line);
          if (ledger.hasHeader) return ledger.header.id;
        }
      }
      return undefined;
    }),
  );
}
