// A few things at a time: `lanes(2)` gives a function that starts a suite as soon as one of two lanes is free.
// What a suite has to wait for first (`ready`) is waited for outside of the lane.
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
    await suite.ready?.();
    await enter();
    try {
      return await suite.run();
    } finally {
      leave();
    }
  };
}
