/** Puts a copy of a session together: header and lines in one file, durable, and every blob that its lines name. */
import path from 'node:path';
import type { Files } from '../ports.js';
import type { Header } from '../shared/entry.js';
import { isBoughError } from '../shared/failure.js';
import { withFile, writeAll } from './bytes.js';
import { serialiseHeader } from './codec.js';
import { hashesIn } from './copy-lines.js';
import { errnoOf, ifThere, stored } from './storage.js';
import type { Blobs } from './store.js';

/** Bytes that are written with one call. */
const CHUNK_BYTES = 1024 * 1024;

export interface CopyTarget {
  log: string;
  /** For blobs. */
  folder: string;
}

/** Puts one blob into `folder`; false for one that the original lacks: the copy says so as the original does. */
export type CarryBlob = (hash: string, folder: string) => Promise<boolean>;

/** Returns what the original lacks of what its lines name. */
export async function writeCopy(
  files: Files,
  target: CopyTarget,
  header: Header,
  lines: AsyncIterable<string>,
  carry: CarryBlob,
): Promise<string[]> {
  const hashes = new Set<string>();
  await stored('write the copy', target.log, () =>
    withFile(files.open(target.log, 'create'), async (file) => {
      let waiting = [Buffer.from(serialiseHeader(header))];
      let bytes = 0;
      for await (const line of lines) {
        for (const hash of hashesIn(line)) hashes.add(hash);
        waiting.push(Buffer.from(line));
        bytes += line.length;
        if (bytes < CHUNK_BYTES) continue;
        await writeAll(file, Buffer.concat(waiting));
        waiting = [];
        bytes = 0;
      }
      await writeAll(file, Buffer.concat(waiting));
      await file.datasync();
    }),
  );
  if (hashes.size === 0) return [];
  await stored('create', target.folder, () => files.makeFolder(target.folder));
  const missing: string[] = [];
  for (const hash of hashes) if (!(await carry(hash, target.folder))) missing.push(hash);
  await stored('create', target.folder, () => files.syncFolder(target.folder));
  return missing;
}

/** One that is damaged is missing in the copy: it keeps nothing beside it from being copied. */
export async function carryBlob(from: Blobs, hash: string, to: Blobs): Promise<boolean> {
  if (!(await from.has(hash))) return false;
  try {
    await to.put(await from.get(hash));
    return true;
  } catch (error) {
    if (!isBoughError(error, 'LogDamaged')) throw error;
    return false;
  }
}

/** Takes no more room where the file system knows hard links: a blob is never changed. */
export const linkBlobsFrom =
  (files: Files, from: string): CarryBlob =>
  async (hash, folder) => {
    const source = path.join(from, hash);
    const target = path.join(folder, hash);
    return stored('carry an attachment over to', target, async () => {
      try {
        await files.link(source, target);
      } catch (error) {
        const errno = errnoOf(error) ?? '';
        if (errno === 'ENOENT') return false;
        if (errno === 'EEXIST') return true;
        const bytes = await ifThere(files.read(source));
        if (bytes === undefined) return false;
        await files.replace(target, bytes);
      }
      return true;
    });
  };
