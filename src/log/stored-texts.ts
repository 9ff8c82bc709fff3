/**
 * Many short texts of which few are asked for: parts of them lie deflated, so that a long log's index is read in a fraction of
 * the time, and one is inflated when a text of it is asked for.
 */
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';
import { inParallel } from './in-parallel.js';

/** Of a part that lies deflated, before. */
const PART_BYTES = 16 * 1024;
/** Fewer are read faster than they are inflated. */
const DEFLATED_FROM = 4 * PART_BYTES;
const FASTEST = 1;
/** Each takes a quarter of a megabyte while it lasts. */
const AT_ONCE = 4;

const deflate = promisify(deflateRaw);

/** Texts one behind the other, and where each begins. */
export interface Texts {
  bytes: Uint8Array;
  at: Uint32Array;
}

export function textsOf(texts: readonly string[]): Texts {
  const at = new Uint32Array(texts.length + 1);
  let end = 0;
  texts.forEach((text, index) => {
    end += Buffer.byteLength(text);
    at[index + 1] = end;
  });
  return { bytes: Buffer.from(texts.join('')), at };
}

/** As they lie in a file: where each text begins, where each part begins, before and deflated. No parts: as they are. */
export interface Deflated extends Texts {
  parts: Uint32Array;
  deflated: Uint32Array;
}

export const asTheyAre = ({ bytes, at }: Texts): Deflated => ({
  bytes,
  at,
  parts: new Uint32Array(0),
  deflated: new Uint32Array(0),
});

/** Beside what else is done here. `from`: fewer bytes stay as they are. */
export async function deflated(texts: Texts, from = DEFLATED_FROM): Promise<Deflated> {
  const { bytes, at } = texts;
  if (bytes.length < from) return asTheyAre(texts);
  const parts = partsOf(at);
  const pieces: Uint8Array[] = [];
  await inParallel(AT_ONCE, [...parts.keys()].slice(1), async (end) => {
    pieces[end - 1] = await deflate(bytes.subarray(parts[end - 1], parts[end]), { level: FASTEST });
  });
  const begins = new Uint32Array(parts.length);
  pieces.forEach(({ length }, part) => (begins[part + 1] = (begins[part] ?? 0) + length));
  return { bytes: Buffer.concat(pieces), at, parts: Uint32Array.from(parts), deflated: begins };
}

/** Where parts begin, each with a text, and where the last ends. */
function partsOf(at: Uint32Array): number[] {
  const parts = [0];
  for (const end of at) if (end - (parts.at(-1) ?? 0) >= PART_BYTES) parts.push(end);
  const last = at.at(-1) ?? 0;
  if (parts.at(-1) !== last) parts.push(last);
  return parts;
}

export class StoredTexts {
  readonly #texts: Deflated;
  /** The part that was inflated last: who reads on finds the next text there. */
  #inflated: { part: number; bytes: Uint8Array } | undefined;

  constructor(texts: Deflated) {
    this.#texts = texts;
  }

  get length(): number {
    return this.#texts.at.length - 1;
  }

  /** Empty where nothing was kept. */
  text(index: number): string {
    const { bytes, at, parts } = this.#texts;
    const from = at[index] ?? 0;
    const to = at[index + 1] ?? from;
    if (from === to) return '';
    if (parts.length === 0) return decode(bytes.subarray(from, to));
    const part = partAt(parts, from);
    const begin = parts[part] ?? 0;
    return decode(this.#part(part).subarray(from - begin, to - begin));
  }

  #part(part: number): Uint8Array {
    if (this.#inflated?.part !== part) {
      const { bytes, parts, deflated: begins } = this.#texts;
      const maxOutputLength = Math.max(1, (parts[part + 1] ?? 0) - (parts[part] ?? 0));
      const piece = bytes.subarray(begins[part], begins[part + 1]);
      this.#inflated = { part, bytes: inflateRawSync(piece, { maxOutputLength }) };
    }
    return this.#inflated.bytes;
  }

  json<T>(index: number): T {
    const text = this.text(index);
    // One of many ends in what parts it from the next.
    return JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text) as T;
  }

  /** All that SectionWriter.jsons in sections.ts wrote. */
  jsons<T>(): T[] {
    return JSON.parse(`[${decode(this.#texts.bytes).slice(0, -1)}]`) as T[];
  }
}

/** The last part that begins at `offset` or before. */
function partAt(parts: Uint32Array, offset: number): number {
  let from = 0;
  for (let to = parts.length; from < to;) {
    const middle = (from + to) >>> 1;
    if ((parts[middle] as number) > offset) to = middle;
    else from = middle + 1;
  }
  return from - 1;
}

export const decode = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
