/**
 * Where the operating system offers no lock (Node 20): the lease file itself is the lock. It carries a nonce and a heart
 * that beats every 20 s; one that has not beaten for 60 s, or whose process is dead, may be taken – by exactly one, since
 * a lease file is only ever changed or removed under the claim to it. Each write checks that the nonce is still its own.
 */
import { randomBytes } from 'node:crypto';
import type { Disposable } from '../ports.js';
import { Claims, createWhole, type ClaimParts } from './claim.js';
import type { OsLock, Purpose } from './os-lock.js';
import { readHolder, type HolderRecord } from './holder.js';
import { errnoOf } from './storage.js';

export const HEARTBEAT_MS = 20_000;

/** How often a claim that a dead process left is taken out of the way while letting go. */
const RELEASE_TRIES = 3;

export class LeaseFileLock implements OsLock {
  readonly namesHolder = true;
  readonly #parts: ClaimParts;
  readonly #claims: Claims;
  #held: HolderRecord | undefined;
  #beat: Disposable | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
    this.#claims = new Claims(parts);
  }

  async tryTake(purpose: Purpose): Promise<boolean> {
    const { files, clock, path, who } = this.#parts;
    const found = await readHolder(files, path);
    if (found !== undefined && !(await this.#remove(found))) return false;
    const now = new Date(clock.now()).toISOString();
    const nonce = randomBytes(8).toString('hex');
    const record: HolderRecord = { ...who, since: now, purpose, beat: now, nonce };
    if (!(await createWhole(files, path, record))) return false;
    this.#held = record;
    this.#schedule();
    return true;
  }

  async isOurs(): Promise<boolean> {
    const { files, path } = this.#parts;
    return this.#held !== undefined && (await readHolder(files, path))?.nonce === this.#held.nonce;
  }

  async release(): Promise<void> {
    this.#beat?.dispose();
    await this.#beating;
    this.#beat?.dispose(); // that beat may have set the next
    const held = this.#held;
    const isOurs = await this.isOurs();
    this.#held = undefined;
    if (held === undefined || !isOurs) return;
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      if (await this.#claims.whileOurs(held, () => this.#parts.files.remove(this.#parts.path))) return;
    }
  }

  /** Takes a dead lease out of the way. False when it lives, or somebody else was quicker. */
  async #remove(found: HolderRecord): Promise<boolean> {
    const { files, path } = this.#parts;
    if (!this.#claims.isLeft(path, found)) return false;
    return this.#claims.whileOurs(found, () => files.remove(path));
  }

  #schedule(): void {
    this.#beat = this.#parts.clock.after(HEARTBEAT_MS, () => {
      this.#beating = this.#beatOnce();
    });
  }

  /** A beat that cannot be written is not fatal: the next write finds out whether the lease is still ours. */
  async #beatOnce(): Promise<void> {
    const { files, clock, path } = this.#parts;
    const held = this.#held;
    if (held === undefined) return;
    try {
      if (!(await this.isOurs())) return;
      const beaten = { ...held, beat: new Date(clock.now()).toISOString() };
      await this.#claims.whileOurs(held, () =>
        files.replace(path, new TextEncoder().encode(JSON.stringify(beaten))),
      );
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
    this.#schedule();
  }
}
