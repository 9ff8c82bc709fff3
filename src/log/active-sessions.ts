/**
 * `active.json`: which session a surface (side bar, tab, API caller) shows. Every window writes it, so each change reads it
 * again under a lock and replaces it whole. One that makes no sense is as good as none: no conversation is in it.
 */
import path from 'node:path';
import { SessionLease, type LeaseParts } from './lease.js';
import { Serial } from './serial.js';
import { isSessionId } from './session-name.js';
import { ifThere, stored } from './storage.js';

const isChoice = (pair: [string, unknown]): pair is [string, string] =>
  typeof pair[1] === 'string' && isSessionId(pair[1]);

export class ActiveSessions {
  readonly #parts: LeaseParts;
  readonly #folder: string;
  readonly #lease: SessionLease;
  readonly #serial = new Serial();

  /** `folder` is the workspace folder's (`workspaces/<key>/`). */
  constructor(folder: string, parts: LeaseParts) {
    this.#parts = parts;
    this.#folder = folder;
    const paths = { lock: path.join(folder, 'active.lock'), lease: path.join(folder, 'active.lease.json') };
    this.#lease = new SessionLease(paths, parts);
  }

  /** The session that `surface` shows, or undefined. */
  async get(surface: string): Promise<string | undefined> {
    return (await this.#read()).get(surface);
  }

  /** Undefined: the surface shows none any more. */
  set(surface: string, session: string | undefined): Promise<void> {
    return this.#serial.run(() =>
      stored('write', this.#file, async () => {
        await this.#parts.files.makeFolder(this.#folder);
        await this.#lease.take('write');
        try {
          const surfaces = await this.#read();
          if (session === undefined) surfaces.delete(surface);
          else surfaces.set(surface, session);
          const text = JSON.stringify(Object.fromEntries(surfaces));
          await this.#parts.files.replace(this.#file, new TextEncoder().encode(text));
        } finally {
          await this.#lease.release();
        }
      }),
    );
  }

  get #file(): string {
    return path.join(this.#folder, 'active.json');
  }

  async #read(): Promise<Map<string, string>> {
    const bytes = await stored('read', this.#file, () => ifThere(this.#parts.files.read(this.#file)));
    if (bytes === undefined) return new Map();
    try {
      const surfaces: unknown = JSON.parse(new TextDecoder().decode(bytes));
      const isMap = typeof surfaces === 'object' && surfaces !== null && !Array.isArray(surfaces);
      return new Map(Object.entries(isMap ? surfaces : {}).filter(isChoice));
    } catch {
      return new Map(); // garbled: the surfaces begin with nothing chosen
    }
  }
}
