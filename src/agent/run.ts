/** The life of one run in memory: its abort signal, its deadline, what it does now. Nothing here decides anything. */
import type { Disposable } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import type { RunState } from '../shared/protocol.js';
import type { Core, LiveWait, Partial, Run, StopReason } from './core.js';

export class LiveRun implements Run {
  readonly turn_id: string;
  wait: LiveWait | null = null;
  call: Run['call'] = null;
  partial: Partial | null = null;
  ending: Failure | null = null;
  lastAttempt: number | null = null;
  requestBegan: number | null = null;
  done: Promise<void> = Promise.resolve();
  readonly #core: Core;
  readonly #controller = new AbortController();
  /** When it would have begun, had it run without a break. */
  #began: number;
  /** ms; Infinity when there is no limit. */
  readonly #limit: number;
  #timer: Disposable | null;
  #pauses = 0;
  #pausedAt: number | null = null;
  #phase: RunState = 'running';
  #reason: StopReason | null = null;

  constructor(core: Core, turn_id: string) {
    const { clock, settings } = core.parts;
    const { maxDuration } = settings();
    // Waiting for the person does not count: what the turn ran before that does.
    const spent = core.spent?.turn_id === turn_id ? core.spent.ms : 0;
    this.#core = core;
    this.turn_id = turn_id;
    this.#began = clock.elapsed() - spent;
    this.#limit = Number.isFinite(maxDuration) && maxDuration > 0 ? maxDuration : Infinity;
    this.#timer = this.#startTimer();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get phase(): RunState {
    return this.#phase;
  }

  stopReason(): StopReason | null {
    return this.#reason;
  }

  stop(why: StopReason): void {
    if (this.#reason !== null) return;
    this.#reason = why;
    this.#phase = 'stopping';
    this.#controller.abort(new Error(`The turn was ended: ${why}.`));
    this.#core.announce();
  }

  enter(phase: RunState): void {
    if (this.#reason !== null) return;
    this.#phase = phase;
    this.#core.announce();
  }

  remaining(): number {
    return Math.max(0, this.#limit - this.#spent());
  }

  get isPaused(): boolean {
    return this.#pausedAt !== null;
  }

  pause(): Disposable {
    this.#pauses += 1;
    if (this.#pauses === 1) {
      this.#pausedAt = this.#core.parts.clock.elapsed();
      this.#timer?.dispose();
      this.#core.announce();
    }
    let isOver = false;
    return {
      dispose: () => {
        if (isOver) return;
        isOver = true;
        this.#pauses -= 1;
        if (this.#pauses === 0) this.#goOn();
      },
    };
  }

  #goOn(): void {
    this.#began += this.#core.parts.clock.elapsed() - (this.#pausedAt ?? 0);
    this.#pausedAt = null;
    // It may have ended meanwhile.
    if (this.#core.run !== this) return;
    this.#timer = this.#startTimer();
    this.#core.announce();
  }

  #startTimer(): Disposable | null {
    if (this.#limit === Infinity) return null;
    return this.#core.parts.clock.after(this.remaining(), () => this.stop('deadline'));
  }

  /** Ends the deadline's timer, and keeps what was used of it. */
  dispose(): void {
    this.#timer?.dispose();
    this.#core.spent = { turn_id: this.turn_id, ms: this.#spent() };
  }

  #spent(): number {
    return (this.#pausedAt ?? this.#core.parts.clock.elapsed()) - this.#began;
  }
}
