/** The blobs a log names, put beside its export as they lie beside the log: without them long texts and images were lost. */
import type { Blobs } from '../../log/store.js';
import { isBoughError } from '../../shared/failure.js';
import type { Clean } from './redact-line.js';

export interface BlobTarget {
  clean: Clean;
  put: (hash: string, bytes: Uint8Array) => Promise<void>;
}

export interface BlobTally {
  written: number;
  /** A text that holds a key is known by its hash alone: it can be kept neither as it is nor changed. */
  left: number;
  /** Hashes of those that are damaged or cannot be read. They keep nobody from the others. */
  unread: string[];
}

export async function exportBlobs(
  blobs: Pick<Blobs, 'get' | 'has'>,
  hashes: ReadonlySet<string>,
  { clean, put }: BlobTarget,
): Promise<BlobTally> {
  const tally: BlobTally = { written: 0, left: 0, unread: [] };
  for (const hash of hashes) {
    if (!(await blobs.has(hash))) continue;
    const bytes = await readable(blobs, hash);
    if (bytes === undefined) {
      tally.unread.push(hash);
      continue;
    }
    const text = new TextDecoder().decode(bytes);
    if (clean(text) === text) {
      await put(hash, bytes);
      tally.written += 1;
    } else tally.left += 1;
  }
  return tally;
}

async function readable(blobs: Pick<Blobs, 'get'>, hash: string): Promise<Uint8Array | undefined> {
  try {
    return await blobs.get(hash);
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return undefined;
  }
}
