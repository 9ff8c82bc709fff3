// How what a store does grows with the log and with the folder: time and memory, each size in fresh processes. Nothing is
// compared with a peer here, which holds all of a log in memory. BOUGH_HUGE=1 goes on to a million entries and a hundred
// thousand sessions.
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeForPeer } from '../../scripts/setup-peer.mjs';
import { type Curve, growthBars, growthPicture, growthTable, type Point } from './growth.js';
import { writeSession } from './store/formats.js';
import { buildSides, runOurs, sample, type Samples, type Sides, type Task } from './store/sampling.js';

const isQuick = process.env['BOUGH_QUICK'] === '1';
const isHuge = process.env['BOUGH_HUGE'] === '1';
const SAMPLES = isQuick ? 2 : 5;
const folder = path.join(os.tmpdir(), 'bough-bench');
const out = path.resolve('out/bench');
const LOGS = [1_000, 10_000, ...(isQuick ? [] : [100_000]), ...(isHuge ? [1_000_000] : [])];
const FOLDERS = [100, 1_000, ...(isQuick ? [] : [10_000]), ...(isHuge ? [100_000] : [])];
/** Short sessions: it is their number that counts here. */
const ENTRIES = 6;

class Curves {
  readonly all = new Map<string, Curve & { points: Point[] }>();

  add(work: string, why: string, { size, samples, unit = 'ms' }: Point & { unit?: string }): void {
    const curve = this.all.get(work) ?? { work, unit, why, points: [] };
    curve.points.push({ size, samples });
    this.all.set(work, curve);
  }
}
const ofLogs = new Curves();
const ofFolders = new Curves();

let sides: Sides;
beforeAll(async () => {
  sides = await buildSides(
    path.join(folder, 'scripts'),
    (await nodeForPeer()) ?? process.execPath,
    undefined,
  );
  mkdirSync(out, { recursive: true });
}, 60_000);
afterAll(() => {
  for (const [what, curves] of [
    ['entries in a log', ofLogs],
    ['sessions in a folder', ofFolders],
  ] as const) {
    const all = [...curves.all.values()];
    if (all.length === 0) continue;
    const picture = path.join(out, `growth-of-${what.replaceAll(' ', '-')}.svg`);
    writeFileSync(picture, growthPicture(all, `by ${what}`));
    console.log(
      `\n| by ${what} (also ${path.relative(process.cwd(), picture)})\n|\n${growthTable(all)}\n|\n${growthBars(all)}\n`,
    );
  }
});

const run = (task: Omit<Task, 'samples' | 'hasPeer'> & { samples?: number }): Promise<Samples> =>
  sample(sides, { samples: SAMPLES, ...task, hasPeer: false });
const ms = ({ ours }: Samples): number[] => ours.map((one) => one.ms);
const megabytes = ({ ours }: Samples): number[] => ours.map(({ bytes }) => Math.max(0.1, bytes / 1024 ** 2));

test.each(LOGS)('a log of %i entries', { timeout: 60 * 60_000 }, async (entries) => {
  const id = `e${String(entries)}`;
  await writeSession(folder, id, { seed: entries, entries, isCompacted: true }, entries < 1_000_000);
  const task = { folder, id: () => id };
  const forget = async (): Promise<void> => void (await runOurs(sides, 'forget', folder, id));
  const bare = await run({ ...task, work: 'open', prepare: forget, samples: Math.ceil(SAMPLES / 2) });
  ofLogs.add('open without an index', 'every line is read once', { size: entries, samples: ms(bare) });
  ofLogs.add('memory of that', 'places and links of all entries', {
    ...{ size: entries, samples: megabytes(bare), unit: 'MB' },
  });
  await runOurs(sides, 'visit', folder, id);
  const known = await run({ ...task, work: 'open' });
  ofLogs.add('open with its index', 'the index is read whole: some bytes an entry', {
    ...{ size: entries, samples: ms(known) },
  });
  ofLogs.add('memory of opening with it', 'the links of all entries are what the tree is drawn from', {
    ...{ size: entries, samples: megabytes(known), unit: 'MB' },
  });
  const context = await run({ ...task, work: 'cached context' });
  ofLogs.add('context again', '', { size: entries, samples: ms(context) });
  const other = await run({ ...task, work: 'switch' });
  ofLogs.add('switch the branch', '', { size: entries, samples: ms(other) });
  expect(known.ours.every(({ outcome }) => outcome?.['count'] === entries)).toBe(true);
});

test.each(FOLDERS)('a folder of %i sessions', { timeout: 60 * 60_000 }, async (count) => {
  const place = path.join(folder, `many-${String(count)}`);
  for (let index = 0; index < count; index++)
    await writeSession(
      place,
      `s${String(index)}`,
      { seed: index, entries: ENTRIES, isCompacted: true },
      false,
    );
  const task = { folder: place, id: () => '', work: 'first page' };
  const forget = async (): Promise<void> => void (await runOurs(sides, 'forget list', place, ''));
  const bare = await run({ ...task, prepare: forget, samples: Math.ceil(SAMPLES / 2) });
  ofFolders.add('the first page of the list, no index', 'every log is read once', {
    ...{ size: count, samples: ms(bare) },
  });
  const known = await run(task);
  ofFolders.add('the first page of the list', 'the folder is listed, and each log looked at', {
    ...{ size: count, samples: ms(known) },
  });
  ofFolders.add('memory of that', 'the rows of all sessions', {
    ...{ size: count, samples: megabytes(known), unit: 'MB' },
  });
  expect(known.ours.every(({ outcome }) => outcome?.['count'] === 50)).toBe(true);
});
