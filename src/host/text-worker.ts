/** A thread of its own that reads what was said in logs, so that a search keeps nobody waiting; its buffers are handed over. */
import { parentPort } from 'node:worker_threads';
import { createNodeFiles } from '../log/node-files.js';
import { textsHere } from '../log/said-text.js';

const read = textsHere(createNodeFiles());

parentPort?.on('message', ({ id, logs }: { id: number; logs: readonly string[] }) => {
  void read(logs).then((texts) => {
    const buffers = texts.flatMap((said) => (said === undefined ? [] : [own(said.text)]));
    let next = 0;
    const handed = texts.map((said) => (said === undefined ? undefined : { ...said, text: buffers[next++] }));
    parentPort?.postMessage(
      { id, texts: handed },
      buffers.map(({ buffer }) => buffer),
    );
  });
});

/** In a buffer that nothing else lies in: only then it can be handed over. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
