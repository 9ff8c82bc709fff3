/** What a process of the crash tests does with a store: each job says what was acknowledged as soon as it was. */
import { randomBytes } from 'node:crypto';
import type { FileStore } from '../../../src/log/file-store.js';
import type { SessionLog } from '../../../src/log/store.js';
import type { Draft } from '../../../src/shared/notes.js';

export const message = (role: 'user' | 'assistant', text: string, more: object = {}): Draft => ({
  type: 'message',
  role,
  parts: [{ type: 'text', text }],
  ...more,
});

/** The same numbers for the same seed. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export interface WorkerParts {
  store: FileStore;
  /** Of the sessions it makes beside `s`. */
  name: string;
  say: (line: string) => void;
  random: (below: number) => number;
}

export class Worker {
  readonly jobs: readonly (() => Promise<void>)[] = [
    () => this.#single(),
    () => this.#batch(),
    () => this.#burst(),
    () => this.#run(),
    () => this.#stream(),
    () => this.#attach(),
    () => this.#index(),
    () => this.#delete('purge'),
    () => this.#delete('undo'),
    () => this.#delete('keep'),
    () => this.#rename(),
    () => this.#fork(),
  ];
  readonly #parts: WorkerParts;
  #log: SessionLog | undefined;
  #made = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    this.#log = await this.#parts.store.openOrCreate('s');
    await this.#single();
  }

  async anything(): Promise<void> {
    await this.jobs[this.#parts.random(this.jobs.length)]?.();
  }

  get #session(): SessionLog {
    if (this.#log === undefined) throw new Error('begin() comes first');
    return this.#log;
  }

  #draft(): Draft {
    const { random } = this.#parts;
    const length = random(random(8) === 0 ? 20_000 : 60);
    return message(random(2) === 0 ? 'user' : 'assistant', 'ü😀x'.repeat(length));
  }

  async #append(log: SessionLog, batch: readonly Draft[]): Promise<void> {
    const entries = await log.append(batch);
    this.#parts.say(`ack ${log.id} ${entries.map(({ id }) => id).join(' ')}`);
  }

  #single(): Promise<void> {
    return this.#append(this.#session, [this.#draft()]);
  }

  #batch(): Promise<void> {
    return this.#append(this.#session, [this.#draft(), this.#draft(), this.#draft()]);
  }

  async #burst(): Promise<void> {
    await Promise.all([this.#single(), this.#batch(), this.#single()]);
  }

  async #run(): Promise<void> {
    const lease = await this.#session.acquire();
    await this.#single();
    await this.#single();
    lease.dispose();
  }

  /** Text that streams; half of the time its entry comes, as at the end of an attempt. */
  async #stream(): Promise<void> {
    const { journal } = this.#session;
    const attempt_id = randomBytes(8).toString('hex');
    await journal.begin({ attempt_id, step: 1, parent_id: this.#session.head, turn_id: 't' });
    let chars = 0;
    for (let piece = 0; piece < 4; piece++) {
      const text = 'ü😀x'.repeat(1 + this.#parts.random(300));
      journal.add({ text });
      chars += text.length;
      await journal.flush();
      this.#parts.say(`streamed ${attempt_id} ${chars}`);
    }
    await this.#append(this.#session, [message('assistant', 'done', { attempt_id })]);
    await journal.end();
  }

  async #attach(): Promise<void> {
    const blob = await this.#session.blobs.put(`picture ${String(this.#made++)} of ${this.#parts.name}`);
    const part = { type: 'image' as const, blob, mime: 'image/png', name: 'p.png' };
    await this.#append(this.#session, [{ type: 'message', role: 'user', parts: [part] }]);
    this.#parts.say(`blob s ${blob}`);
  }

  async #index(): Promise<void> {
    await this.#parts.store.list({ limit: 200 });
  }

  async #delete(then: 'purge' | 'undo' | 'keep'): Promise<void> {
    const { store, say, name } = this.#parts;
    const log = await store.create({ id: `${name}-${String(this.#made++)}` });
    await this.#append(log, [this.#draft()]);
    const blob = await log.blobs.put(`of ${log.id}`);
    say(`blob ${log.id} ${blob}`);
    say(`deleting ${log.id}`);
    const deleted = await store.delete(log.id);
    say(`deleted ${log.id}`);
    if (then === 'purge') await deleted.purge();
    if (then !== 'undo') return;
    say(`deleting ${log.id}`);
    await deleted.undo();
    say(`restored ${log.id}`);
  }

  async #rename(): Promise<void> {
    const { store, random, say } = this.#parts;
    const name = `name ${String(random(1_000))}`;
    say(`naming s ${name}`);
    await store.rename('s', name);
    say(`named s ${name}`);
  }

  /** At any entry; the copy is there whole or not at all. */
  async #fork(): Promise<void> {
    const { store, random, say, name } = this.#parts;
    const { outline } = this.#session;
    const node = outline[random(outline.length)];
    if (node === undefined) return;
    const copy = await store.fork('s', { at: node[0], id: `${name}-${String(this.#made++)}` });
    say(`ack ${copy.id} ${copy.outline.map(([id]) => id).join(' ')}`);
    await this.#append(copy, [this.#draft()]);
    await copy.close();
  }
}
