/**
 * `cache/deleted/`: which sessions were deleted here, one empty file each, so that a row whose log is gone can be told from
 * one whose log was left behind somewhere else. Set before the log is moved away: a process that dies between leaves no
 * row of a session that was deleted, and a mark beside a log that is there means nothing.
 */
import path from 'node:path';
import type { Clock, Files } from '../ports.js';
import { ifThere, stored } from './storage.js';

/** By then every window has listed its sessions, and its index has no such row. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

export class DeletedMarks {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #folder: string;

  constructor(files: Files, clock: Clock, cache: string) {
    this.#files = files;
    this.#clock = clock;
    this.#folder = path.join(cache, 'deleted');
  }

  set(name: string): Promise<void> {
    const file = path.join(this.#folder, name);
    return stored('mark as deleted', file, async () => {
      await this.#files.makeFolder(this.#folder);
      await this.#files.replace(file, new Uint8Array(0));
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

  /** Removes those that nobody needs any more. */
  async expire(): Promise<void> {
    for (const name of await this.names()) {
      const file = path.join(this.#folder, name);
      const stat = await stored('look at', file, () => ifThere(this.#files.stat(file)));
      if (stat !== undefined && this.#clock.now() - stat.mtime > KEPT_MS) await this.clear(name);
    }
  }
}
