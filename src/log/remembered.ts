/**
 * Small JSON files that every window may change. Each change reads the file again under a lock and replaces it whole; one
 * that makes no sense is kept beside it.
 */
import type * as z from 'zod';
import type { Files } from '../ports.js';
import { SessionLease, type LeaseParts } from './lease.js';
import { ifThere, stored } from './storage.js';

/** Undefined where the file is not there or makes no sense: it only remembers, nothing is lost with it. */
export async function readRemembered<T>(
  files: Files,
  file: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  return parsed(await stored('read', file, () => ifThere(files.read(file))), schema);
}

/** `change` returns undefined when nothing is to be written. The folder is there. @throws BoughError Locked, StorageFailure */
export async function changeRemembered<T>(
  parts: LeaseParts,
  file: string,
  schema: z.ZodType<T>,
  change: (known: T | undefined) => T | undefined,
): Promise<void> {
  const { files } = parts;
  const base = file.replace(/\.json$/, '');
  const lease = new SessionLease({ lock: `${base}.lock`, lease: `${base}.lease.json` }, parts);
  await stored('write', file, async () => {
    await lease.take('write');
    try {
      const bytes = await ifThere(files.read(file));
      const known = parsed(bytes, schema);
      const changed = change(known);
      if (changed === undefined) return;
      if (bytes !== undefined && known === undefined) await files.rename(file, `${file}.damaged`);
      await files.replace(file, new TextEncoder().encode(JSON.stringify(changed)));
    } finally {
      await lease.release();
    }
  });
}

export function parsed<T>(bytes: Uint8Array | undefined, schema: z.ZodType<T>): T | undefined {
  if (bytes === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined; // garbled
  }
}
