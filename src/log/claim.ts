/**
 * The right to take a lease file away: a file named by the lease's nonce, that one process at a time can create. Whoever
 * has it looks again whether the lease is still that one, so that nobody's fresh lease is ever taken for the stale one.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Files } from '../ports.js';
import { withFile, writeAll } from './bytes.js';
import { isAliveHere, readHolder, type HolderRecord } from './holder.js';
import { stagedName } from './staged-name.js';
import { errnoOf, ifThere } from './storage.js';

export const LEASE_LIFE_MS = 60_000;

export interface ClaimParts {
  files: Files;
  clock: Clock;
  /** Of the lease file. */
  path: string;
  who: { window: string; pid: number; host: string };
}

/** Creates `file` with its content at once, or not at all: false when there is one. It need not outlive the machine. */
export async function createWhole(files: Files, file: string, content: object): Promise<boolean> {
  const staged = stagedName(file);
  try {
    await writeNew(files, staged, content);
    // A link fails when the name is taken, and what it names is whole from the first moment.
    await files.link(staged, file);
    return true;
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (errno === 'EEXIST') return false;
    if (!NO_LINKS.has(errno)) throw error;
    return await createAlone(files, file, content);
  } finally {
    await ifThere(files.remove(staged));
  }
}

/** What file systems without links say of one: FAT, some of the network. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Where there are no links: taken at once all the same, and for a moment somebody reads that it is somebody's. */
async function createAlone(files: Files, file: string, content: object): Promise<boolean> {
  try {
    await writeNew(files, file, content);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    await ifThere(files.remove(file));
    throw error;
  }
}

const writeNew = (files: Files, file: string, content: object): Promise<void> =>
  withFile(files.open(file, 'create'), (opened) =>
    writeAll(opened, new TextEncoder().encode(JSON.stringify(content))),
  );

export class Claims {
  readonly #parts: ClaimParts;
  /** The last foreign mark by file, and when we first saw it, by our own monotonic clock. */
  readonly #seen = new Map<string, { mark: string; at: number }>();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** Does `work` while nobody else may take this lease away; false when somebody else may, or it is gone. */
  async whileOurs(lease: HolderRecord, work: () => Promise<void>): Promise<boolean> {
    const { files, path } = this.#parts;
    const claim = await this.#claim(path, lease);
    if (claim === undefined) return false;
    try {
      const now = await readHolder(files, path);
      const isSame = now !== undefined && now.nonce === lease.nonce && now.since === lease.since;
      if (isSame) await work();
      return isSame;
    } finally {
      await ifThere(files.remove(claim));
    }
  }

  /** Whether whoever wrote this record is dead, or has given no sign of life for a whole life. */
  isLeft(file: string, record: HolderRecord): boolean {
    const { clock, who } = this.#parts;
    // Ours, though within this process nobody holds it: releasing it has failed.
    if (record.window === who.window && record.pid === who.pid && record.host === who.host) return true;
    const alive = isAliveHere(record, who.host);
    if (alive === false) return true;
    // Wall clocks may differ or jump: the mark must stay the same for a whole life by our own clock, too.
    const mark = `${record.nonce ?? ''} ${record.beat ?? ''}`;
    const seen = this.#seen.get(file);
    const since = seen?.mark === mark ? seen.at : clock.elapsed();
    this.#seen.set(file, { mark, at: since });
    const isOld = clock.now() - Date.parse(record.beat ?? record.since) > LEASE_LIFE_MS;
    const isStill = clock.elapsed() - since > LEASE_LIFE_MS;
    return isStill || (isOld && alive === undefined);
  }

  /** The path of our claim. A claim whose claimant died is claimed itself, and taken away. */
  async #claim(path: string, lease: HolderRecord): Promise<string | undefined> {
    const { files, clock, who } = this.#parts;
    const file = `${path}.${nameOf(lease)}.claim`;
    const nonce = randomBytes(8).toString('hex');
    const record: HolderRecord = { ...who, since: new Date(clock.now()).toISOString(), nonce };
    if (await createWhole(files, file, record)) return file;
    const other = await readHolder(files, file);
    if (other === undefined || !this.isLeft(file, other)) return undefined;
    // One that makes no sense has no name of its own to be claimed by.
    const isNameless = nameOf(other) === nameOf(lease);
    const right = isNameless ? file : await this.#claim(path, other);
    if (right === undefined) return undefined;
    try {
      if ((await readHolder(files, file))?.nonce === other.nonce) await ifThere(files.remove(file));
    } finally {
      await ifThere(files.remove(right));
    }
    return (await createWhole(files, file, record)) ? file : undefined;
  }
}

/** What a lease file says is anybody's: it must not become a path. */
const nameOf = ({ nonce, since }: HolderRecord): string =>
  createHash('sha256')
    .update(`${nonce ?? ''} ${since}`)
    .digest('hex')
    .slice(0, 16);

export const isClaim = (file: string): boolean => file.endsWith('.claim');

/** What a claim's file is a claim to; undefined for any other file. */
export function leaseOfClaim(
  file: string,
): { path: string; isOf: (holder: HolderRecord | undefined) => boolean } | undefined {
  const match = /^(.+)\.([0-9a-f]{16})\.claim$/.exec(file);
  if (match === null) return undefined;
  return {
    path: match[1] ?? '',
    isOf: (holder) => holder !== undefined && nameOf(holder) === match[2],
  };
}
