/** A session's blobs in a custom store: by hash, and checked whenever they come back. */
import { BoughError } from '../shared/failure.js';
import { isHash, sha256 } from './blobs.js';
import type { StoreBoundary } from './store-boundary.js';
import type { Blobs } from './store.js';

export class ConnectedBlobs implements Blobs {
  constructor(
    private readonly boundary: StoreBoundary,
    private readonly session: string,
  ) {}

  async put(content: Uint8Array | string): Promise<string> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content.toWellFormed()) : content;
    const hash = sha256(bytes);
    await this.boundary.putBlob(this.session, hash, bytes);
    return hash;
  }

  async get(hash: string): Promise<Uint8Array> {
    const bytes = await this.#find(hash);
    if (bytes === undefined) throw this.#damaged(hash, 'it is not there');
    if (sha256(bytes) !== hash) throw this.#damaged(hash, 'its content has changed');
    return bytes;
  }

  async has(hash: string): Promise<boolean> {
    return (await this.#find(hash)) !== undefined;
  }

  #find(hash: string): Promise<Uint8Array | undefined> {
    if (!isHash(hash))
      return Promise.reject(
        new BoughError('InvalidArgument', `${JSON.stringify(hash)} is not the hash of a blob.`),
      );
    return this.boundary.getBlob(this.session, hash);
  }

  #damaged(hash: string, reason: string): BoughError {
    const message = `The attachment ${hash} of session ${this.session} cannot be read: ${reason}.`;
    return new BoughError('LogDamaged', message, { reason });
  }
}
