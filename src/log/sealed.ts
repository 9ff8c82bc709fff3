/**
 * A cache as one file that is right as a whole or not at all: a mark, a checksum of all that follows, a head in JSON, and a
 * body that begins at a multiple of eight bytes.
 */
import { crc32 } from 'node:zlib';

/** Of the mark, in Latin-1. */
const MARK_BYTES = 8;
const SUM_BYTES = 4;
/** Mark, checksum, how long the head is. */
const FIXED_BYTES = 16;

export interface Unsealed {
  head: unknown;
  body: Uint8Array;
}

export function sealed(mark: string, head: unknown, pieces: readonly Uint8Array[]): Uint8Array {
  const text = JSON.stringify(head);
  const padded = Buffer.from(text + ' '.repeat((8 - (Buffer.byteLength(text) % 8)) % 8));
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.write(mark, 'latin1');
  fixed.writeUInt32LE(padded.length, MARK_BYTES + SUM_BYTES);
  const bytes = Buffer.concat([fixed, padded, ...pieces]);
  bytes.writeUInt32LE(crc32(bytes.subarray(MARK_BYTES + SUM_BYTES)), MARK_BYTES);
  return bytes;
}

/** Undefined for what is not whole. @throws SyntaxError when its head is no JSON */
export function unsealed(mark: string, bytes: Uint8Array): Unsealed | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isWhole =
    view.toString('latin1', 0, MARK_BYTES) === mark &&
    crc32(view.subarray(MARK_BYTES + SUM_BYTES)) === view.readUInt32LE(MARK_BYTES);
  if (!isWhole) return undefined;
  const end = FIXED_BYTES + view.readUInt32LE(MARK_BYTES + SUM_BYTES);
  return { head: JSON.parse(view.toString('utf8', FIXED_BYTES, end)), body: bytes.subarray(end) };
}
