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

/** Puts one blob into `folder`; one that the original lacks stays missing, and the copy says so as the original does. */
export type CarryBlob = (hash: string, folder: string) => Promise<void>;

export async function writeCopy(
  files: Files,
  target: CopyTarget,
  header: Header,
  lines: AsyncIterable<string>,
  carry: CarryBlob,
): Promise<void> {
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
  if (hashes.size === 0) return;
  await stored('create', target.folder, () => files.makeFolder(target.folder));
  for (const hash of hashes) await carry(hash, target.folder);
  await stored('create', target.folder, () => files.syncFolder(target.folder));
}

/** One that is damaged is missing in the copy: it keeps nothing beside it from being copied. */
export async function carryBlob(from: Blobs, hash: string, to: Blobs): Promise<void> {
  if (!(await from.has(hash))) return;
  try {
    await to.put(await from.get(hash));
  } catch (error) {
    if (!isBoughError(error, 'LogDamaged')) throw error;
  }
}

/** Takes no more room where the file system knows hard links: a blob is never changed. */
export const linkBlobsFrom =
  (files: Files, from: string): CarryBlob =>
  async (hash, folder) => {
    const source = path.join(from, hash);
    const target = path.join(folder, hash);
    await stored('carry an attachment over to', target, async () => {
      try {
        await files.link(source, target);
      } catch (error) {
        if (['ENOENT', 'EEXIST'].includes(errnoOf(error) ?? '')) return;
        const bytes = await ifThere(files.read(source));
        if (bytes !== undefined) await files.replace(target, bytes);
      }
    });
  };
