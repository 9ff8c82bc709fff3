import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Account, storeOn, type Tally } from './log/account.js';
import { buildChild, Child, nodesWithSqlite, type Built } from './log/children.js';

const isSoak = process.env['BOUGH_SOAK'] === '1';
const runs = isSoak ? 2_000 : 300;
const seed = Number(process.env['BOUGH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Locks differ: the system's where there is node:sqlite, else the lease file. */
const nodes = [...new Set([process.execPath, ...nodesWithSqlite()])];
/** So many kills on one folder; then a new one, so that looking at it does not take ever longer. */
const KILLS_PER_FOLDER = 25;
const LANES = 2;

let built: Built;
beforeAll(async () => {
  built = await buildChild();
});
afterAll(() => built.dispose());

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

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-crash-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Kills one process after the other on the same log, each of another node when there are several. */
function killAndLook(firstSeed: number, count: number): Promise<Tally> {
  const random = numbersFrom(firstSeed);
  return inFolder(async (folder) => {
    const account = new Account(folder);
    for (let run = 0; run < count; run++) {
      const node = nodes[run % nodes.length] ?? process.execPath;
      const child = new Child(node, built.script, ['work', folder, String(firstSeed + run)]);
      await child.said((line) => line === 'ready');
      await wait(random() * 120);
      await child.kill();
      account.hear(child.lines);
      await account.check();
    }
    return account.tally;
  });
}

/** Runs `work` for all items, {@link LANES} at a time. */
async function inLanes<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe('a process that is killed at work', () => {
  const title = `A21: loses nothing that was acknowledged and leaves nothing behind, in ${runs} kills at random moments (BOUGH_SEED=${seed})`;
  it(title, { timeout: runs * 20_000 }, async () => {
    const tallies: Tally[] = [];
    const folders = Array.from({ length: runs / KILLS_PER_FOLDER }, (_, index) => seed + index * 100_000);
    await inLanes(folders, async (first) => {
      tallies.push(await killAndLook(first, KILLS_PER_FOLDER));
    });
    const sum = (of: (tally: Tally) => number): number => tallies.reduce((total, one) => total + of(one), 0);
    const missing = tallies.flatMap((tally) => tally.missing);
    console.info(
      `figure: ${sum((tally) => tally.acknowledged)} entries acknowledged in ${runs} kills, ${missing.length} missing, ${sum(({ torn }) => torn)} torn tails seen`,
    );
    expect(missing).toEqual([]);
    expect(sum((tally) => tally.acknowledged)).toBeGreaterThan(runs);
  });

  it.each(isSoak ? nodes : nodes.slice(0, 1))(
    'A21: at every single call that changes something on disk, before it and half way through a write (%s)',
    { timeout: 20 * 60_000 },
    async (node) => {
      const calls = await inFolder((folder) => lastCall(new Child(node, built.script, ['script', folder])));
      expect(calls).toBeGreaterThan(50);
      const moments = Array.from({ length: calls }, (_, index) =>
        ['before', 'torn'].map((how) => ({ STOP_AT: String(index + 1), STOP_HOW: how })),
      ).flat();
      // In CI each moment once, half of them in the middle of a write; all in the soak.
      const chosen = isSoak ? moments : moments.filter((_, index) => index % 4 === 0 || index % 4 === 3);
      await inLanes(chosen, (moment) => stopAndLook(node, moment));
      console.info(`figure: stopped at ${chosen.length} of ${moments.length} moments of ${calls} calls`);
    },
  );
});

async function lastCall(child: Child): Promise<number> {
  const line = await child.said((said) => said.startsWith('done '));
  await child.ended();
  return Number(line.slice(5));
}

/** The next process finds all that was acknowledged, and carries the whole script out. */
function stopAndLook(node: string, moment: { STOP_AT: string; STOP_HOW: string }): Promise<void> {
  return inFolder(async (folder) => {
    const account = new Account(folder);
    const child = new Child(node, built.script, ['script', folder], moment);
    await child.ended();
    expect(child.lines.join('\n'), JSON.stringify(moment)).not.toContain('done');
    account.hear(child.lines);
    await account.check();
    expect(account.tally.missing, JSON.stringify(moment)).toEqual([]);
  });
}

describe.skipIf(process.platform === 'win32')('a disk that takes no more', () => {
  it('A4: fails the append that does not fit, leaves no trace of it, and takes more when there is room again', () =>
    inFolder(async (folder) => {
      const command = ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, '--no-warnings'];
      const { stdout } = await promisify(execFile)('bash', [...command, built.script, 'fill', folder]);
      const said = stdout.trim().split('\n');
      const acknowledged = said.filter((line) => line.startsWith('ack ')).map((line) => line.slice(6));
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
    }));
});
