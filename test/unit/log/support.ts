/** Fakes and places for the tests of the log. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { FileStore, type FileStoreParts } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Clock, Ids } from '../../../src/ports.js';
import type { BoughError } from '../../../src/shared/failure.js';
import type { Draft } from '../../../src/shared/notes.js';

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

export const randomIds: Ids = {
  entry: () => randomBytes(8).toString('hex'),
  session: () => `s-${randomBytes(8).toString('hex')}`,
};

/** A clock that stands still until it is moved; `after` fires when it is moved past. */
export class FakeClock implements Clock {
  wall = Date.parse('2026-01-01T00:00:00.000Z');
  monotonic = 0;
  #timers: { at: number; fire: () => void }[] = [];

  now(): number {
    return this.wall;
  }

  elapsed(): number {
    return this.monotonic;
  }

  after(ms: number, fire: () => void): { dispose: () => void } {
    const timer = { at: this.monotonic + ms, fire };
    this.#timers.push(timer);
    return { dispose: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  get pending(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
    const due = this.#timers.filter(({ at }) => at <= this.monotonic);
    this.#timers = this.#timers.filter(({ at }) => at > this.monotonic);
    for (const { fire } of due) fire();
  }
}

export interface Place {
  folder: string;
  /** Everything the stores told nobody in particular. */
  troubles: BoughError[];
  store(parts?: Partial<FileStoreParts>): FileStore;
  log(id: string): string;
  dispose(): Promise<void>;
}

/** A fresh folder and stores on it; each as from a process of its own unless `locks` is given. */
export async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-log-'));
  const troubles: BoughError[] = [];
  const stores: FileStore[] = [];
  return {
    folder,
    troubles,
    store: (parts = {}) => {
      const store = new FileStore({
        folder,
        files: createNodeFiles(),
        clock: realClock,
        ids: randomIds,
        locks: new LockTable(),
        who: { window: 'test', pid: process.pid, host: os.hostname() },
        producer: 'bough/0.0.0-test',
        onTrouble: (error) => troubles.push(error),
        ...parts,
      });
      stores.push(store);
      return store;
    },
    log: (id) => path.join(folder, 'sessions', `${id}.jsonl`),
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const user = (text: string): Draft => ({
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text }],
});
export const assistant = (text: string): Draft => ({
  type: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text }],
});
