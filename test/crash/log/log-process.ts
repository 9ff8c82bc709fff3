/**
 * A process of its own for the crash tests of the log; what it says on stdout is acknowledged (see account.ts).
 * `work FOLDER SEED`: whatever comes to mind until it is killed. `script FOLDER`: everything once; STOP_AT and STOP_HOW say
 * where it ends. `fill FOLDER`: appends until that fails, and twice more. `lease FOLDER NAME`: takes the lease and lets it
 * go when it is told to. `append FOLDER NAME COUNT`, `index FOLDER NAME COUNT`: races. INDEX=off: it neither reads nor writes
 * what stands beside a log; PRODUCER: the version that it says it is.
 */
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';
import { FileStore } from '../../../src/log/file-store.js';
import { LockTable } from '../../../src/log/lock-table.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Lease } from '../../../src/log/store.js';
import type { Clock, Ids } from '../../../src/ports.js';
import { isBoughError } from '../../../src/shared/failure.js';
import { message, numbersFrom, Worker } from './work.js';
import { stopAt } from './stop-at.js';

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

const storeOn = (folder: string, window: string): FileStore =>
  new FileStore({
    folder,
    files: createNodeFiles(),
    clock,
    ids,
    locks: new LockTable(),
    who: { window, pid: process.pid, host: os.hostname() },
    producer: process.env['PRODUCER'] ?? 'bough/test',
    indexFrom: process.env['INDEX'] === 'off' ? Infinity : 0,
    onTrouble: (error) => say(`trouble ${error.message}`),
  });

async function work(folder: string, seed: number): Promise<void> {
  const worker = new Worker({
    store: storeOn(folder, 'writer'),
    name: `w${seed}`,
    say,
    random: numbersFrom(seed),
  });
  await worker.begin();
  say('ready');
  for (;;) await worker.anything();
}

async function script(folder: string): Promise<void> {
  const nth = Number(process.env['STOP_AT'] ?? 0);
  const calls = stopAt(nth, process.env['STOP_HOW'] === 'torn' ? 'torn' : 'before');
  const store = storeOn(folder, 'writer');
  const worker = new Worker({ store, name: 'x', say, random: numbersFrom(1) });
  await worker.begin();
  for (const job of worker.jobs) await job();
  await store.close();
  say(`done ${calls()}`);
}

async function fill(folder: string): Promise<void> {
  const log = await storeOn(folder, 'filler').openOrCreate('s');
  let failures = 0;
  while (failures < 3) {
    try {
      const [entry] = await log.append([message('user', 'x'.repeat(3_000))]);
      say(`ack s ${entry?.id ?? ''}`);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      failures++;
      say(`failed ${error.code} ${String(error.data['errno'])} ${log.access.mode}`);
    }
  }
}

async function contend(folder: string, name: string): Promise<void> {
  const log = await storeOn(folder, name).open('s');
  let lease: Lease | undefined;
  say('ready');
  for await (const order of createInterface({ input: process.stdin })) {
    if (order === 'take') {
      try {
        lease = await log.acquire();
        say('owner');
      } catch (error) {
        if (!isBoughError(error, 'Locked')) throw error;
        say(`locked by ${String(error.data['holder'] ?? 'somebody')}`);
      }
    } else {
      lease?.dispose();
      lease = undefined;
      // Behind the release, in the log's own order.
      await log.catchUp();
      say('free');
    }
  }
}

/** Until it is its turn, however long the others take. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBoughError(error, 'Locked')) throw error;
    }
  }
}

async function go(): Promise<void> {
  say('ready');
  for await (const order of createInterface({ input: process.stdin })) if (order === 'go') return;
}

async function raceToAppend(folder: string, name: string, count: number): Promise<void> {
  const log = await storeOn(folder, name).open('s');
  await go();
  for (let index = 0; index < count; index++) {
    const [entry] = await patiently(() => log.append([message('user', `${name} ${index}`)]));
    say(`ack s ${entry?.id ?? ''}`);
  }
  await log.close();
  say('done');
}

async function raceOnIndex(folder: string, name: string, count: number): Promise<void> {
  const store = storeOn(folder, name);
  await go();
  for (let index = 0; index < count; index++) {
    const log = await store.openOrCreate(`${name}-${index % 10}`);
    const [entry] = await log.append([message('user', `${name} ${index}`)]);
    say(`ack ${log.id} ${entry?.id ?? ''}`);
    const { sessions } = await store.list({ limit: 200 });
    if (!sessions.some(({ id }) => id === log.id)) say(`trouble ${log.id} is not in the list`);
  }
  await store.close();
  say('done');
}

const [, , task = '', folder = '', argument = '', count = ''] = process.argv;
if (task === 'work') await work(folder, Number(argument));
else if (task === 'script') await script(folder);
else if (task === 'fill') await fill(folder);
else if (task === 'append') await raceToAppend(folder, argument, Number(count));
else if (task === 'index') await raceOnIndex(folder, argument, Number(count));
else await contend(folder, argument);
process.exit(0);
