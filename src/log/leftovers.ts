/**
 * What processes that were killed left half done: files that never took their place, claims to leases that are gone,
 * leases and locks that nobody holds. Removed when a store is first listed. Nothing of what a person said is among them.
 */
import path from 'node:path';
import type { Clock, Files } from '../ports.js';
import { isBoughError } from '../shared/failure.js';
import { isClaim, leaseOfClaim } from './claim.js';
import { isAliveHere, readHolder } from './holder.js';
import type { SessionLease } from './lease.js';
import { isSessionName, sessionPaths, type SessionPaths } from './session-name.js';
import { stagedBy } from './staged-name.js';
import { ifThere, stored } from './storage.js';

/** Of a process of another machine nobody knows whether it lives; after a day it is not writing one small file. */
const FOREIGN_MS = 24 * 60 * 60 * 1_000;
const AT_ONCE = 32;

export interface LeftoverParts {
  files: Files;
  clock: Clock;
  /** `workspaces/<key>/`. */
  folder: string;
  sessions: string;
  host: string;
  leaseOf: (paths: SessionPaths) => SessionLease;
}

type StagedParts = Pick<LeftoverParts, 'files' | 'clock' | 'host'>;

/** @throws BoughError StorageFailure; what could be removed before is gone */
export async function sweepLeftovers(parts: LeftoverParts): Promise<void> {
  const { folder, sessions } = parts;
  const names = await listed(parts, sessions);
  const inSessions = names.filter(isSessionName).map((name) => path.join(sessions, name));
  const folders = [folder, path.join(folder, 'cache'), ...inSessions];
  for (let from = 0; from < folders.length; from += AT_ONCE) {
    await Promise.all(
      folders.slice(from, from + AT_ONCE).map(async (place) => {
        await removeStaged(parts, place, await listed(parts, place));
      }),
    );
  }
  await removeStaged(parts, sessions, names);
  for (const name of names) if (isClaim(name)) await removeClaim(parts, path.join(sessions, name));
  for (const session of sessionsOf(names)) await freeLease(parts, session, names);
}

/** The entries of a folder; none when there is no such folder, or it is a file. */
async function listed({ files }: LeftoverParts, folder: string): Promise<string[]> {
  return stored('list', folder, async () => {
    const stat = await ifThere(files.stat(folder));
    return stat?.isFolder === true ? ((await ifThere(files.list(folder))) ?? []) : [];
  });
}

/** Files of dead processes, among `names` in `folder`, that never took their place. */
export async function removeStaged(
  parts: StagedParts,
  folder: string,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const by = stagedBy(name, parts.host);
    if (by === undefined) continue;
    const file = path.join(folder, name);
    await stored('remove', file, async () => {
      if (await isLeft(parts, file, by)) await ifThere(parts.files.remove(file));
    });
  }
}

async function isLeft(
  { files, clock, host }: StagedParts,
  file: string,
  by: { pid: number; host: string },
): Promise<boolean> {
  const alive = isAliveHere(by, host);
  if (alive !== undefined) return !alive;
  const stat = await ifThere(files.stat(file));
  return stat !== undefined && clock.now() - stat.mtime > FOREIGN_MS;
}

/** A dead process's claim to a lease that is not there any more. One to a lease that is, the lease's next taker removes. */
async function removeClaim({ files, host }: LeftoverParts, file: string): Promise<void> {
  const lease = leaseOfClaim(file);
  if (lease === undefined) return;
  await stored('remove', file, async () => {
    const claimant = await readHolder(files, file);
    if (claimant === undefined || isAliveHere(claimant, host) !== false) return;
    if (!lease.isOf(await readHolder(files, lease.path))) await ifThere(files.remove(file));
  });
}

const SIDE_FILE = /^(.+)\.(?:lock|lease\.json)$/;

const sessionsOf = (names: readonly string[]): Set<string> =>
  new Set(
    names.flatMap((name) => {
      const session = SIDE_FILE.exec(name)?.[1];
      return session !== undefined && isSessionName(session) ? [session] : [];
    }),
  );

/** Clears the name a dead holder left; where there is no session, its lock too. Somebody who holds it is left alone. */
async function freeLease(parts: LeftoverParts, session: string, names: readonly string[]): Promise<void> {
  const { files, sessions, host, leaseOf } = parts;
  const paths = sessionPaths(sessions, session);
  const holder = await stored('read', paths.lease, () => readHolder(files, paths.lease));
  const isDead = holder !== undefined && isAliveHere(holder, host) === false;
  const isOrphan = !names.includes(path.basename(paths.log)) && !names.includes(session);
  if (!isDead && !(isOrphan && holder === undefined)) return;
  const lease = leaseOf(paths);
  try {
    await lease.take('write');
  } catch (error) {
    if (!isBoughError(error, 'Locked')) throw error;
    return;
  }
  let isGone = false;
  try {
    isGone = (await stored('look at', paths.log, () => ifThere(files.stat(paths.log)))) === undefined;
  } finally {
    await stored('remove', paths.lock, () => (isOrphan && isGone ? lease.retire() : lease.release()));
  }
}
