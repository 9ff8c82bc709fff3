/** Time and ids of this process, behind their ports. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../ports.js';

/** Timers beyond 2^31 ms fire at once. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, ms), LONGEST));
    return { dispose: () => clearTimeout(timer) };
  },
};

export const randomIds: Ids = {
  entry: () => randomBytes(8).toString('hex'),
  session: () => v7(),
};
