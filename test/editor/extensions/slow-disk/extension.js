// Beside ours in its process: reads of logs whose path has certain words take as long as the file BOUGH_SLOW_DISK says,
// `{"path": "…", "ms": 30}`. Without that file the disk is as fast as it is.
const fs = require('node:fs');
const { setTimeout: wait } = require('node:timers/promises');

function delayOf(path) {
  try {
    const { path: words, ms } = JSON.parse(fs.readFileSync(process.env.BOUGH_SLOW_DISK, 'utf8'));
    return String(path).includes(words) ? ms : 0;
  } catch {
    return 0; // not there, or half written: not now
  }
}

exports.activate = () => {
  const { open } = fs.promises;
  fs.promises.open = async (path, ...rest) => {
    const handle = await open(path, ...rest);
    if (!String(path).endsWith('.jsonl')) return handle;
    const read = handle.read.bind(handle);
    handle.read = async (...args) => {
      const ms = delayOf(path);
      if (ms > 0) await wait(ms);
      return read(...args);
    };
    return handle;
  };
};
