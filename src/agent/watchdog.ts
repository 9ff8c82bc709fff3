/** Notices a stream that has gone silent: a long wait for the first byte, a short one after it. */
import type { Clock, Disposable } from '../ports.js';
import type { Failure } from '../shared/failure.js';

export interface SilenceLimits {
  /** ms */
  firstByte: number;
  idle: number;
  /** For the sentence. */
  model: string;
}

export interface SilenceWatch extends Disposable {
  onBytes: () => void;
  onSilent(fire: () => void): void;
  failure(): Failure;
}

export function watchSilence(clock: Clock, limits: SilenceLimits): SilenceWatch {
  let last = clock.elapsed();
  let hasBegun = false;
  let fire: (() => void) | null = null;
  let timer: Disposable;
  const limit = (): number => (hasBegun ? limits.idle : limits.firstByte);
  const arm = (ms: number): void => {
    timer = clock.after(ms, check);
  };
  const check = (): void => {
    const left = last + limit() - clock.elapsed();
    if (left > 0) arm(left);
    else fire?.();
  };
  arm(limit());
  return {
    onBytes: () => {
      last = clock.elapsed();
      if (hasBegun) return;
      hasBegun = true;
      timer.dispose();
      arm(limits.idle);
    },
    onSilent: (listener) => {
      fire = listener;
    },
    failure: () => ({
      kind: 'network',
      code: 'IdleTimeout',
      message: hasBegun
        ? `${limits.model} sent nothing for ${seconds(limits.idle)} in the middle of its answer.`
        : `${limits.model} sent nothing for ${seconds(limits.firstByte)} after the request.`,
      transient: true,
    }),
    dispose: () => timer.dispose(),
  };
}

function seconds(ms: number): string {
  if (ms >= 120_000) return `${String(Math.round(ms / 60_000))} minutes`;
  if (ms < 1_000) return `${String(Math.round(ms))} ms`;
  const count = Math.round(ms / 100) / 10;
  return count === 1 ? '1 second' : `${String(count)} seconds`;
}
