/**
 * `cache/deleted/`: which sessions were deleted here, one empty file each, so that a row whose log is gone can be told from
 * one whose log was left behind somewhere else. Set before the log is moved away, by name, and again when it is: a process
 * that dies between leaves no row of a session that was deleted, and a mark beside a log that is there goes with the next
 * look, unless somebody is about to move that away.
 */
import path from 'node:path';
import type { Clock, Files } from '../ports.js';
import { isAliveHere, readHolder, type HolderRecord } from './holder.js';
import { ifThere, stored } from './storage.js';

/** By then every window has listed its sessions, and its index has no such row. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

export interface MarkParts {
  files: Files;
  clock: Clock;
  cache: string;
  /** Who deletes here. */
  who: Pick<HolderRecord, 'window' | 'pid' | 'host'>;
}

export class DeletedMarks {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #folder: string;
  readonly #who: MarkParts['who'];

  constructor({ files, clock, cache, who }: MarkParts) {
    this.#files = files;
    this.#clock = clock;
    this.#folder = path.join(cache, 'deleted');
    this.#who = who;
  }

  /** `isMoved`: the log is away. */
  set(name: string, isMoved: boolean): Promise<void> {
    const file = path.join(this.#folder, name);
    return stored('mark as deleted', file, async () => {
      await this.#files.makeFolder(this.#folder);
      const since = new Date(this.#clock.now()).toISOString();
      const by: HolderRecord = { ...this.#who, since, ...(isMoved ? { moved: true } : {}) };
      await this.#files.replace(file, new TextEncoder().encode(JSON.stringify(by)));
    });
  }

  async clear(name: string): Promise<void> {
    const file = path.join(this.#folder, name);
    await stored('remove', file, () => ifThere(this.#files.remove(file)));
  }

  async names(): Promise<Set<string>> {
    const names = await stored('list', this.#folder, () => ifThere(this.#files.list(this.#folder)));
    return new Set(names);
  }

  /** Removes those among `names` whose log was moved away and is there again. */
  async clearFound(names: readonly string[], isThere: (name: string) => Promise<boolean>): Promise<void> {
    for (const name of names) {
      const file = path.join(this.#folder, name);
      const by = await stored('read', file, () => readHolder(this.#files, file));
      if (by?.moved === true && (await isThere(name))) await this.clear(name);
    }
  }

  /** Removes those that nobody needs any more: old ones, and those of dead processes whose log is there still. */
  async expire(isThere: (name: string) => Promise<boolean>): Promise<void> {
    for (const name of await this.names()) {
      const file = path.join(this.#folder, name);
      const stat = await stored('look at', file, () => ifThere(this.#files.stat(file)));
      if (stat === undefined) continue;
      const isOld = this.#clock.now() - stat.mtime > KEPT_MS;
      if (isOld || ((await isThere(name)) && (await this.#isOfDead(file)))) await this.clear(name);
    }
  }

  async #isOfDead(file: string): Promise<boolean> {
    const by = await stored('read', file, () => readHolder(this.#files, file));
    return by !== undefined && isAliveHere(by, this.#who.host) === false;
  }
}
