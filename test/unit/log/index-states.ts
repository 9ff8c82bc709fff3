/** What becomes of the index beside a log between one process and the next; whatever it is, the log is read the same. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Files } from '../../../src/ports.js';
import { ifThere } from '../../../src/log/storage.js';

/**
 * `off`: there is none. `stale`: an older one is put back. `garbled`: bytes of it are others. `foreign`: another version
 * wrote it, to which other things are true.
 */
export const indexStates = ['on', 'off', 'stale', 'garbled', 'foreign'] as const;
export type IndexState = (typeof indexStates)[number];

/** The `indexFrom` of a store: as long as a log is not too short for anything, it has an index. */
export const indexFrom = (state: IndexState): number => (state === 'off' ? Infinity : 0);

/** Where an index keeps the checksum of all that follows it. */
const SUM_AT = 8;
const sumOf = (index: Buffer): number => crc32(index.subarray(SUM_AT + 4));

export class IndexSpoiler {
  readonly #state: IndexState;
  readonly #files: Pick<Files, 'read' | 'replace'>;
  /** The first index that was found of each file. */
  readonly #old = new Map<string, Uint8Array>();

  constructor(state: IndexState, files: Pick<Files, 'read' | 'replace'>) {
    this.#state = state;
    this.#files = files;
  }

  /** While no process is at work on the log. */
  async spoil(file: string): Promise<void> {
    const found = await ifThere(this.#files.read(file));
    const bytes = found === undefined ? undefined : Buffer.from(found);
    const spoilt = this.#spoilt(file, bytes);
    if (spoilt !== undefined) await this.#files.replace(file, spoilt);
  }

  #spoilt(file: string, bytes: Buffer | undefined): Uint8Array | undefined {
    if (this.#state === 'stale') {
      const old = this.#old.get(file) ?? bytes;
      if (old !== undefined) this.#old.set(file, old);
      return old;
    }
    if (bytes === undefined) return undefined;
    if (this.#state === 'garbled') return garbled(bytes);
    return this.#state === 'foreign' ? foreign(bytes) : undefined;
  }
}

/** In one of four ways, which follows from the bytes: a run can be had again. */
function garbled(bytes: Buffer): Uint8Array {
  const noise = createHash('sha256').update(bytes).digest();
  const at = noise.readUInt32LE(0) % Math.max(1, bytes.length);
  const kind = (noise[4] ?? 0) % 4;
  if (kind === 0) return bytes.subarray(0, at);
  if (kind === 1) return Buffer.concat([noise, noise, noise]);
  const spoilt = Buffer.from(bytes);
  if (kind === 2) noise.copy(spoilt, at);
  else if (bytes.length > 0) spoilt[at] = (spoilt[at] ?? 0) ^ 0x11;
  return spoilt;
}

/** Whole, of the same log and right by its checksum; only that its version is another, and to it every id is another. */
function foreign(bytes: Buffer): Uint8Array {
  if (bytes.readUInt32LE(SUM_AT) !== sumOf(bytes))
    throw new Error('an index is framed otherwise: change this');
  const text = bytes.toString('latin1').replace(/"version":\d/, '"version":9');
  const others = text.replace(/"([0-9a-f])([0-9a-f]{15})"/g, (_, first: string, rest: string) => {
    return `"${(15 - parseInt(first, 16)).toString(16)}${rest}"`;
  });
  return resummed(Buffer.from(others, 'latin1'));
}

/** Whatever it says, it says by its checksum that it is whole. */
export function resummed(index: Buffer): Buffer {
  index.writeUInt32LE(sumOf(index), SUM_AT);
  return index;
}
