/** Texts of logs, read in a thread of its own that is there while somebody searches; where there can be none, here. */
import { Worker } from 'node:worker_threads';
import type { ReadTexts, SaidText } from '../../log/said-text.js';
import type { Clock, Disposable } from '../../ports.js';

/** How long it waits for the next search. */
const IDLE_MS = 10_000;

type Texts = (SaidText | undefined)[];

interface Asked {
  logs: readonly string[];
  answer: (texts: Texts | Promise<Texts>) => void;
}

export interface TextReaderParts {
  /** The worker's. */
  script: string;
  here: ReadTexts;
  clock: Clock;
  onTrouble: (error: Error) => void;
}

export class TextReader implements Disposable {
  readonly #parts: TextReaderParts;
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #idle: Disposable | undefined;
  #last = 0;

  constructor(parts: TextReaderParts) {
    this.#parts = parts;
  }

  readonly read: ReadTexts = (logs) =>
    new Promise((answer) => {
      this.#idle?.dispose();
      this.#last += 1;
      this.#asked.set(this.#last, { logs, answer });
      this.#worker ??= this.#begin();
      this.#worker.postMessage({ id: this.#last, logs });
    });

  #begin(): Worker {
    const worker = new Worker(this.#parts.script);
    worker.unref();
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('message', ({ id, texts }: { id: number; texts: Texts }) => {
      this.#asked.get(id)?.answer(texts);
      this.#asked.delete(id);
      if (this.#asked.size === 0) this.#idle = this.#parts.clock.after(IDLE_MS, () => this.#end());
    });
    return worker;
  }

  #fail(error: Error): void {
    this.#parts.onTrouble(error);
    this.#end();
    const left = [...this.#asked.values()];
    this.#asked.clear();
    for (const { logs, answer } of left) answer(this.#parts.here(logs));
  }

  #end(): void {
    this.#idle?.dispose();
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Whoever still waits gets nothing. */
  dispose(): void {
    this.#end();
    for (const { logs, answer } of this.#asked.values()) answer(logs.map(() => undefined));
    this.#asked.clear();
  }
}
