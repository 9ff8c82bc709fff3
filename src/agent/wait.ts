/** A wait of a run: shown with its due time, skipped by the person where the server allows it, ended by a stop. */
import type { Clock } from '../ports.js';
import type { Run } from './core.js';

export interface WaitPlan {
  ms: number;
  /** How much of it the server asked for. */
  hint_ms: number;
  due_at: string;
}

/** Resolves when the time is over, or the person skipped the rest; `aborted` when the run was stopped meanwhile. */
export async function waitFor(clock: Clock, run: Run, plan: WaitPlan): Promise<'due' | 'aborted'> {
  const began = clock.elapsed();
  const passed = (): number => clock.elapsed() - began;
  const skip = new AbortController();
  run.wait = {
    isServers: plan.hint_ms > 0,
    due_at: plan.due_at,
    forbiddenFor: () => Math.max(0, plan.hint_ms - passed()),
    skip: () => skip.abort(),
  };
  try {
    // A timer may fire a little early; the server's time is kept to the millisecond.
    while (!skip.signal.aborted && !run.signal.aborted && passed() < plan.ms) {
      await sleep(clock, plan.ms - passed(), [skip.signal, run.signal]);
    }
  } finally {
    run.wait = null;
  }
  return run.signal.aborted ? 'aborted' : 'due';
}

/** Resolves after `ms` or when one of the signals aborts. */
export function sleep(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.dispose();
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(Math.max(1, Math.ceil(ms)), end);
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
    if (signals.some((signal) => signal.aborted)) end();
  });
}

/** What `work` gives, or null as soon as the signal aborts; its own failure is then of no interest any more. */
export function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(null);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
