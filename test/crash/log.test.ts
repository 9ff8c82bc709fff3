import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Account, storeOn, type Tally } from './log/account.js';
import { buildChild, Child, nodesWithSqlite, type Built } from './log/children.js';
import { message } from './log/work.js';
import { indexStates, type IndexState } from '../unit/log/index-states.js';

const isSoak = process.env['BOUGH_SOAK'] === '1';
const runs = isSoak ? 2_000 : 300;
const seed = Number(process.env['BOUGH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Locks differ: the system's where there is node:sqlite, else the lease file. */
const nodes = [...new Set([process.execPath, ...nodesWithSqlite()])];
/** Each state of the index has its share of the kills. */
const kills = runs / indexStates.length;
/** So many on one folder; then a new one, so that looking at it does not take ever longer. */
const KILLS_PER_FOLDER = isSoak ? 25 : 15;
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
function killAndLook(index: IndexState, firstSeed: number, count: number): Promise<Tally> {
  const random = numbersFrom(firstSeed);
  return inFolder(async (folder) => {
    const account = new Account(folder, index);
    for (let run = 0; run < count; run++) {
      const node = nodes[run % nodes.length] ?? process.execPath;
      await account.spoilIndexes();
      const args = ['work', folder, String(firstSeed + run)];
      const child = new Child(node, built.script, args, { INDEX: index });
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

describe.each(indexStates)('a process that is killed at work, its index %s', (index) => {
  const seedHere = seed + indexStates.indexOf(index) * 10_000_000;
  const title = `A21: loses nothing that was acknowledged and leaves nothing behind, in ${kills} kills at random moments (BOUGH_SEED=${seed})`;
  it(title, { timeout: kills * 20_000 }, async () => {
    const tallies: Tally[] = [];
    const folders = Array.from({ length: kills / KILLS_PER_FOLDER }, (_, nth) => seedHere + nth * 100_000);
    await inLanes(folders, async (first) => {
      tallies.push(await killAndLook(index, first, KILLS_PER_FOLDER));
    });
    const sum = (of: (tally: Tally) => number): number => tallies.reduce((total, one) => total + of(one), 0);
    const missing = tallies.flatMap((tally) => tally.missing);
    console.info(
      `figure: ${sum((tally) => tally.acknowledged)} entries acknowledged in ${kills} kills (index ${index}), ${missing.length} missing, ${sum(({ torn }) => torn)} torn tails seen`,
    );
    expect(missing).toEqual([]);
    expect(sum((tally) => tally.acknowledged)).toBeGreaterThan(kills);
  });

  it.each(nodesFor(index))(
    'A21: at every single call that changes something on disk, before it and half way through a write (%s)',
    { timeout: 20 * 60_000 },
    async (node) => {
      const calls = await inFolder(async (folder) => {
        await prepare(folder, index);
        return lastCall(new Child(node, built.script, ['script', folder], { INDEX: index }));
      });
      expect(calls).toBeGreaterThan(50);
      const moments = Array.from({ length: calls }, (_, nth) =>
        ['before', 'torn'].map((how) => ({ STOP_AT: String(nth + 1), STOP_HOW: how, INDEX: index })),
      ).flat();
      const chosen = moments.filter((_, nth) => isChosen(index, nth));
      await inLanes(chosen, (moment) => stopAndLook(node, index, moment));
      console.info(
        `figure: stopped at ${chosen.length} of ${moments.length} moments of ${calls} calls (index ${index})`,
      );
    },
  );
});

/** In the soak on all where the index is as it should be, on one of them else. */
function nodesFor(index: IndexState): string[] {
  if (isSoak && index === 'on') return nodes;
  const nth = indexStates.indexOf(index) % nodes.length;
  return nodes.slice(isSoak ? nth : 0, (isSoak ? nth : 0) + 1);
}

/** All in the soak. In CI every tenth, half of them in the middle of a write: other ones for each state of the index. */
function isChosen(index: IndexState, moment: number): boolean {
  const nth = indexStates.indexOf(index);
  return isSoak || moment % 20 === 2 * nth || moment % 20 === 2 * nth + 11;
}

/** A log that was written on since its index was, and was spoilt what was to be; as it comes it is one with none. */
async function prepare(folder: string, index: IndexState): Promise<Account> {
  const account = new Account(folder, index);
  if (index === 'on') return account;
  for (const text of ['a', 'b', 'c']) {
    const store = storeOn(folder);
    const log = await store.openOrCreate('s');
    await log.append([message('user', text), message('assistant', text)]);
    await store.close();
    await account.spoilIndexes();
  }
  return account;
}

async function lastCall(child: Child): Promise<number> {
  const line = await child.said((said) => said.startsWith('done '));
  await child.ended();
  return Number(line.slice(5));
}

/** The next process finds all that was acknowledged, and carries the whole script out. */
function stopAndLook(node: string, index: IndexState, moment: NodeJS.ProcessEnv): Promise<void> {
  return inFolder(async (folder) => {
    const account = await prepare(folder, index);
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
