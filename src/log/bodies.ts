/**
 * Entries' bodies, read from the file when they are asked for. While somebody looks at the session or works in it, the last
 * ones read stay in memory up to a few MB; else none does.
 */
import type { Disposable, Files, OpenFile } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import { readFull, withFile } from './bytes.js';
import { parseAgain, parseLine } from './codec.js';
import { sumOf, type EntryPlace, type Ledger } from './ledger.js';
import { stored } from './storage.js';
import { recordsAgain, type LineRecords } from './record-text.js';
import type { Held, PlacedEntry, PlacedRecord } from './store.js';

const CACHE_BYTES = 4 * 1024 * 1024;
/** Lines closer than this are read together, up to as much at once. */
const GAP_BYTES = 128 * 1024;
const READ_BYTES = 1024 * 1024;

export class Bodies {
  readonly #files: Files;
  readonly #path: string;
  /** How many look at the session or work in it. */
  #users = 0;
  /** The file is not there any more: what was read is all there is, beside what is open. */
  #isGone = false;
  /** The file under no name any more, whose bytes are there as long as it is open. */
  #nameless: OpenFile | undefined;
  /** By the offset of the line; the last read stands last. */
  readonly #lines = new Map<number, { entries: readonly Entry[]; length: number }>();
  #cachedBytes = 0;
  /** How often the file turned out to be another one. */
  #forgotten = 0;

  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** Until that is disposed what is read may stay in memory. */
  use(): Disposable {
    this.#users++;
    let isOver = false;
    return {
      dispose: () => {
        if (isOver) return;
        isOver = true;
        this.#users--;
        if (this.#users === 0 && !this.#isGone) this.forget();
      },
    };
  }

  /** The entries at `positions`, in the same order. */
  async read(ledger: Ledger, positions: readonly number[]): Promise<PlacedEntry[]> {
    const places = positions.map((position) => ({ position, place: placeOf(ledger, position) }));
    const lines = new Map(places.map(({ place }) => [place.offset, place]));
    const wanted = await this.#lookUp(ledger, [...lines.values()]);
    return places.map(({ position, place }) => {
      const asWritten = wanted.get(place.offset)?.[place.index];
      if (asWritten === undefined) throw changed(this.#path, place.offset);
      return {
        position,
        entry: place.relinked === undefined ? asWritten : { ...asWritten, ...place.relinked },
      };
    });
  }

  /**
   * The same with each record's JSON as it stands in the file. Keeps nothing: who copies a log reads it once.
   */
  async records(ledger: Ledger, positions: readonly number[]): Promise<PlacedRecord[]> {
    const places = positions.map((position) => ({ position, place: placeOf(ledger, position) }));
    return this.#recordsThere(ledger, places);
  }

  /** What is still to be had of it, as it is written, and what is not. */
  async held(ledger: Ledger, positions: readonly number[]): Promise<Held> {
    if (!this.#isGone || this.#nameless !== undefined)
      return { records: await this.records(ledger, positions), lost: [] };
    const lineOf = (position: number): number => placeOf(ledger, position).offset;
    const inMemory = positions.filter((position) => this.#lines.has(lineOf(position)));
    const had = new Set(inMemory);
    const records = (await this.read(ledger, inMemory)).map(({ position, entry }) => {
      return { position, entry, text: JSON.stringify(entry), line: lineOf(position) };
    });
    const nodes = new Map(
      ledger.fold.outline.map(([id, , , , preview]) => [ledger.positionOf(id), { id, preview }]),
    );
    const lost = positions
      .filter((position) => !had.has(position))
      .map((position) => ({ position, ...nodes.get(position) }));
    return { records, lost };
  }

  /** The file is gone; `open`, if there is one, still has its bytes where the system has it so, and is ours to close. */
  keepWhatIs(open: OpenFile | undefined): void {
    this.#isGone = true;
    this.#nameless ??= open;
  }

  /** Nothing more is read. */
  async close(): Promise<void> {
    this.forget();
    const file = this.#nameless;
    this.#nameless = undefined;
    if (file !== undefined) await stored('close', this.#path, () => file.close());
  }

  /** What was just written or taken in, which whoever shows it has too: it need not be read to be had. */
  keep(ledger: Ledger, placed: readonly PlacedEntry[]): void {
    const lines = new Map<number, { place: EntryPlace; entries: Entry[] }>();
    for (const { position, entry } of placed) {
      const place = placeOf(ledger, position);
      const line = lines.get(place.offset) ?? { place, entries: [] };
      line.entries[place.index] = entry;
      lines.set(place.offset, line);
    }
    for (const { place, entries } of lines.values())
      if (!this.#lines.has(place.offset) && place.length <= CACHE_BYTES) this.#keep(place, entries);
  }

  async #recordsThere(
    ledger: Ledger,
    places: readonly { position: number; place: EntryPlace }[],
  ): Promise<PlacedRecord[]> {
    const lines = new Map(places.map(({ place }) => [place.offset, place]));
    const found = new Map<number, LineRecords>();
    await this.#eachLine([...lines.values()], (place, bytes) => {
      if (sumOf(bytes) !== place.sum) throw changed(this.#path, place.offset);
      found.set(place.offset, recordsAgain(bytes, ledger.dialect, ledger.fallbackTime));
    });
    return places.map(({ position, place }) => {
      const { offset, index, relinked } = place;
      const { entries = [], texts = [], areAll = false } = found.get(offset) ?? {};
      const asWritten = entries[index];
      if (asWritten === undefined) throw changed(this.#path, offset);
      const entry = relinked === undefined ? asWritten : { ...asWritten, ...relinked };
      const { id, parent_id } = asWritten;
      const text = texts[index] ?? JSON.stringify(asWritten);
      return { position, entry, text, line: offset, ...(areAll ? { written: { id, parent_id } } : {}) };
    });
  }

  async #eachLine(places: EntryPlace[], take: (place: EntryPlace, bytes: Uint8Array) => void): Promise<void> {
    if (places.length === 0) return;
    const total = places.reduce((sum, { length }) => sum + length, 0);
    let into = new Uint8Array(0);
    await stored('read', this.#path, () =>
      this.#withFile(async (file) => {
        for (const run of runsOf(places)) {
          const first = run[0]?.offset ?? 0;
          const last = run.at(-1) ?? { offset: first, length: 0 };
          const length = last.offset + last.length - first;
          // One piece of memory for all runs: what is taken of a line is made before the next is read.
          if (into.length < length) into = new Uint8Array(Math.max(length, Math.min(READ_BYTES, total)));
          const bytes = into.subarray(0, await readFull(file, into.subarray(0, length), first));
          for (const place of run) {
            const from = place.offset - first;
            take(place, bytes.subarray(from, from + place.length));
          }
        }
      }),
    );
  }

  #withFile<T>(work: (file: OpenFile) => Promise<T>): Promise<T> {
    return this.#nameless === undefined
      ? withFile(this.#files.open(this.#path, 'read'), work)
      : work(this.#nameless);
  }

  async #lookUp(ledger: Ledger, places: EntryPlace[]): Promise<Map<number, readonly Entry[]>> {
    const found = new Map<number, readonly Entry[]>();
    const missing: EntryPlace[] = [];
    for (const place of places) {
      const cached = this.#lines.get(place.offset);
      if (cached === undefined) missing.push(place);
      else found.set(place.offset, cached.entries);
    }
    if (missing.length === 0) return found;
    let left = missing.reduce((sum, { length }) => sum + length, 0);
    const forgotten = this.#forgotten;
    await this.#eachLine(missing, (place, bytes) => {
      if (sumOf(bytes) !== place.sum) throw changed(this.#path, place.offset);
      const entries = entriesIn(bytes, ledger);
      found.set(place.offset, entries);
      // What would be let go of again before the last line is read is not kept at all.
      if (left <= CACHE_BYTES && forgotten === this.#forgotten) this.#keep(place, entries);
      left -= place.length;
    });
    return found;
  }

  #keep({ offset, length }: EntryPlace, entries: readonly Entry[]): void {
    if (this.#users === 0) return;
    this.#lines.set(offset, { entries, length });
    this.#cachedBytes += length;
    for (const [oldest, { length: bytes }] of this.#lines) {
      if (this.#cachedBytes <= CACHE_BYTES) return;
      this.#lines.delete(oldest);
      this.#cachedBytes -= bytes;
    }
  }

  /** The file is not the one that was read from, or nobody looks at it any more. */
  forget(): void {
    this.#forgotten++;
    this.#lines.clear();
    this.#cachedBytes = 0;
  }
}

/** Of a line that is as it was read before: what was good is not checked again. */
function entriesIn(bytes: Uint8Array, ledger: Ledger): readonly Entry[] {
  const again = ledger.dialect === 'own' ? parseAgain(bytes) : undefined;
  return again ?? parseLine(bytes, ledger.dialect, ledger.fallbackTime).entries;
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

const changed = (path: string, offset: number): BoughError =>
  new BoughError(
    'LogDamaged',
    `What stands at byte ${offset} of ${path} is not what was read before; open the session again.`,
    { path, offset },
  );
