/**
 * Mends what can be mended without losing a byte: the end of a log (a newline that is missing is added, a fragment is kept
 * beside the log first) and blobs that a copy of the session still has. Whoever uses the session is left alone.
 */
import path from 'node:path';
import type { Clock, Files } from '../ports.js';
import { isBoughError } from '../shared/failure.js';
import { sha256 } from './blobs.js';
import { LogWriter } from './commit.js';
import type { SessionLease } from './lease.js';
import type { Ledger } from './ledger.js';
import { linkBlobsFrom } from './session-copy.js';
import type { SessionPaths } from './session-name.js';
import { ifThere, stored } from './storage.js';
import { setAsideFragment } from './tail.js';
import type { Examined } from './verify.js';

export interface MendParts {
  files: Files;
  clock: Clock;
  sessions: string;
  leaseOf: (paths: SessionPaths) => SessionLease;
}

/** Says in the report what was done, or why nothing was; a log that cannot be mended keeps no other from it. */
export async function mend(parts: MendParts, { report, paths, ledger }: Examined): Promise<void> {
  if (ledger?.isSessionLog !== true) return;
  const needsEnd = hasOpenEnd(ledger);
  if (!needsEnd && report.missingBlobs.length === 0) return;
  try {
    const lease = parts.leaseOf(paths);
    await lease.take('write');
    try {
      if (needsEnd) report.repaired.push(await mendEnd(parts, lease, paths, ledger));
      for (const { hash } of report.missingBlobs) {
        if (await putBack(parts, paths, hash))
          report.repaired.push(`The attachment ${hash} was taken from a copy.`);
      }
    } finally {
      await lease.release();
    }
  } catch (error) {
    if (!isBoughError(error)) throw error;
    const what = report.repaired.length === 0 ? 'Nothing' : 'No more';
    report.unmended = `${what} was mended: ${error.message}`;
  }
}

/** Says in the report how much of it {@link mend} would do. */
export async function noteMendable(parts: MendParts, { report, paths, ledger }: Examined): Promise<void> {
  if (ledger?.isSessionLog !== true) return;
  let mendable = hasOpenEnd(ledger) ? 1 : 0;
  for (const { hash } of report.missingBlobs)
    if ((await findBlob(parts, paths, hash)) !== undefined) mendable += 1;
  if (mendable > 0) report.mendable = mendable;
}

const hasOpenEnd = (ledger: Ledger): boolean => ledger.access.mode === 'write' && ledger.tail.kind !== 'none';

async function mendEnd(
  { files, clock }: MendParts,
  lease: SessionLease,
  paths: SessionPaths,
  { tail }: Ledger,
): Promise<string> {
  const writer = new LogWriter({ files, path: paths.log, isLeaseOurs: () => lease.isOurs() });
  try {
    if (tail.kind === 'fragment') {
      const now = new Date(clock.now()).toISOString();
      const place = { files, logPath: paths.log, damagedPath: paths.damaged, now };
      await writer.repair(tail.end, (file) => setAsideFragment(file, tail, place));
      return `The record that was cut short at the end was moved to ${paths.damaged}.`;
    }
    if (tail.kind === 'open') await writer.commit(Buffer.from('\n'), tail.end, false);
    return 'The newline that the last record lacked was added.';
  } finally {
    await writer.release();
  }
}

/** The folder of any other session that has it, as a fork leaves it there. */
async function findBlob(
  { files, sessions }: MendParts,
  paths: SessionPaths,
  hash: string,
): Promise<string | undefined> {
  const names = await stored('list', sessions, () => files.list(sessions));
  for (const name of names.filter((one) => !one.includes('.') && one !== paths.name)) {
    const source = path.join(sessions, name, hash);
    const bytes = await stored('read', source, () => ifThere(files.read(source)));
    if (bytes !== undefined && sha256(bytes) === hash) return path.dirname(source);
  }
  return undefined;
}

/** One whose content has changed is kept aside. */
async function putBack(parts: MendParts, paths: SessionPaths, hash: string): Promise<boolean> {
  const { files } = parts;
  const from = await findBlob(parts, paths, hash);
  if (from === undefined) return false;
  const place = path.join(paths.folder, hash);
  await stored('put back', place, async () => {
    await files.makeFolder(paths.folder);
    await ifThere(files.rename(place, `${place}.damaged`));
    await linkBlobsFrom(files, from)(hash, paths.folder);
    await files.syncFolder(paths.folder);
  });
  return true;
}
