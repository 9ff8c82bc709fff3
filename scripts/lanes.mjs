// A few things at a time: `lanes(2)` gives a function that starts a suite as soon as one of two lanes is free.
// What a suite has to wait for first (`ready`) is waited for outside of the lane.
import { say } from './shell.mjs';

export function lanes(count) {
  let free = count;
  const waiting = [];
  const enter = () =>
    free > 0 ? (free--, Promise.resolve()) : new Promise((resolve) => waiting.push(resolve));
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return async (suite) => {
    const problem = await unready(suite);
    if (problem) return problem;
    await enter();
    try {
      return await suite.run();
    } finally {
      leave();
    }
  };
}

/** What could not be set up counts as a failure of that suite alone. */
async function unready({ name, ready }) {
  try {
    await ready?.();
    return undefined;
  } catch (error) {
    say(`${name}: ${error.message}`);
    return { name, passed: 0, failed: 1, skipped: [], why: 'its set-up failed' };
  }
}
