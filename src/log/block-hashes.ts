/** Digests of a file's bytes from its start, block by block, as they are read or written. */
import { createHash, type Hash } from 'node:crypto';
import type { OpenFile } from '../ports.js';
import { readFull } from './bytes.js';

const BLOCK_BYTES = 4 * 1024 * 1024;

/** So many bytes, and the digest of each block of them. */
export interface Hashed {
  size: number;
  blocks: readonly string[];
}

const newHash = (): Hash => createHash('sha1');

export class BlockHashes {
  /** Of those that are whole. */
  readonly #whole: string[] = [];
  #open = newHash();
  #size = 0;
  /** What was read or written was not the next. */
  #isBroken = false;

  /** Takes the bytes that stand at `offset`. Only those that follow on what was taken can be told of. */
  add(bytes: Uint8Array, offset: number): void {
    if (offset !== this.#size) this.#isBroken = true;
    for (let from = 0; from < bytes.length;) {
      const room = BLOCK_BYTES - (this.#size % BLOCK_BYTES);
      const piece = bytes.subarray(from, from + room);
      this.#open.update(piece);
      this.#size += piece.length;
      from += piece.length;
      if (this.#size % BLOCK_BYTES !== 0) continue;
      this.#whole.push(this.#open.digest('hex'));
      this.#open = newHash();
    }
  }

  /** Of the first `size` bytes; undefined when these are not all that was taken. */
  upTo(size: number): string[] | undefined {
    if (this.#isBroken || size !== this.#size) return undefined;
    return [...this.#whole, this.#open.copy().digest('hex')];
  }

  /**
   * Of a file that begins with what `hashed` says; undefined when it does not. One that nobody has touched is compared in
   * its last block only.
   */
  static async compare(
    file: OpenFile,
    hashed: Hashed,
    isUntouched: boolean,
  ): Promise<BlockHashes | undefined> {
    const { size, blocks } = hashed;
    const whole = Math.floor(size / BLOCK_BYTES);
    if (blocks.length !== whole + 1) return undefined;
    const hashes = new BlockHashes();
    if (isUntouched) {
      hashes.#whole.push(...blocks.slice(0, whole));
      hashes.#size = whole * BLOCK_BYTES;
    }
    const into = new Uint8Array(Math.min(BLOCK_BYTES, size));
    for (let from = hashes.#size; from < size; from += BLOCK_BYTES) {
      const wanted = Math.min(BLOCK_BYTES, size - from);
      const got = await readFull(file, into.subarray(0, wanted), from);
      hashes.add(into.subarray(0, got), from);
      const block = from / BLOCK_BYTES;
      if (hashes.upTo(from + wanted)?.[block] !== blocks[block]) return undefined;
    }
    return hashes;
  }
}
