/**
 * Checksums of a file's bytes from its start, block by block, as they are read or written: enough to tell whether they are
 * still the same, cheap enough to cost an opening nothing.
 */
import { crc32 } from 'node:zlib';
import type { OpenFile } from '../ports.js';
import { readFull } from './bytes.js';

/** One that nobody has touched is compared in its last block only. */
const BLOCK_BYTES = 1024 * 1024;
/** How much is read at once to compare. */
const READ_BYTES = 4 * BLOCK_BYTES;

/** So many bytes, and the checksum of each block of them. */
export interface Hashed {
  size: number;
  blocks: readonly number[];
}

export class BlockHashes {
  /** Of those that are whole. */
  readonly #whole: number[] = [];
  #open = 0;
  #size = 0;
  /** What was read or written was not the next. */
  #isBroken = false;

  /** Takes the bytes that stand at `offset`. Only those that follow on what was taken can be told of. */
  add(bytes: Uint8Array, offset: number): void {
    if (offset !== this.#size) this.#isBroken = true;
    for (let from = 0; from < bytes.length;) {
      const room = BLOCK_BYTES - (this.#size % BLOCK_BYTES);
      const piece = bytes.subarray(from, from + room);
      this.#open = crc32(piece, this.#open);
      this.#size += piece.length;
      from += piece.length;
      if (this.#size % BLOCK_BYTES !== 0) continue;
      this.#whole.push(this.#open);
      this.#open = 0;
    }
  }

  /** Of the first `size` bytes; undefined when these are not all that was taken. */
  upTo(size: number): number[] | undefined {
    if (this.#isBroken || size !== this.#size) return undefined;
    return [...this.#whole, this.#open];
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
    const into = new Uint8Array(Math.min(READ_BYTES, size - hashes.#size));
    for (let from = hashes.#size; from < size; from += READ_BYTES) {
      const wanted = Math.min(READ_BYTES, size - from);
      const got = await readFull(file, into.subarray(0, wanted), from);
      hashes.add(into.subarray(0, got), from);
      if (got < wanted || !hashes.#isBegunBy(blocks)) return undefined;
    }
    return hashes.#open === blocks[whole] ? hashes : undefined;
  }

  #isBegunBy(blocks: readonly number[]): boolean {
    return this.#whole.every((block, index) => block === blocks[index]);
  }
}
