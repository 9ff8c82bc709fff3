/** Texts of blobs, each asked for once; one that could not be had is asked for again next time. */
import type { Connection } from './connection.js';

export class Blobs {
  readonly #texts = new Map<string, Promise<string>>();
  readonly #ask: Connection['ask'];

  constructor(ask: Connection['ask']) {
    this.#ask = ask;
  }

  text(hash: string): Promise<string> {
    const known = this.#texts.get(hash);
    if (known !== undefined) return known;
    const text = this.#load(hash);
    this.#texts.set(hash, text);
    text.catch(() => this.#texts.delete(hash));
    return text;
  }

  async #load(hash: string): Promise<string> {
    const reply = await this.#ask({ what: 'blob', hash });
    if (!reply.ok) throw new Error(reply.failure.message);
    return String(reply.result);
  }
}
