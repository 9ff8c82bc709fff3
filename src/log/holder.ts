/** `<name>.lease.json`: who holds a session's lease. Advisory, except where it is the lock itself (lease-file). */
import * as z from 'zod';
import type { Files } from '../ports.js';
import { ifThere } from './storage.js';

const holderSchema = z.object({
  window: z.string(),
  pid: z.number().int(),
  host: z.string(),
  since: z.string(),
  /** These only of a lease that lives by its heartbeat. */
  purpose: z.enum(['run', 'write']).optional(),
  nonce: z.string().optional(),
  beat: z.string().optional(),
  /** Only of a mark that says what was deleted: the log is away. */
  moved: z.literal(true).optional(),
});
export type HolderRecord = z.infer<typeof holderSchema>;

/** A file that makes no sense names somebody unknown, since when is unknown too. */
const unknown: HolderRecord = {
  window: 'unknown',
  pid: 0,
  host: 'unknown',
  since: new Date(0).toISOString(),
};

export async function readHolder(files: Files, path: string): Promise<HolderRecord | undefined> {
  const bytes = await ifThere(files.read(path));
  if (bytes === undefined) return undefined;
  try {
    const parsed = holderSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.data : unknown;
  } catch {
    return unknown; // cut short by a crash: the lock says whether anybody is there
  }
}

/** Whether the holder's process lives; undefined when it is on another machine. */
export function isAliveHere(holder: { pid: number; host: string }, host: string): boolean | undefined {
  if (holder.host !== host || holder.pid <= 0) return undefined;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
