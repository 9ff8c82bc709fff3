import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileStore } from '../../src/log/file-store.js';
import { LockTable } from '../../src/log/lock-table.js';
import { createNodeFiles } from '../../src/log/node-files.js';
import { randomIds, realClock } from '../unit/log/support.js';
import { buildChild, Child, nodesWithSqlite, type Built } from './children.js';

const runs = process.env['BOUGH_SOAK'] === '1' ? 300 : 30;
const seed = Number(process.env['BOUGH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const nodes = nodesWithSqlite();

let built: Built;
beforeAll(async () => {
  built = await buildChild();
});
afterAll(() => built.dispose());

function storeOn(folder: string): FileStore {
  return new FileStore({
    folder,
    files: createNodeFiles(),
    clock: realClock,
    ids: randomIds,
    locks: new LockTable(),
    who: { window: 'reader', pid: process.pid, host: os.hostname() },
    producer: 'bough/test',
    onTrouble: (error) => {
      throw error;
    },
  });
}

/** mulberry32: the moments of a run can be had again from its seed (what the system does then cannot). */
function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Tally {
  acknowledged: number;
  missing: number;
  torn: number;
}

/** Kills one process after the other on the same log, each of another node when there are several. */
async function killAndLook(firstSeed: number, count: number): Promise<Tally> {
  const random = numbersFrom(firstSeed);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-crash-'));
  const acknowledged = new Set<string>();
  const tally: Tally = { acknowledged: 0, missing: 0, torn: 0 };
  try {
    for (let run = 0; run < count; run++) {
      const node = [process.execPath, ...nodes][run % (nodes.length + 1)] ?? process.execPath;
      const child = new Child(node, built.script, 'append', folder, String(firstSeed + run));
      await child.said((line) => line === 'ready');
      await wait(random() * 200);
      await child.kill();
      expect(child.lines.filter((line) => line.startsWith('trouble'))).toEqual([]);
      for (const line of child.lines) {
        if (line.startsWith('ack ')) for (const id of line.slice(4).split(' ')) acknowledged.add(id);
      }
      if (acknowledged.size > 0) await lookAt(folder, acknowledged, tally);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  tally.acknowledged = acknowledged.size;
  return tally;
}

async function lookAt(folder: string, acknowledged: ReadonlySet<string>, tally: Tally): Promise<void> {
  const file = path.join(folder, 'sessions', 's.jsonl');
  const before = await readFile(file);
  const store = storeOn(folder);
  const log = await store.open('s');
  const there = new Set(log.outline.map(([id]) => id));
  for (const id of acknowledged) if (!there.has(id)) tally.missing++;
  tally.torn += log.damage.filter(({ kind }) => kind === 'torn-tail').length;
  expect(log.damage.filter(({ kind }) => kind !== 'torn-tail')).toEqual([]);
  await store.close();
  expect(before.equals(await readFile(file))).toBe(true);
}

describe('a process that is killed while it appends', () => {
  const title = `A21: loses no acknowledged entry, in ${runs} kills at random moments (BOUGH_SEED=${seed})`;
  it(title, { timeout: runs * 20_000 }, async () => {
    const lanes = await Promise.all([0, 1].map((lane) => killAndLook(seed + lane * 100_000, runs / 2)));
    const sum = (of: keyof Tally): number => lanes.reduce((total, lane) => total + lane[of], 0);
    console.info(
      `${sum('acknowledged')} entries acknowledged, ${sum('missing')} missing, ${sum('torn')} torn tails`,
    );
    expect(sum('acknowledged')).toBeGreaterThan(0);
    expect(sum('missing')).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('a disk that takes no more', () => {
  it('A4: fails the append that does not fit, leaves no trace of it, and takes more when there is room again', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-full-'));
    try {
      const limited = [
        '-c',
        'ulimit -f 100; exec "$0" "$@"',
        process.execPath,
        '--no-warnings',
        built.script,
        'fill',
        folder,
      ];
      const { stdout } = await promisify(execFile)('bash', limited);
      const said = stdout.trim().split('\n');
      const acknowledged = said.filter((line) => line.startsWith('ack ')).map((line) => line.slice(4));
      expect(acknowledged.length).toBeGreaterThan(10);
      expect(said.filter((line) => line.startsWith('failed'))).toEqual(
        Array.from({ length: 3 }, () => 'failed StorageFailure EFBIG write'),
      );
      const store = storeOn(folder);
      const log = await store.open('s');
      expect([log.outline.map(([id]) => id), log.damage]).toEqual([acknowledged, []]);
      await log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text: 'room' }] }]);
      expect(log.position).toBe(acknowledged.length + 1);
      await store.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const contenders = [...new Set([process.execPath, ...nodes])];

describe('processes that contend for the lease', () => {
  it.skipIf(nodes.length > 0)('have a lock of the system’s to contend for', ({ skip }) => {
    skip(
      'no Node with node:sqlite here (scripts/setup-vscode.mjs brings two): only the lease file was tested',
    );
  });

  it.each(contenders)(
    'B1: exactly one owns it, and it is free as soon as its owner is dead (%s)',
    async (node) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-lease-'));
      const names = ['one', 'two', 'three', 'four', 'five'];
      const children = new Map<string, Child>();
      try {
        const store = storeOn(folder);
        const log = await store.create({ id: 's' });
        await log.append([{ type: 'message', role: 'user', parts: [{ type: 'text', text: 'a' }] }]);
        await store.close();
        for (const name of names) children.set(name, new Child(node, built.script, 'lease', folder, name));
        await Promise.all([...children.values()].map((child) => child.said((line) => line === 'ready')));
        const times: number[] = [];
        let death = performance.now();
        while (children.size > 0) {
          const owner = await askAll(children);
          times.push(performance.now() - death);
          // Whoever asks now is told the same name.
          for (const [name, child] of children)
            if (name !== owner) expect(await ask(child)).toContain(`locked by ${owner} (process `);
          await children.get(owner)?.kill();
          children.delete(owner);
          death = performance.now();
        }
        console.info(
          `taken ${times
            .slice(1)
            .map((ms) => ms.toFixed(0))
            .join(', ')} ms after SIGKILL`,
        );
      } finally {
        await Promise.all([...children.values()].map((child) => child.kill()));
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

async function ask(child: Child): Promise<string> {
  const from = child.lines.length;
  child.tell('take');
  return child.said(() => true, from);
}

/** All ask at once; the name of the one that got it. */
async function askAll(children: ReadonlyMap<string, Child>): Promise<string> {
  const answers = await Promise.all(
    [...children].map(async ([name, child]) => [name, await ask(child)] as const),
  );
  const owners = answers.filter(([, answer]) => answer === 'owner').map(([name]) => name);
  expect(owners).toHaveLength(1);
  return owners[0] ?? '';
}
