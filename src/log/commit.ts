/**
 * The commit protocol. In this order: everything is serialised (by the caller) → the lease is ours and the file is as long
 * as we left it → one write → fdatasync → only then does it count. A write that fails is taken back while that is safe;
 * when it is not, nothing is changed and this writer refuses every further append.
 */
import path from 'node:path';
import type { Files, OpenFile } from '../ports.js';
import { BoughError } from '../shared/failure.js';
import { readRange, writeAll } from './bytes.js';
import { ifThere, isMissing, errnoOf, storageFailure, stored } from './storage.js';

export interface WriterParts {
  files: Files;
  path: string;
  /** Whether this process still holds the session's lease. */
  isLeaseOurs: () => Promise<boolean>;
}

export class LogWriter {
  readonly #files: Files;
  readonly #path: string;
  readonly #isLeaseOurs: () => Promise<boolean>;
  #file: OpenFile | undefined;
  /** Of the file that is open. */
  #identity: string | undefined;
  #poison: BoughError | undefined;

  constructor({ files, path: file, isLeaseOurs }: WriterParts) {
    this.#files = files;
    this.#path = file;
    this.#isLeaseOurs = isLeaseOurs;
  }

  /** Why every further append is refused, if it is. */
  get poison(): BoughError | undefined {
    return this.#poison;
  }

  /**
   * Makes `bytes` the file's durable end. `length` is how long we left the file; `isNew` when it must not exist yet.
   *
   * @throws BoughError StorageFailure, SessionConflict; the file is then as it was, or this writer is poisoned
   */
  async commit(bytes: Uint8Array, length: number, isNew: boolean): Promise<void> {
    if (this.#poison !== undefined) throw this.#poison;
    await this.#checkUnchanged(length, isNew);
    const file = await this.#open(isNew);
    let taken = 0;
    try {
      await writeAll(file, bytes, (count) => (taken = count));
      await file.datasync();
      if (isNew) await this.#files.syncFolder(path.dirname(this.#path));
    } catch (error) {
      const failure = storageFailure(error, 'write to', this.#path);
      await this.#takeBack({ bytes, length, taken, isNew }, failure);
      throw failure;
    }
  }

  /** Lets go of the file until the next commit, so that no descriptor outlives the lease. */
  async release(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await stored('close', this.#path, () => file.close());
  }

  /** The file that is open, if there is one, which is whoever's who asked from now on. */
  giveFile(): OpenFile | undefined {
    const file = this.#file;
    this.#file = undefined;
    return file;
  }

  /** Works on the file outside of a commit, under the same conditions: the repair of a torn tail. */
  async repair(length: number, work: (file: OpenFile) => Promise<void>): Promise<void> {
    await this.#checkUnchanged(length, false);
    await stored('repair the end of', this.#path, async () => work(await this.#open(false)));
  }

  async #open(isNew: boolean): Promise<OpenFile> {
    if (this.#file !== undefined && !isNew) return this.#file;
    try {
      const file = await this.#files.open(this.#path, isNew ? 'create' : 'append');
      this.#file = file;
      // One that is made now must not stay behind because of a look at it.
      this.#identity = isNew ? undefined : (await file.stat()).identity;
      return file;
    } catch (error) {
      if (isNew && errnoOf(error) === 'EEXIST')
        throw conflict(this.#path, 'it was created meanwhile by someone else');
      throw storageFailure(error, 'write to', this.#path);
    }
  }

  async #checkUnchanged(length: number, isNew: boolean): Promise<void> {
    if (!(await this.#isLeaseOurs())) throw conflict(this.#path, 'another window has taken over writing');
    const stat = await stored('look at', this.#path, () => ifThere(this.#files.stat(this.#path)));
    if (stat === undefined) {
      if (!isNew) throw conflict(this.#path, 'it is not there any more', { errno: 'ENOENT' });
      return;
    }
    if (isNew) throw conflict(this.#path, 'it was created meanwhile by someone else');
    if (stat.size !== length) {
      throw conflict(this.#path, `it is ${stat.size} bytes long, not ${length} as we left it`);
    }
    // What a backup or a sync puts in its place may be the same; what is written to the old one nobody would find.
    if (stat.identity !== this.#identity) await this.release();
  }

  async #takeBack(attempt: Attempt, failure: BoughError): Promise<void> {
    try {
      await this.#undoWrite(attempt);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `${failure.message} What was written in part could not be taken back either: ${why} Nothing more is written to this session until it is opened again.`;
      this.#poison = new BoughError('StorageFailure', message, failure.data, { cause: failure });
    }
  }

  /** The only truncation besides the repair of a torn tail: back to where the failed write began. */
  async #undoWrite({ bytes, length, taken, isNew }: Attempt): Promise<void> {
    if (!(await this.#isLeaseOurs())) throw new Error('The lease was lost meanwhile.');
    const size = (await this.#files.stat(this.#path)).size;
    const extra = size - length;
    if (extra < taken || extra > bytes.length) {
      throw new Error(`The file is ${size} bytes long instead of ${length + taken}.`);
    }
    const file = await this.#open(false);
    // A write may have left more than it reported; that much must be ours byte for byte.
    if (extra > taken) {
      const found = await readRange(file, length + taken, size);
      if (Buffer.compare(found, bytes.subarray(taken, extra)) !== 0) {
        throw new Error('The file ends with something else than what was written.');
      }
    }
    // Not synced: what comes next is, and until then the cut batch could only come back whole or as a torn tail.
    if (extra > 0) await file.truncate(length);
    if (isNew) await this.#removeEmpty();
  }

  async #removeEmpty(): Promise<void> {
    await this.release();
    try {
      await this.#files.remove(this.#path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

interface Attempt {
  bytes: Uint8Array;
  length: number;
  taken: number;
  isNew: boolean;
}

export function conflict(file: string, what: string, more: { errno?: string } = {}): BoughError {
  return new BoughError(
    'SessionConflict',
    `Nothing was written to ${file}: ${what}. Open the session again to see what it holds now.`,
    { path: file, ...more },
  );
}
