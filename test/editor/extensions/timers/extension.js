// Beside ours in its process: which timers of Bough's code wait to fire, and when the last one began or ended, in the file
// BOUGH_TIMERS names: `{"changed": <ms since 1970>, "waiting": ["<where it was begun>"]}`.
const { createHook } = require('node:async_hooks');
const { writeFileSync } = require('node:fs');

/** Those of no other extension. */
const OURS = /[\\/]dist[\\/](?:bough\.js|extension\.cjs|chunks[\\/])/;

exports.activate = () => {
  const waiting = new Map();
  const write = () => {
    const found = { changed: Date.now(), waiting: [...waiting.values()] };
    writeFileSync(process.env.BOUGH_TIMERS, JSON.stringify(found));
  };
  Error.stackTraceLimit = 50;
  createHook({
    init(id, type) {
      const { stack = '' } = type === 'Timeout' ? new Error('a timer') : {};
      if (!OURS.test(stack)) return;
      waiting.set(id, stack);
      write();
    },
    destroy(id) {
      if (waiting.delete(id)) write();
    },
  }).enable();
  write();
};
