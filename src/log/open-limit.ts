/**
 * Which open sessions are closed when nobody looks: the ones used longest ago beyond a number, and those unused for a
 * time. One that is shown or working is never closed; it counts again once it is not.
 */
import type { Clock, Disposable } from '../ports.js';

export interface OpenLimits {
  /** How many may be open; 0 for any number. */
  maxOpen: number;
  /** Milliseconds after which an unused one is closed; 0 for never. */
  idleAfter: number;
}

export interface OpenLimitParts {
  clock: Clock;
  limits: OpenLimits;
  /** Shown in a view, or a turn runs in it. */
  isInUse: (id: string) => boolean;
  close: (id: string) => Promise<void>;
  onError: (error: unknown) => void;
}

export class OpenLimit implements Disposable {
  readonly #parts: OpenLimitParts;
  #limits: OpenLimits;
  /** When each was used, on the monotonic clock; the last used stands last. */
  readonly #used = new Map<string, number>();
  #timer: Disposable | undefined;

  constructor(parts: OpenLimitParts) {
    this.#parts = parts;
    this.#limits = parts.limits;
  }

  /** The session was opened, shown, left or written to. */
  touch(id: string): void {
    this.#used.delete(id);
    this.#used.set(id, this.#parts.clock.elapsed());
    this.#enforce(id);
  }

  /** It was closed. */
  forget(id: string): void {
    this.#used.delete(id);
  }

  setLimits(limits: OpenLimits): void {
    this.#limits = limits;
    this.#enforce();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#used.clear();
  }

  /** `touched` is in use, whatever shows it. */
  #enforce(touched?: string): void {
    const { maxOpen, idleAfter } = this.#limits;
    const now = this.#parts.clock.elapsed();
    let surplus = maxOpen > 0 ? this.#used.size - maxOpen : 0;
    for (const [id, used] of [...this.#used]) {
      const isIdle = idleAfter > 0 && now - used >= idleAfter;
      if (!isIdle && surplus <= 0) break;
      if (id === touched || this.#parts.isInUse(id)) {
        if (isIdle) this.#used.set(id, now);
        continue;
      }
      surplus--;
      this.#used.delete(id);
      this.#parts.close(id).catch(this.#parts.onError);
    }
    this.#wait(idleAfter, now);
  }

  #wait(idleAfter: number, now: number): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (idleAfter <= 0 || this.#used.size === 0) return;
    const first = Math.min(...this.#used.values());
    this.#timer = this.#parts.clock.after(Math.max(1, first + idleAfter - now), () => this.#enforce());
  }
}
