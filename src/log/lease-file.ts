/**
 * Where the operating system offers no lock (Node 20): the lease file itself is the lock. It carries a nonce and a heart
 * that beats every 20 s; one that has not beaten for 60 s, or whose process is dead, may be taken. Two that take it at
 * once cannot both keep it: each checks before every write that the nonce is still its own.
 */
import { randomBytes } from 'node:crypto';
import type { Clock, Disposable, Files } from '../ports.js';
import type { OsLock, Purpose } from './os-lock.js';
import { isAliveHere, readHolder, type HolderRecord } from './holder.js';
import { errnoOf, ifThere, isMissing } from './storage.js';

export const HEARTBEAT_MS = 20_000;
export const LEASE_LIFE_MS = 60_000;

export interface LeaseFileParts {
  files: Files;
  clock: Clock;
  path: string;
  who: { window: string; pid: number; host: string };
}

export class LeaseFileLock implements OsLock {
  readonly namesHolder = true;
  readonly #parts: LeaseFileParts;
  #purpose: Purpose = 'write';
  #nonce: string | undefined;
  #since = '';
  #beat: Disposable | undefined;
  #beating: Promise<void> = Promise.resolve();
  /** The last foreign heartbeat and when we first saw it, by our own monotonic clock. */
  #seen: { mark: string; at: number } | undefined;

  constructor(parts: LeaseFileParts) {
    this.#parts = parts;
  }

  async tryTake(purpose: Purpose): Promise<boolean> {
    const { files, clock, path } = this.#parts;
    const found = await readHolder(files, path);
    if (found !== undefined && !(await this.#remove(found))) return false;
    this.#purpose = purpose;
    this.#nonce = randomBytes(8).toString('hex');
    this.#since = new Date(clock.now()).toISOString();
    if (!(await this.#create())) {
      this.#nonce = undefined;
      return false;
    }
    this.#schedule();
    return true;
  }

  async isOurs(): Promise<boolean> {
    if (this.#nonce === undefined) return false;
    return (await readHolder(this.#parts.files, this.#parts.path))?.nonce === this.#nonce;
  }

  async release(): Promise<void> {
    this.#beat?.dispose();
    await this.#beating;
    const isOurs = await this.isOurs();
    this.#nonce = undefined;
    if (isOurs) await ifThere(this.#parts.files.remove(this.#parts.path));
  }

  async #create(): Promise<boolean> {
    const { files, path } = this.#parts;
    const staged = `${path}.${this.#nonce ?? ''}.tmp`;
    await files.replace(staged, this.#record());
    try {
      // A link fails when the name is taken, and what it names is whole from the first moment.
      await files.link(staged, path);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await files.remove(staged);
    }
  }

  /** Takes a dead lease out of the way. False when it lives, or somebody else was quicker. */
  async #remove(found: HolderRecord): Promise<boolean> {
    if (!this.#isDead(found)) return false;
    const { files, path } = this.#parts;
    const aside = `${path}.${randomBytes(8).toString('hex')}.stale`;
    try {
      await files.rename(path, aside);
    } catch (error) {
      if (isMissing(error)) return true;
      throw error;
    }
    const moved = await readHolder(files, aside);
    const isSame = moved?.nonce === found.nonce && moved?.beat === found.beat;
    // What was moved is a lease somebody took meanwhile: it goes back, unless yet another stands there.
    if (!isSame) await files.link(aside, path).catch(ignoreTaken);
    await files.remove(aside);
    return isSame;
  }

  #isDead(found: HolderRecord): boolean {
    const { clock, who } = this.#parts;
    // Ours, though within this process nobody holds it: releasing it has failed.
    if (found.window === who.window && found.pid === who.pid && found.host === who.host) return true;
    const alive = isAliveHere(found, who.host);
    if (alive === false) return true;
    // Wall clocks may differ or jump: the mark must stay the same for a whole life by our own clock, too.
    const mark = `${found.nonce ?? ''} ${found.beat ?? ''}`;
    if (this.#seen?.mark !== mark) this.#seen = { mark, at: clock.elapsed() };
    const isOld = clock.now() - Date.parse(found.beat ?? found.since) > LEASE_LIFE_MS;
    const isStill = clock.elapsed() - this.#seen.at > LEASE_LIFE_MS;
    return isStill || (isOld && alive === undefined);
  }

  #schedule(): void {
    this.#beat = this.#parts.clock.after(HEARTBEAT_MS, () => {
      this.#beating = this.#beatOnce();
    });
  }

  /** A beat that cannot be written is not fatal: the next write finds out whether the lease is still ours. */
  async #beatOnce(): Promise<void> {
    try {
      if (!(await this.isOurs())) return;
      await this.#parts.files.replace(this.#parts.path, this.#record());
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
    this.#schedule();
  }

  #record(): Uint8Array {
    const { clock, who } = this.#parts;
    const beat = new Date(clock.now()).toISOString();
    const record: HolderRecord = {
      ...who,
      since: this.#since,
      purpose: this.#purpose,
      beat,
      nonce: this.#nonce ?? '',
    };
    return new TextEncoder().encode(JSON.stringify(record));
  }
}

function ignoreTaken(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}
