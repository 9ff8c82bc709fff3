/**
 * A file as lines: split on byte 0x0A only, read in chunks, memory bounded by the longest line that is taken. Whether a
 * line makes sense is for the codec to say.
 */
import type { OpenFile } from '../ports.js';
import { MAX_LINE_BYTES } from './codec.js';

export interface RawLine {
  /** 1-based. */
  line: number;
  offset: number;
  /** Without the newline; valid until the next piece is asked for. Empty when the line is too long. */
  bytes: Uint8Array;
  /** Offset behind the line, its newline included. */
  end: number;
  /** False for what stands behind the last newline. */
  isTerminated: boolean;
  isTooLong: boolean;
}

export interface ScanOptions {
  /** Where a line begins, and its number. */
  from?: number;
  line?: number;
  /** Where to stop: the file's size when the scan began, so that what is written meanwhile is left for the next. */
  to: number;
  /** Learns of every byte that was read, in order. */
  onBytes?: (bytes: Uint8Array, offset: number) => void;
  chunkBytes?: number;
  maxLineBytes?: number;
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Yields the lines of each chunk together. */
export async function* scanLines(file: OpenFile, options: ScanOptions): AsyncGenerator<RawLine[]> {
  const lines = new LineSplitter(options);
  const chunk = new Uint8Array(Math.min(options.chunkBytes ?? CHUNK_BYTES, Math.max(1, options.to)));
  for (let at = options.from ?? 0; at < options.to;) {
    const wanted = Math.min(chunk.length, options.to - at);
    const count = await file.read(chunk.subarray(0, wanted), at);
    if (count <= 0) break;
    options.onBytes?.(chunk.subarray(0, count), at);
    const found = lines.add(chunk.subarray(0, count));
    at += count;
    if (found.length > 0) yield found;
  }
  const rest = lines.rest();
  if (rest !== undefined) yield [rest];
}

class LineSplitter {
  readonly #maxLineBytes: number;
  /** Pieces of a line that began in an earlier chunk. */
  #carried: Uint8Array[] = [];
  #carriedBytes = 0;
  #offset: number;
  #line: number;

  constructor({ from = 0, line = 1, maxLineBytes = MAX_LINE_BYTES }: ScanOptions) {
    this.#offset = from;
    this.#line = line;
    this.#maxLineBytes = maxLineBytes;
  }

  add(chunk: Uint8Array): RawLine[] {
    const found: RawLine[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      found.push(this.#take(chunk.subarray(begin, end), true));
      begin = end + 1;
    }
    if (begin < chunk.length) this.#carry(chunk.subarray(begin));
    return found;
  }

  rest(): RawLine | undefined {
    return this.#carriedBytes === 0 ? undefined : this.#take(new Uint8Array(0), false);
  }

  #carry(piece: Uint8Array): void {
    this.#carriedBytes += piece.length;
    if (this.#carriedBytes > this.#maxLineBytes) this.#carried = [];
    else this.#carried.push(piece.slice());
  }

  #take(piece: Uint8Array, isTerminated: boolean): RawLine {
    const length = this.#carriedBytes + piece.length;
    const isTooLong = length > this.#maxLineBytes;
    const whole = this.#carriedBytes === 0 ? piece : Buffer.concat([...this.#carried, piece]);
    const offset = this.#offset;
    const end = offset + length + (isTerminated ? 1 : 0);
    const bytes = isTooLong ? new Uint8Array(0) : whole;
    const line = { line: this.#line, offset, bytes, end, isTerminated, isTooLong };
    this.#carried = [];
    this.#carriedBytes = 0;
    this.#offset = end;
    this.#line++;
    return line;
  }
}
