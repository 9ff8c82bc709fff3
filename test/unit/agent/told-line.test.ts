import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selectPath } from '../../../src/agent/context/select.js';
import { toldLine } from '../../../src/agent/context/told-line.js';
import type { PlacedEntry } from '../../../src/log/store.js';
import { isConversation, type Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { anyLog } from '../shared/arbitrary.js';
import { LogBuilder, foldOf, placed } from '../shared/build.js';

/** As a log answers for the line to `head`; what was read is kept. */
function logOf(entries: readonly Entry[], head: string | null) {
  const fold = foldOf(entries);
  const all = placed(entries);
  const at = (positions: readonly number[]): PlacedEntry[] =>
    positions.flatMap((position) => all[position] ?? []);
  // What is asked for by id is what the line names: a note before it may have taken its id.
  const named = all.filter(({ entry }) => isConversation(entry));
  const first = new Map(named.map(({ position, entry }) => [entry.id, position] as const).reverse());
  const read = new Set<number>();
  const reading = (found: PlacedEntry[]): Promise<PlacedEntry[]> => {
    for (const { position } of found) read.add(position);
    return Promise.resolve(found);
  };
  const log = {
    head,
    lineNodes: (to?: string | null) => fold.lineNodes(to),
    entries: (ids: readonly string[]) => reading(at(ids.flatMap((id) => first.get(id) ?? []))),
    line: (to?: string | null) => reading(at(fold.linePositions(to))),
    lineFrom: (from: string, to?: string | null) => reading(at(fold.positionsFrom(from, to))),
  };
  return { log, fold, read, whole: at(fold.linePositions(head)) };
}

const numRuns = runs({ usual: 2_000, soak: 50_000 });

it(`tells of ${String(numRuns)} random and damaged logs what their whole lines tell`, async () => {
  await fc.assert(
    fc.asyncProperty(anyLog(24), fc.nat({ max: 40 }), async (entries, at) => {
      const { outline, head } = foldOf(entries);
      const heads = [head, null, ...outline.map(([id]) => id)];
      const { log, whole } = logOf(entries, heads[at % heads.length] ?? null);
      expect(selectPath(await toldLine(log))).toEqual(selectPath(whole));
    }),
    { numRuns },
  );
}, 600_000);

it('reads nothing before the part that a compaction kept, skills apart', async () => {
  const builder = new LogBuilder();
  for (let turn = 0; turn < 20; turn++) {
    builder.user(`u${String(turn)}`, `question ${String(turn)}`);
    if (turn === 3) builder.add({ type: 'skill_load', name: 'pdf', description: 'd', body: 'b' });
  }
  builder.add({
    type: 'compaction',
    kind: 'summary',
    summary: 'so far',
    first_kept_entry_id: 'u18',
    tokens_before: 9,
    tokens_after: 3,
  });
  builder.user('u20', 'and now?');
  const { log, read, whole } = logOf(builder.entries, 'u20');
  const told = await toldLine(log);
  expect(selectPath(told)).toEqual(selectPath(whole));
  expect(told.map(({ entry }) => entry.type)).toEqual([
    'skill_load',
    'message',
    'message',
    'compaction',
    'message',
  ]);
  expect(read.size).toBe(5);
});
