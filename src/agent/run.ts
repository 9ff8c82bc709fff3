/** The life of one run in memory: its abort signal, its deadline, its waits. Nothing here decides anything. */
import type { Disposable } from '../ports.js';
import type { RunState } from '../shared/protocol.js';
import type { Core, Run, StopReason } from './core.js';

export interface OwnedRun extends Run {
  /** Ends the deadline's timer. */
  dispose(): void;
}

export function createRun(core: Core, turn_id: string): OwnedRun {
  const { clock, settings } = core.parts;
  const controller = new AbortController();
  const { maxDuration } = settings();
  // Waiting for the person does not count: what it ran before does.
  const spent = core.spent?.turn_id === turn_id ? core.spent.ms : 0;
  const began = clock.elapsed() - spent;
  const hasDeadline = Number.isFinite(maxDuration) && maxDuration > 0;
  const remaining = (): number =>
    hasDeadline ? Math.max(0, began + maxDuration - clock.elapsed()) : Infinity;
  let reason: StopReason | null = null;
  let phase: RunState = 'running';
  let timer: Disposable | null = null;

  const run: OwnedRun = {
    turn_id,
    signal: controller.signal,
    stop(why) {
      if (reason !== null) return;
      reason = why;
      phase = 'stopping';
      controller.abort(new Error(`The turn was ended: ${why}.`));
      core.announce();
    },
    stopReason: () => reason,
    get phase() {
      return phase;
    },
    enter(next) {
      if (reason !== null) return;
      phase = next;
      core.announce();
    },
    wait: null,
    partial: null,
    lastAttempt: null,
    requestBegan: null,
    remaining,
    done: Promise.resolve(),
    dispose: () => {
      timer?.dispose();
      core.spent = { turn_id, ms: clock.elapsed() - began };
    },
  };
  if (hasDeadline) timer = clock.after(remaining(), () => run.stop('deadline'));
  return run;
}
