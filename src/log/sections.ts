/** Named pieces of bytes in one file, each found without reading the others; arrays of numbers lie where they can be used. */
import os from 'node:os';
import {
  StoredTexts,
  asTheyAre,
  decode,
  deflated,
  textsOf,
  type Deflated,
  type Texts,
} from './stored-texts.js';

/** What the pieces were written for: one that differs in anything is not read. */
export const BYTE_ORDER = os.endianness();

const ALIGNED = 8;
const HEAD_BYTES = 8;

type Numbers = Float64Array | Uint32Array | Int32Array | Uint8Array;

export class SectionWriter {
  readonly #pieces: { name: string; bytes: Uint8Array }[] = [];
  readonly #texts: { name: string; texts: Texts }[] = [];
  readonly #deflatedFrom: number | undefined;

  /** `deflatedFrom`: so many bytes of texts, and more, are deflated; default: where that pays. */
  constructor(deflatedFrom?: number) {
    this.#deflatedFrom = deflatedFrom;
  }

  numbers(name: string, numbers: Numbers): void {
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    this.#pieces.push({ name, bytes });
  }

  json(name: string, value: unknown): void {
    this.#pieces.push({ name, bytes: Buffer.from(JSON.stringify(value)) });
  }

  texts(name: string, texts: readonly string[]): void {
    this.#texts.push({ name, texts: textsOf(texts) });
  }

  /** Values of which each can be had by itself, and all at once. */
  jsons(name: string, values: readonly object[]): void {
    this.#put(name, asTheyAre(textsOf(values.map((value) => `${JSON.stringify(value)},`))));
  }

  #put(name: string, { bytes, at, parts, deflated: begins }: Deflated): void {
    this.#pieces.push({ name, bytes });
    this.numbers(`${name} at`, at);
    this.numbers(`${name} parts`, parts);
    this.numbers(`${name} deflated`, begins);
  }

  /** How long the table of contents is, the table, the pieces. */
  async pieces(): Promise<Uint8Array[]> {
    for (const { name, texts } of this.#texts.splice(0))
      this.#put(name, await deflated(texts, this.#deflatedFrom));
    const table = Buffer.from(JSON.stringify(this.#pieces.map(({ name, bytes }) => [name, bytes.length])));
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(table.length);
    const written: Uint8Array[] = [];
    for (const bytes of [head, table, ...this.#pieces.map((piece) => piece.bytes)]) {
      written.push(bytes, new Uint8Array(gap(bytes.length)));
    }
    return written;
  }
}

const gap = (length: number): number => (ALIGNED - (length % ALIGNED)) % ALIGNED;

/** @throws Error when the bytes are no such file */
export class Sections {
  readonly #bytes: Uint8Array;
  readonly #places = new Map<string, { from: number; length: number }>();

  /** `bytes` begin on a boundary of eight. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const tableLength = buffer.readUInt32LE(0);
    const table = JSON.parse(buffer.toString('utf8', HEAD_BYTES, HEAD_BYTES + tableLength)) as [
      string,
      number,
    ][];
    let from = HEAD_BYTES + tableLength + gap(tableLength);
    for (const [name, length] of table) {
      this.#places.set(name, { from, length });
      from += length + gap(length);
    }
    if (from !== bytes.length) throw new RangeError('the pieces are not as long as they say');
  }

  bytes(name: string): Uint8Array {
    const place = this.#places.get(name);
    if (place === undefined) throw new RangeError(`there is no piece ${name}`);
    return this.#bytes.subarray(place.from, place.from + place.length);
  }

  float64(name: string): Float64Array {
    const { buffer, byteOffset, byteLength } = this.bytes(name);
    return new Float64Array(buffer, byteOffset, byteLength / 8);
  }

  uint32(name: string): Uint32Array {
    const { buffer, byteOffset, byteLength } = this.bytes(name);
    return new Uint32Array(buffer, byteOffset, byteLength / 4);
  }

  int32(name: string): Int32Array {
    const { buffer, byteOffset, byteLength } = this.bytes(name);
    return new Int32Array(buffer, byteOffset, byteLength / 4);
  }

  json<T>(name: string): T {
    return JSON.parse(decode(this.bytes(name))) as T;
  }

  texts(name: string): StoredTexts {
    return new StoredTexts({
      bytes: this.bytes(name),
      at: this.uint32(`${name} at`),
      parts: this.uint32(`${name} parts`),
      deflated: this.uint32(`${name} deflated`),
    });
  }
}
