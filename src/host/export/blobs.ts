/** The blobs a log names, put beside its export as they lie beside the log: without them long texts and images were lost. */
import type { Blobs } from '../../log/store.js';
import type { Clean } from './redact-line.js';

export interface BlobTarget {
  clean: Clean;
  put: (hash: string, bytes: Uint8Array) => Promise<void>;
}

/** A text that holds a key is known by its hash alone: it can be kept neither as it is nor changed. */
export async function exportBlobs(
  blobs: Pick<Blobs, 'get' | 'has'>,
  hashes: ReadonlySet<string>,
  { clean, put }: BlobTarget,
): Promise<{ written: number; left: number }> {
  let [written, left] = [0, 0];
  for (const hash of hashes) {
    if (!(await blobs.has(hash))) continue;
    const bytes = await blobs.get(hash);
    const text = new TextDecoder().decode(bytes);
    if (clean(text) === text) {
      await put(hash, bytes);
      written += 1;
    } else left += 1;
  }
  return { written, left };
}
