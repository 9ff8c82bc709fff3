/** Entries' bodies, read from the file when they are asked for; the last ones read stay in memory up to a few MB. */
import type { Files, OpenFile } from '../ports.js';
import type { Entry } from '../shared/notes.js';
import { readRange } from './bytes.js';
import { parseLine } from './codec.js';
import type { EntryPlace, Ledger } from './ledger.js';
import { stored } from './storage.js';
import type { PlacedEntry } from './store.js';

const CACHE_BYTES = 4 * 1024 * 1024;
/** Lines closer than this are read together, up to as much at once. */
const GAP_BYTES = 32 * 1024;
const READ_BYTES = 1024 * 1024;

export class Bodies {
  readonly #files: Files;
  readonly #path: string;
  /** By the offset of the line; the last used stands last. */
  readonly #lines = new Map<number, { entries: readonly Entry[]; length: number }>();
  #cachedBytes = 0;
  #opened: Promise<OpenFile> | undefined;

  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** The entries at `positions`, in the same order. */
  async read(ledger: Ledger, positions: readonly number[]): Promise<PlacedEntry[]> {
    const places = positions.map((position) => ({ position, place: placeOf(ledger, position) }));
    const lines = new Map(places.map(({ place }) => [place.offset, place]));
    const wanted = await this.#lookUp(ledger, [...lines.values()]);
    return places.map(({ position, place }) => {
      const asWritten = wanted.get(place.offset)?.[place.index];
      if (asWritten === undefined)
        throw new Error(`entry ${position} is not at offset ${place.offset} any more`);
      return {
        position,
        entry: place.relinked === undefined ? asWritten : { ...asWritten, ...place.relinked },
      };
    });
  }

  async #lookUp(ledger: Ledger, places: EntryPlace[]): Promise<Map<number, readonly Entry[]>> {
    const found = new Map<number, readonly Entry[]>();
    const missing: EntryPlace[] = [];
    for (const place of places) {
      const cached = this.#lines.get(place.offset);
      if (cached === undefined) missing.push(place);
      else found.set(place.offset, cached.entries);
    }
    for (const run of runsOf(missing)) await this.#readRun(ledger, run, found);
    return found;
  }

  async #readRun(ledger: Ledger, run: EntryPlace[], found: Map<number, readonly Entry[]>): Promise<void> {
    const first = run[0]?.offset ?? 0;
    const last = run.at(-1) ?? { offset: first, length: 0 };
    const bytes = await stored('read', this.#path, async () => {
      this.#opened ??= this.#files.open(this.#path, 'read');
      return readRange(await this.#opened, first, last.offset + last.length);
    });
    for (const { offset, length } of run) {
      const line = bytes.subarray(offset - first, offset - first + length);
      const { entries } = parseLine(line, ledger.dialect, ledger.fallbackTime);
      found.set(offset, entries);
      this.#keep(offset, entries, length);
    }
  }

  #keep(offset: number, entries: readonly Entry[], length: number): void {
    this.#lines.set(offset, { entries, length });
    this.#cachedBytes += length;
    for (const [oldest, { length: bytes }] of this.#lines) {
      if (this.#cachedBytes <= CACHE_BYTES) return;
      this.#lines.delete(oldest);
      this.#cachedBytes -= bytes;
    }
  }

  /** Forgets what was read and lets go of the file. */
  async close(): Promise<void> {
    this.#lines.clear();
    this.#cachedBytes = 0;
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    const file = await opened.catch(() => undefined); // a failure to open was told to whoever wanted to read
    await file?.close();
  }
}

function placeOf(ledger: Ledger, position: number): EntryPlace {
  const place = ledger.place(position);
  if (place === undefined) throw new RangeError(`there is no entry ${position} in the log`);
  return place;
}

/** Lines in file order, in runs that are read with one call. */
function runsOf(places: EntryPlace[]): EntryPlace[][] {
  const runs: EntryPlace[][] = [];
  let end = -Infinity;
  let begin = 0;
  for (const place of places.sort((a, b) => a.offset - b.offset)) {
    const run = runs.at(-1);
    if (run === undefined || place.offset - end > GAP_BYTES || place.offset - begin > READ_BYTES) {
      runs.push([place]);
      begin = place.offset;
    } else run.push(place);
    end = place.offset + place.length;
  }
  return runs;
}
