/** The machine's own clock, for tests that start real processes. */
import type { Clock } from '../../../../src/ports.js';

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
