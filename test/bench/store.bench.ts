// The store beside the peer's: the same conversations in both formats, fresh processes in turn, the same work.
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeForPeer, setupPeer } from '../../scripts/setup-peer.mjs';
import { type Figure, table } from './figures.js';
import { writeSession } from './store/formats.js';
import type { Measured } from './store/measured.js';
import { buildSides, runOurs, sample, type Samples, type Sides, type Task } from './store/sampling.js';

const isQuick = process.env['BOUGH_QUICK'] === '1';
const SAMPLES = isQuick ? 3 : 7;
const LISTED = isQuick ? [100] : [100, 1_000];
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

function figure(work: string, { ours, peer }: Samples, goal?: string): void {
  expect(ours.length).toBeGreaterThan(0);
  figures.push({
    work,
    ours: ms(ours),
    unit: 'ms',
    ...(goal === undefined ? {} : { goal }),
    ...(peer.length === 0 ? {} : { peer: ms(peer) }),
  });
}

const run = (task: Omit<Task, 'folder'> & { folder?: string }): Promise<Samples> =>
  sample(sides, { folder, ...task });

const opened = [
  { entries: 1_000, goal: '≥ 2.5×' },
  { entries: 10_000, goal: '≥ 20×' },
  { entries: 100_000, goal: '≥ 50×, memory ≥ 15×' },
].filter(({ entries }) => !isQuick || entries < 100_000);

test.each(opened)('open $entries entries', minutes(30), async ({ entries, goal }) => {
  const id = `e${String(entries)}`;
  await writeSession(folder, id, { seed: entries, entries, isCompacted: true });
  const task = { id: () => id, samples: SAMPLES };
  await runOurs(sides, 'forget', folder, id);
  const bare = await run({ ...task, work: 'open', samples: Math.ceil(SAMPLES / 2) });
  figure(`open ${String(entries)} entries, no index`, bare, entries === 100_000 ? '≥ 12×' : undefined);
  await runOurs(sides, 'visit', folder, id);
  const known = await run({ ...task, work: 'open' });
  figure(`open ${String(entries)} entries`, known, goal);
  figure(
    `open ${String(entries)} entries to their context`,
    await run({ ...task, work: 'open to context' }),
    '≥ 1×',
  );
  const memory = { ours: megabytes(known.ours), peer: megabytes(known.peer) };
  figures.push({ work: `open ${String(entries)} entries: memory`, ...memory, unit: 'MB' });
  figure(
    `context again, of ${String(entries)} entries`,
    await run({ ...task, work: 'cached context' }),
    '≥ 5×',
  );
  figure(`switch the branch in ${String(entries)} entries`, await run({ ...task, work: 'switch' }), '≥ 15×');
  figure(`fork of ${String(entries)} entries`, await run({ ...task, work: 'fork', samples: 1 }));
});

test('append', minutes(10), async () => {
  const id = (work: string) => (at: number) => `${work}-${String(process.pid)}-${String(at)}`;
  const floor = await run({ work: 'append floor', id: id('floor'), samples: SAMPLES, hasPeer: false });
  const one = await run({ work: 'append', id: id('append'), samples: SAMPLES, hasPeer: false });
  figures.push({
    work: '200 durable appends, one by one (beside the floor: write and fdatasync)',
    ours: ms(one.ours),
    peer: ms(floor.ours),
    unit: 'ms',
    goal: '≥ 0.8×',
  });
  figure(
    'burst of 1 000, durable',
    await run({ work: 'burst', id: id('burst'), samples: SAMPLES }),
    '≥ 0.33×',
  );
});

test.each(LISTED)('list %i sessions', minutes(20), async (count) => {
  const place = path.join(folder, `list-${String(count)}`);
  for (let index = 0; index < count; index++)
    await writeSession(place, `s${String(index)}`, { seed: index, entries: 70, isCompacted: true });
  const task = { work: 'list', folder: place, id: () => '', samples: SAMPLES };
  await runOurs(sides, 'list', place, '');
  figure(`list ${String(count)} sessions`, await run(task), '≥ 80×');
  const forget = (what: string) => async (): Promise<void> => {
    await runOurs(sides, what, place, '');
  };
  const bare = { ...task, samples: Math.ceil(SAMPLES / 2) };
  const unlisted = await run({ ...bare, prepare: forget('forget list') });
  figure(`list ${String(count)} sessions, no index`, unlisted, '≥ 15×');
  const unread = await run({ ...bare, work: 'search', prepare: forget('forget texts') });
  figure(`search in ${String(count)} sessions, no texts kept`, unread, '≥ 3×');
  figure(`search in ${String(count)} sessions`, await run({ ...task, work: 'search' }), '≥ 40×');
});

test('a deep path', minutes(10), async () => {
  const entries = isQuick ? 6_000 : 24_000;
  await writeSession(folder, `deep${String(entries)}`, { seed: 9, entries, isCompacted: false });
  const task = { id: () => `deep${String(entries)}`, samples: Math.ceil(SAMPLES / 2) };
  await runOurs(sides, 'visit', folder, task.id());
  const deep = await run({ ...task, work: 'open to context' });
  figure(`open a line of ${String(entries)} entries without compaction to its context`, deep, '≥ 2×');
});
