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
  let at = options.from ?? 0;
  for await (const chunk of chunksOf(file, options)) {
    options.onBytes?.(chunk, at);
    const found = lines.add(chunk);
    at += chunk.length;
    if (found.length > 0) yield found;
  }
  const rest = lines.rest();
  if (rest !== undefined) yield [rest];
}

/** Each is valid until the next is asked for, which is read meanwhile. */
async function* chunksOf(
  file: OpenFile,
  { from = 0, to, chunkBytes = CHUNK_BYTES }: ScanOptions,
): AsyncGenerator<Uint8Array> {
  const length = Math.min(chunkBytes, Math.max(1, to - from));
  let into = new Uint8Array(length);
  let spare: typeof into | undefined;
  let reading = readAt(file, into, { at: from, to });
  try {
    for (let at = from; at < to;) {
      const read = await reading;
      if ('error' in read) throw read.error;
      if (read.count <= 0) return;
      const chunk = into.subarray(0, read.count);
      at += read.count;
      if (at < to) reading = readAt(file, (spare ??= new Uint8Array(length)), { at, to });
      yield chunk;
      if (spare !== undefined) [into, spare] = [spare, into];
    }
  } finally {
    // Who stops early closes the file, and nothing may be read from it then.
    await reading;
  }
}

/** Never rejects: it may fail while nobody waits for it yet. */
async function readAt(
  file: OpenFile,
  into: Uint8Array,
  { at, to }: { at: number; to: number },
): Promise<{ count: number } | { error: unknown }> {
  try {
    return { count: await file.read(into.subarray(0, Math.min(into.length, to - at)), at) };
  } catch (error) {
    return { error };
  }
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
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let begin = 0;
    for (let end = view.indexOf(NEWLINE); end !== -1; end = view.indexOf(NEWLINE, begin)) {
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
