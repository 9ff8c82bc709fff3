/**
 * An index beside a log, in `cache/`: what its lines came to, so that only new ones are read again. It may be deleted, short,
 * garbled or of another build at any time: then it is made anew. What it says counts only for bytes that were compared with
 * those it was made of, or that the file system says nobody has touched since.
 */
import path from 'node:path';
import type { FileStat, Files, OpenFile } from '../ports.js';
import { BlockHashes } from './block-hashes.js';
import { readFull, withFile } from './bytes.js';
import { LedgerBase } from './ledger-base.js';
import { piecesOf } from './ledger-image.js';
import type { Ledger } from './ledger.js';
import { sealed, unsealed } from './sealed.js';
import { BYTE_ORDER, Sections } from './sections.js';
import { ifThere } from './storage.js';

/** Changes with everything that an index holds, and with what the fold makes of an entry. */
const VERSION = 8;
const MARK = 'boughidx';
/** Two changes within as much may leave a file the same time. */
const COARSEST_CLOCK_MS = 2_500;

/** What the index was made of, and by whom. */
interface Identity {
  version: number;
  byteOrder: string;
  producer: string;
  size: number;
  /** When the log was changed last, as the file system keeps it for itself; absent where it does not. */
  changed?: number;
  /** Checksums of the log's bytes, block by block. */
  blocks: number[];
}

/** What an index says that was found right. */
export interface Indexed {
  base: LedgerBase;
  seen: BlockHashes;
  /** The log's bytes had to be compared: the file system could not tell. */
  wasCompared: boolean;
}

/** The index as it stands on disk, and when it was put there. */
export interface Begun {
  bytes: Uint8Array;
  changed: number | undefined;
}

export interface LogIndexParts {
  files: Files;
  /** Of the index. */
  file: string;
  producer: string;
  /** Logs shorter than this have none. */
  from: number;
}

export class LogIndex {
  readonly #parts: LogIndexParts;

  constructor(parts: LogIndexParts) {
    this.#parts = parts;
  }

  /** Whether so much of a log that was not indexed is worth it. */
  isWorth(size: number, indexed: number): boolean {
    if (size < this.#parts.from || size === indexed) return false;
    return indexed === 0 || size - indexed >= Math.max(this.#parts.from, size / 16);
  }

  /** Begins to read it. What comes of it is for {@link read}, once the log is open too. Never rejects. */
  async begin(): Promise<Begun | undefined> {
    const { files, file } = this.#parts;
    try {
      return await withFile(files.open(file, 'read'), async (opened) => {
        const stat = opened.opened ?? (await opened.stat());
        const into = new Uint8Array(stat.size);
        return { bytes: into.subarray(0, await readFull(opened, into, 0)), changed: stat.changed };
      });
    } catch {
      return undefined; // a cache that is not there or cannot be read is made again
    }
  }

  /** Undefined when there is none, or none that is right. `log` is open, and was `stat` when it was. */
  async read(begun: Promise<Begun | undefined>, log: OpenFile, stat: FileStat): Promise<Indexed | undefined> {
    const read = await begun;
    if (read === undefined || stat.size < this.#parts.from) return undefined;
    try {
      const found = this.#find(read, stat);
      if (found === undefined) return undefined;
      const { identity, sections, isUntouched } = found;
      const seen = await BlockHashes.compare(log, identity, isUntouched);
      return seen === undefined
        ? undefined
        : { base: new LedgerBase(sections), seen, wasCompared: !isUntouched };
    } catch {
      return undefined; // a cache that makes no sense is made again
    }
  }

  #find(
    index: Begun,
    log: FileStat,
  ): { identity: Identity; sections: Sections; isUntouched: boolean } | undefined {
    const found = unsealed(MARK, index.bytes);
    if (found === undefined) return undefined;
    const identity = found.head as Identity;
    const { version, byteOrder, size, changed } = identity;
    if (version !== VERSION || byteOrder !== BYTE_ORDER || identity.producer !== this.#parts.producer)
      return undefined;
    if (size > log.size) return undefined;
    const isUntouched =
      size === log.size &&
      changed !== undefined &&
      changed === log.changed &&
      index.changed !== undefined &&
      index.changed - changed > COARSEST_CLOCK_MS;
    return { identity, sections: new Sections(found.body), isUntouched };
  }

  /** Made of a log that was read and is still what it was. False when it is not, or when there is nothing to keep. */
  async write(log: string, ledger: Ledger, seen: BlockHashes): Promise<boolean> {
    const { files, file, producer } = this.#parts;
    const { from: size } = ledger.next;
    const blocks = seen.upTo(size);
    if (blocks === undefined) return false;
    const before = await files.stat(log);
    const isSame = await withFile(files.open(log, 'read'), async (opened) => {
      return (await BlockHashes.compare(opened, { size, blocks }, false)) !== undefined;
    });
    // What was appended meanwhile is for the next time.
    const image = ledger.next.from === size && isSame ? ledger.image() : undefined;
    if (image === undefined) return false;
    const identity: Identity = {
      version: VERSION,
      byteOrder: BYTE_ORDER,
      producer,
      size,
      ...(before.changed === undefined ? {} : { changed: before.changed }),
      blocks,
    };
    await files.makeFolder(path.dirname(file));
    await files.replace(file, sealed(MARK, identity, await piecesOf(image)));
    return true;
  }

  /** With its log. One that stays is compared with the next log of this name, and made anew. */
  async remove(): Promise<void> {
    try {
      await ifThere(this.#parts.files.remove(this.#parts.file));
    } catch {
      return; // a cache: it says nothing of a log that is not the one it was made of
    }
  }
}
