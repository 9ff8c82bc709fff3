/** Reads a log into a ledger, whole or from where it was read to before. Changes nothing on disk. */
import type { Files, OpenFile } from '../ports.js';
import { BlockHashes } from './block-hashes.js';
import { readRange, withFile } from './bytes.js';
import { Ledger, sumOf } from './ledger.js';
import type { LogIndex } from './log-index.js';
import { scanLines } from './scan.js';
import { stored } from './storage.js';
import type { OnRead, PlacedEntry } from './store.js';

/** Enough of a log's beginning to tell it from another that took its place: it holds the header's id and time. */
const MARK_BYTES = 512;

/** A log as read so far. */
export interface Loaded {
  ledger: Ledger;
  /** How long the file was, what is no whole line included. */
  size: number;
  /** When it was written, as known when it was looked at last; ms since the epoch. */
  mtime: number;
  mark: Uint8Array;
  /** Digests of the bytes that the ledger was made of. */
  seen: BlockHashes;
  /** How much of the file an index on disk says right, and can be trusted to say the next time. */
  indexed: number;
  /** What was read before reading failed, of which nobody has been told. */
  untold: PlacedEntry[];
}

export const markOf = (bytes: Uint8Array): Uint8Array => bytes.slice(0, MARK_BYTES);

export interface LoadOptions {
  /** Absent: all of it is read. */
  index?: LogIndex;
  /** Nothing of it is read again: no checksums are kept. */
  isForOnce?: boolean;
  /** Ends the reading, with its reason. */
  signal?: AbortSignal;
  onRead?: OnRead;
}

export async function loadLog(
  files: Files,
  path: string,
  name: string,
  { index, isForOnce = false, signal, onRead }: LoadOptions = {},
): Promise<Loaded> {
  const begun = index?.begin();
  return stored('read', path, () =>
    withFile(files.open(path, 'read'), async (file) => {
      const stat = file.opened ?? (await file.stat());
      const { size, mtime } = stat;
      const [mark, known] = await Promise.all([
        isForOnce ? new Uint8Array(0) : readRange(file, 0, Math.min(MARK_BYTES, size)),
        begun === undefined ? undefined : index?.read(begun, file, stat),
      ]);
      const ledger = new Ledger(name, new Date(mtime).toISOString(), known?.base, isForOnce ? noSum : sumOf);
      const indexed = known === undefined || known.wasCompared ? 0 : ledger.next.from;
      const seen = known?.seen ?? new BlockHashes();
      const loaded = { ledger, size, mtime, seen, indexed, untold: [] };
      const onBytes = (bytes: Uint8Array, offset: number): void => {
        signal?.throwIfAborted();
        onRead?.(offset + bytes.length, size);
        if (!isForOnce) seen.add(bytes, offset);
      };
      await readOn(file, ledger, size, { onBytes });
      if (size === 0) ledger.takeEmpty();
      return { ...loaded, mark };
    }),
  );
}

/**
 * Whether the line that was read last still stands there. A write that failed may have been read before it was taken back,
 * and what was written since may be as long, or longer.
 */
async function endsAsRead(file: OpenFile, { ledger }: Pick<Loaded, 'ledger'>): Promise<boolean> {
  const last = ledger.place(ledger.position - 1);
  if (last === undefined) return true;
  const line = await readRange(file, last.offset, last.offset + last.length);
  return line.length === last.length && sumOf(line) === last.sum;
}

/** Of a file that is as long as it was. */
export const isAsRead = (files: Files, path: string, loaded: Loaded): Promise<boolean> =>
  stored('read', path, () => withFile(files.open(path, 'read'), (file) => endsAsRead(file, loaded)));

/** Reads what was appended since; undefined when the file is not the one that was read, or was cut. */
export async function readMore(
  files: Files,
  path: string,
  loaded: Loaded,
): Promise<PlacedEntry[] | undefined> {
  return stored('read', path, () =>
    withFile(files.open(path, 'read'), async (file) => {
      const { size } = await file.stat();
      const mark = await readRange(file, 0, Math.min(MARK_BYTES, size));
      const isSame = Buffer.compare(mark.subarray(0, loaded.mark.length), loaded.mark) === 0;
      const isBegunAnew = loaded.size === 0 && size > 0;
      if (!isSame || isBegunAnew || size < loaded.size || !(await endsAsRead(file, loaded))) return undefined;
      const onPlaced = (entries: PlacedEntry[]): void => {
        loaded.untold.push(...entries);
        loaded.size = loaded.ledger.next.from;
      };
      const onBytes = (bytes: Uint8Array, offset: number): void => loaded.seen.add(bytes, offset);
      await readOn(file, loaded.ledger, size, { onPlaced, onBytes });
      const placed = loaded.untold;
      Object.assign(loaded, { size, mark, untold: [] });
      return placed;
    }),
  );
}

async function readOn(
  file: OpenFile,
  ledger: Ledger,
  to: number,
  told: {
    onBytes: (bytes: Uint8Array, offset: number) => void;
    onPlaced?: (entries: PlacedEntry[]) => void;
  },
): Promise<void> {
  for await (const lines of scanLines(file, { ...ledger.next, to, onBytes: told.onBytes })) {
    for (const line of lines) {
      const placed = ledger.take(line);
      told.onPlaced?.(placed);
    }
  }
}

/** Of lines that nobody compares with anything. */
const noSum = (): number => 0;
