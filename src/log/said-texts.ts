/**
 * A search over what was said in a folder's sessions. `cache/said.text` keeps the texts of logs by their size and time; it
 * may be deleted, short, garbled or of another build at any time: then what it does not have is read again.
 */
import path from 'node:path';
import type { Files } from '../ports.js';
import { foldedText } from './folded-text.js';
import { textsHere, type ReadTexts, type SaidText } from './said-text.js';
import { sealed, unsealed } from './sealed.js';
import { ifThere } from './storage.js';

/** Changes with what is taken of an entry, and how. */
const VERSION = 2;
const MARK = 'boughsay';
/** How many logs are read at a time. */
const READS_AT_ONCE = 64;
/** Of all texts together; those beyond are read each time. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** A log as the folder has it. */
export interface LogPlace {
  name: string;
  file: string;
  size: number;
  mtime: number;
}

interface Table {
  version: number;
  logs: [name: string, size: number, mtime: number, length: number][];
}

export interface SaidTextsParts {
  files: Files;
  cache: string;
  /** Nothing is written. */
  isToRead?: boolean;
  /** Default: here. */
  readTexts?: ReadTexts;
}

export class SaidTexts {
  readonly #parts: SaidTextsParts;

  constructor(parts: SaidTextsParts) {
    this.#parts = parts;
  }

  /** Names of the logs in which `words` were said, in any case; `isThere`: there is such a log in the folder. */
  async find(
    words: string,
    logs: readonly LogPlace[],
    isThere: (name: string) => boolean,
  ): Promise<Set<string>> {
    const needle = Buffer.from(foldedText(words));
    const texts = await this.#read();
    const missing = logs.filter((log) => !isOf(texts.get(log.name), log));
    for (const name of texts.keys()) if (!isThere(name)) texts.delete(name);
    if (await this.#add(texts, missing)) await this.#keep(texts);
    const has = (text: Uint8Array): boolean => viewOf(text).includes(needle);
    return new Set(logs.flatMap(({ name }) => (has(texts.get(name)?.text ?? NOTHING) ? [name] : [])));
  }

  /** Reads those logs; false when there was nothing to read. */
  async #add(texts: Map<string, SaidText>, missing: readonly LogPlace[]): Promise<boolean> {
    const { files, readTexts = textsHere(files) } = this.#parts;
    for (let from = 0; from < missing.length; from += READS_AT_ONCE) {
      const some = missing.slice(from, from + READS_AT_ONCE);
      const read = await readTexts(some.map(({ file }) => file));
      some.forEach(({ name }, index) => {
        const text = read[index];
        if (text === undefined) texts.delete(name);
        else texts.set(name, text);
      });
    }
    return missing.length > 0;
  }

  async #read(): Promise<Map<string, SaidText>> {
    const { files } = this.#parts;
    try {
      const bytes = await ifThere(files.read(this.#file));
      return bytes === undefined ? new Map() : textsIn(bytes);
    } catch {
      return new Map(); // a cache that makes no sense or cannot be read is made again
    }
  }

  async #keep(texts: ReadonlyMap<string, SaidText>): Promise<void> {
    const { files, cache, isToRead = false } = this.#parts;
    if (isToRead) return;
    try {
      await files.makeFolder(cache);
      await files.replace(this.#file, bytesOf(texts));
    } catch {
      return; // a cache: what was said is found without it
    }
  }

  /** When a log is deleted, so that nothing is left of what was said in it. */
  async remove(): Promise<void> {
    try {
      await ifThere(this.#parts.files.remove(this.#file));
    } catch {
      return; // it goes with the next search
    }
  }

  get #file(): string {
    return path.join(this.#parts.cache, 'said.text');
  }
}

const NOTHING = new Uint8Array(0);

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

const isOf = (text: SaidText | undefined, { size, mtime }: LogPlace): boolean =>
  text?.size === size && text.mtime === mtime;

/** The latest that there is room for. */
function bytesOf(texts: ReadonlyMap<string, SaidText>): Uint8Array {
  let room = KEPT_BYTES;
  const latest = [...texts].sort(([, a], [, b]) => b.mtime - a.mtime);
  const kept = latest.filter(([, { text }]) => (room -= text.length) >= 0);
  const logs = kept.map(([name, { size, mtime, text }]): Table['logs'][number] => [
    name,
    size,
    mtime,
    text.length,
  ]);
  const table: Table = { version: VERSION, logs };
  return sealed(
    MARK,
    table,
    kept.map(([, { text }]) => text),
  );
}

/** @throws Error when the bytes are no such file */
function textsIn(bytes: Uint8Array): Map<string, SaidText> {
  const texts = new Map<string, SaidText>();
  const found = unsealed(MARK, bytes);
  if (found === undefined) return texts;
  const { version, logs } = found.head as Table;
  if (version !== VERSION) return texts;
  let from = 0;
  for (const [name, size, mtime, length] of logs) {
    texts.set(name, { size, mtime, text: found.body.subarray(from, from + length) });
    from += length;
  }
  return texts;
}
