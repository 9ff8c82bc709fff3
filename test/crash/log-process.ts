/**
 * A process of its own for the crash tests of the log. `append FILE-FOLDER SEED`: appends until it is killed and says on
 * stdout what was acknowledged. `fill FILE-FOLDER`: appends until that fails, and twice more. `lease FILE-FOLDER NAME`:
 * takes the lease whenever it is told to and says when it has it.
 */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';
import { FileStore } from '../../src/log/file-store.js';
import { LockTable } from '../../src/log/lock-table.js';
import { createNodeFiles } from '../../src/log/node-files.js';
import type { Clock, Ids } from '../../src/ports.js';
import { isBoughError } from '../../src/shared/failure.js';
import type { Draft } from '../../src/shared/notes.js';

const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};
const ids: Ids = {
  entry: () => randomBytes(8).toString('hex'),
  session: () => randomBytes(8).toString('hex'),
};

/** To the pipe before the next instruction: what was said was said, also when the process is killed. */
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

function storeOn(folder: string, window: string): FileStore {
  return new FileStore({
    folder,
    files: createNodeFiles(),
    clock,
    ids,
    locks: new LockTable(),
    who: { window, pid: process.pid, host: os.hostname() },
    producer: 'bough/test',
    onTrouble: (error) => say(`trouble ${error.message}`),
  });
}

/** The same numbers for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

async function appendForEver(folder: string, seed: number): Promise<void> {
  const random = numbersFrom(seed);
  const log = await storeOn(folder, 'writer').openOrCreate('s');
  const draft = (): Draft => ({
    type: 'message',
    role: random(2) === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: 'ü😀x'.repeat(random(random(8) === 0 ? 20_000 : 60)) }],
  });
  say('ready');
  for (;;) {
    const burst = Array.from({ length: 1 + random(4) }, async () => {
      const entries = await log.append(Array.from({ length: 1 + random(3) }, draft));
      say(`ack ${entries.map(({ id }) => id).join(' ')}`);
    });
    const lease = random(3) === 0 ? await log.acquire() : undefined;
    await Promise.all(burst);
    lease?.dispose();
  }
}

async function fill(folder: string): Promise<void> {
  const log = await storeOn(folder, 'filler').openOrCreate('s');
  let failures = 0;
  while (failures < 3) {
    try {
      const [entry] = await log.append([
        { type: 'message', role: 'user', parts: [{ type: 'text', text: 'x'.repeat(3_000) }] },
      ]);
      say(`ack ${entry?.id ?? ''}`);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      failures++;
      say(`failed ${error.code} ${String(error.data['errno'])} ${log.access.mode}`);
    }
  }
}

async function contend(folder: string, name: string): Promise<void> {
  const log = await storeOn(folder, name).open('s');
  say('ready');
  for await (const order of createInterface({ input: process.stdin })) {
    if (order !== 'take') continue;
    try {
      await log.acquire();
      say('owner');
    } catch (error) {
      if (!isBoughError(error, 'Locked')) throw error;
      say(`locked by ${String(error.data['holder'] ?? 'somebody')}`);
    }
  }
}

const [, , task = '', folder = '', argument = ''] = process.argv;
if (task === 'append') await appendForEver(folder, Number(argument));
else if (task === 'fill') await fill(folder);
else await contend(folder, argument);
