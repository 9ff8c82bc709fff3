// The store beside the peer's: the same conversations in both formats, fresh processes in turn, the same work.
import { link } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeForPeer, setupPeer } from '../../scripts/setup-peer.mjs';
import { type Figure, median, table } from './figures.js';
import { filesOf, writeSession } from './store/formats.js';
import type { Measured } from './store/measured.js';
import { buildSides, runOurs, sample, type Samples, type Sides, type Task } from './store/sampling.js';

const isQuick = process.env['BOUGH_QUICK'] === '1';
const SAMPLES = isQuick ? 3 : 7;
const LISTED = isQuick ? [100] : [100, 1_000, 10_000];
const folder = path.join(os.tmpdir(), 'bough-bench');
const minutes = (count: number): { timeout: number } => ({ timeout: count * 60_000 });

const figures: Figure[] = [];
let sides: Sides;
beforeAll(async () => {
  const node = await nodeForPeer();
  const peer = node === undefined ? undefined : await setupPeer().catch(() => undefined);
  sides = await buildSides(path.join(folder, 'scripts'), node ?? process.execPath, peer);
}, 5 * 60_000);
afterAll(() => {
  console.log(`\n${table(figures)}\n`);
  if (sides.peer === undefined)
    console.log('| the peer could not be fetched, or this Node is too old for it |');
});

const ms = (all: readonly Measured[]): number[] => all.map((one) => one.ms);
const megabytes = (all: readonly Measured[]): number[] =>
  all.map(({ bytes }) => Math.max(0.1, bytes / 1024 ** 2));

/** How many times as fast as the peer it is to be, and what stands in the way where it is not. */
interface Goal {
  times: number;
  why?: string;
}

const CHECKED =
  'every line is checked as JSON and against its schema before it counts, which the peer does not do: see the floor';
const SHORT =
  'the page in view and the index are read, compared and parsed by code that runs for the first time; calls of the file system wait for each other';
const AGAIN = 'a few tenths of a millisecond here and there: code that runs for the second time';

function figure(work: string, { ours, peer }: Samples, goal?: Goal): void {
  expect(ours.length).toBeGreaterThan(0);
  add({ work, ours: ms(ours), unit: 'ms', ...(peer.length === 0 ? {} : { peer: ms(peer) }) }, goal);
}

function add(figure: Figure, goal?: Goal): void {
  const ratio = median(figure.peer ?? []) / median(figure.ours);
  const note = goal?.why !== undefined && ratio < goal.times ? { note: goal.why } : {};
  figures.push({ ...figure, ...(goal === undefined ? {} : { goal: `≥ ${String(goal.times)}×` }), ...note });
}

/** What the least that has to be done takes, by itself: no ratio can be better than its. */
async function addFloor(work: string, task: Task, peer: readonly Measured[]): Promise<void> {
  const { ours } = await run({ ...task, samples: Math.min(3, task.samples), hasPeer: false });
  const beside = peer.length === 0 ? {} : { peer: ms(peer) };
  figures.push({ work: `floor: ${work}`, ours: ms(ours), unit: 'ms', ...beside });
}

const run = (task: Omit<Task, 'folder'> & { folder?: string }): Promise<Samples> =>
  sample(sides, { folder, ...task });

const opened = [
  { entries: 1_000, goal: { times: 2.5, why: SHORT } },
  { entries: 10_000, goal: { times: 20, why: SHORT } },
  {
    entries: 100_000,
    goal: { times: 50, why: 'the index is read whole and its checksum made: 200 bytes an entry' },
  },
].filter(({ entries }) => !isQuick || entries < 100_000);

test.each(opened)('open $entries entries', minutes(30), async ({ entries, goal }) => {
  const id = `e${String(entries)}`;
  const size = `${String(entries)} entries`;
  await writeSession(folder, id, { seed: entries, entries, isCompacted: true });
  const task = { id: () => id, samples: SAMPLES };
  await runOurs(sides, 'forget', folder, id);
  const bare = await run({ ...task, work: 'open', samples: Math.ceil(SAMPLES / 2) });
  figure(`open ${size}, no index`, bare, entries === 100_000 ? { times: 12, why: CHECKED } : undefined);
  await addFloor(`read and JSON.parse ${size}`, { ...task, folder, work: 'open floor' }, bare.peer);
  await runOurs(sides, 'visit', folder, id);
  const known = await run({ ...task, work: 'open' });
  figure(`open ${size}`, known, goal);
  figure(`open ${size} to their context`, await run({ ...task, work: 'open to context' }), { times: 1 });
  const memory = { ours: megabytes(known.ours), peer: megabytes(known.peer) };
  const grown = { times: 15, why: 'the index is in memory whole: its parts are read where they lie' };
  add({ work: `open ${size}: memory`, ...memory, unit: 'MB' }, entries === 100_000 ? grown : undefined);
  figure(`context again, of ${size}`, await run({ ...task, work: 'cached context' }), {
    times: 5,
    why: AGAIN,
  });
  figure(`switch the branch in ${size}`, await run({ ...task, work: 'switch' }), {
    times: 15,
    why: 'the bodies that the other line does not share are read from the disk and parsed; the peer has all in memory',
  });
  figure(`fork of ${size}`, await run({ ...task, work: 'fork', samples: 1 }));
});

test.skipIf(isQuick)('five open sessions', minutes(10), async () => {
  const { ours: log } = filesOf(folder, 'e100000');
  for (const n of [0, 1, 2, 3, 4]) {
    const other = `five-${String(n)}`;
    await link(log, filesOf(folder, other).ours).catch(() => undefined); // it is there from the last time
    await runOurs(sides, 'visit', folder, other);
  }
  const task = { work: 'open five', id: () => 'five', samples: SAMPLES, hasPeer: false };
  const { ours } = await run(task);
  figures.push({ work: 'memory of five open sessions of 100000 entries', ours: megabytes(ours), unit: 'MB' });
});

test('append', minutes(10), async () => {
  const id = (work: string) => (at: number) => `${work}-${String(process.pid)}-${String(at)}`;
  const floor = await run({ work: 'append floor', id: id('floor'), samples: SAMPLES, hasPeer: false });
  const one = await run({ work: 'append', id: id('append'), samples: SAMPLES, hasPeer: false });
  const beside = { ours: ms(one.ours), peer: ms(floor.ours), unit: 'ms' };
  add(
    { work: '200 durable appends, one by one (beside the floor: write and fdatasync)', ...beside },
    { times: 0.8, why: 'the file is looked at before each write: another window may have written' },
  );
  figure('burst of 1 000, durable', await run({ work: 'burst', id: id('burst'), samples: SAMPLES }), {
    times: 0.33,
    why: 'each entry is read back as it will be from the disk before it is written; the peer checks and syncs nothing',
  });
});

test.each(LISTED)('list %i sessions', minutes(20), async (count) => {
  const place = path.join(folder, `list-${String(count)}`);
  for (let index = 0; index < count; index++)
    await writeSession(place, `s${String(index)}`, { seed: index, entries: 70, isCompacted: true });
  const samples = count > 1_000 ? Math.min(3, SAMPLES) : SAMPLES;
  const task = { work: 'list', folder: place, id: () => '', samples };
  await runOurs(sides, 'list', place, '');
  const listed = await run(task);
  figure(`list ${String(count)} sessions`, listed, {
    times: count > 1_000 ? 100 : 80,
    why: 'every log is looked at (stat) by threads of the file system, for the disk may be slow: see the floor',
  });
  await addFloor(`readdir and stat of ${String(count)} logs`, { ...task, work: 'list floor' }, listed.peer);
  const forget = (what: string) => async (): Promise<void> => {
    await runOurs(sides, what, place, '');
  };
  const bare = { ...task, samples: Math.ceil(samples / 2) };
  const unlisted = await run({ ...bare, prepare: forget('forget list') });
  figure(`list ${String(count)} sessions, no index`, unlisted, { times: 15, why: CHECKED });
  if (count > 1_000) return;
  const unread = await run({ ...bare, work: 'search', prepare: forget('forget texts') });
  figure(`search in ${String(count)} sessions, no texts kept`, unread, {
    times: 3,
    why: 'what is said behind another record on its line is looked for too: each line is searched five times',
  });
  figure(`search in ${String(count)} sessions`, await run({ ...task, work: 'search' }), {
    times: 40,
    why: 'the folder is listed, each log looked at, and the kept texts of all are read from the disk',
  });
});

test('a deep path', minutes(10), async () => {
  const entries = isQuick ? 6_000 : 24_000;
  await writeSession(folder, `deep${String(entries)}`, { seed: 9, entries, isCompacted: false });
  const task = { id: () => `deep${String(entries)}`, samples: Math.ceil(SAMPLES / 2) };
  await runOurs(sides, 'visit', folder, task.id());
  const deep = await run({ ...task, work: 'open to context' });
  figure(`open a line of ${String(entries)} entries without compaction to its context`, deep, {
    times: 2,
    why: 'all of it is told, so all of it is parsed, here as there',
  });
});
