/** A clock that stands still until a test moves it. Timers fire in order, with everything they start run to its end. */
import type { Clock, Disposable } from '../../../src/ports.js';

interface Timer {
  at: number;
  fire: () => void;
}

export class FakeClock implements Clock {
  #elapsed = 0;
  #offset: number;
  #timers: Timer[] = [];

  constructor(startedAt = Date.parse('2026-01-01T00:00:00.000Z')) {
    this.#offset = startedAt;
  }

  now(): number {
    return this.#offset + this.#elapsed;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** Moves the wall clock alone, as a person or a time server does. */
  setBack(ms: number): void {
    this.#offset -= ms;
  }

  after(ms: number, fire: () => void): Disposable {
    const timer = { at: this.#elapsed + Math.min(ms, 2 ** 31 - 1), fire };
    this.#timers.push(timer);
    return { dispose: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  get pending(): number {
    return this.#timers.length;
  }

  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    for (;;) {
      await idle();
      const next = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.fire();
    }
    this.#elapsed = until;
    await idle();
  }
}

/** Lets everything that waits for nothing outside run to its end. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
