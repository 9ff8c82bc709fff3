/**
 * Writes an export where the person wants it: a file on disk takes its place whole, under its name only when all of it is
 * written; elsewhere it is handed to whoever keeps files there.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

export type Chunks = AsyncIterable<Uint8Array>;

/** Readable by its owner alone until the person gives it on. */
const MODE = 0o600;

export async function writeWhole(file: string, chunks: Chunks, signal?: AbortSignal): Promise<number> {
  const staged = `${file}.${randomUUID().slice(0, 8)}.part`;
  let bytes = 0;
  const handle = await open(staged, 'wx', MODE);
  try {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
    await handle.close();
    await rename(staged, file);
  } catch (error) {
    // Closing twice is no error; what was begun must not stay behind.
    await handle.close();
    await rm(staged, { force: true });
    throw error;
  }
  return bytes;
}

export async function collect(chunks: Chunks): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}
