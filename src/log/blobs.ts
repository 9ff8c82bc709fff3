/** Bytes by their SHA-256 in a session's folder: written once, never changed, checked whenever they are read. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Clock, Files } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import { errnoOf, ifThere, stored } from './storage.js';
import type { Blobs } from './store.js';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

export class FolderBlobs implements Blobs {
  readonly #files: Files;
  readonly #folder: string;
  readonly #clock: Clock | undefined;

  /** With a clock, what is put again is as new: what deletes by age must not take it before an entry names it. */
  constructor(files: Files, folder: string, clock?: Clock) {
    this.#files = files;
    this.#folder = folder;
    this.#clock = clock;
  }

  async put(content: Uint8Array | string): Promise<string> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content.toWellFormed()) : content;
    const hash = sha256(bytes);
    const file = path.join(this.#folder, hash);
    await stored('keep an attachment in', file, async () => {
      const kept = await ifThere(this.#files.read(file));
      // One that a crash has damaged is written again: its name says what it must be.
      if (kept !== undefined && sha256(kept) === hash) return this.#renew(file);
      await this.#files.makeFolder(this.#folder);
      await this.#files.syncFolder(path.dirname(this.#folder));
      await this.#files.replace(file, bytes);
    });
    return hash;
  }

  async #renew(file: string): Promise<void> {
    if (this.#clock === undefined) return;
    try {
      await this.#files.setTime(file, this.#clock.now());
    } catch (error) {
      if (errnoOf(error) === undefined) throw error; // whole as it is: that it looks old is no reason to refuse it
    }
  }

  async get(hash: string): Promise<Uint8Array> {
    const file = this.#fileOf(hash);
    const bytes = await stored('read the attachment', file, () => ifThere(this.#files.read(file)));
    if (bytes === undefined) throw damaged(file, 'it is not there');
    if (sha256(bytes) !== hash) throw damaged(file, 'its content has changed');
    return bytes;
  }

  async has(hash: string): Promise<boolean> {
    const file = this.#fileOf(hash);
    const stat = await stored('look at', file, () => ifThere(this.#files.stat(file)));
    return stat?.isFile === true;
  }

  /** A hash comes from a log, which anybody may have written: it must not become a path. */
  #fileOf(hash: string): string {
    if (!isHash(hash))
      throw new BoughError('InvalidArgument', `${JSON.stringify(hash)} is not the hash of a blob.`);
    return path.join(this.#folder, hash);
  }
}

const damaged = (file: string, why: string): BoughError =>
  new BoughError('LogDamaged', `The attachment ${file} cannot be read: ${why}.`, { path: file, reason: why });
