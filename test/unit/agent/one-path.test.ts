// What the person sees and what the model is told come from the same path, whatever the tree and wherever one stands in it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../src/agent/context.js';
import type { ModelMessage } from '../../../src/ports.js';
import { rowsOf } from '../../../src/shared/fold/path.js';
import type { Row } from '../../../src/shared/fold/types.js';
import { isConversation, type Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { LogBuilder, foldOf, placed } from '../shared/build.js';
import { openBench } from './bench.js';
import { text } from './fake-model.js';

const numRuns = runs({ usual: 300, soak: 10_000 });
const model = { provider: 'p', id: 'm', label: 'M' };

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('ask', 'ask', 'answer', 'break', 'go', 'go', 'compact'),
    at: fc.nat({ max: 40 }),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Keeps from one of the prompts of the line that no compaction before it told of. */
function compact(log: LogBuilder, at: number, index: number): void {
  const line = log
    .fold()
    .linePositions(log.head)
    .flatMap((position) => log.entries[position] ?? []);
  const begins = line.findLastIndex(({ type }) => type === 'compaction') + 1;
  const prompts = line.slice(begins).filter((entry) => entry.type === 'message' && entry.role === 'user');
  const kept = prompts[at % Math.max(1, prompts.length)];
  if (kept === undefined) return;
  log.add({
    ...{ type: 'compaction', id: `c${index}`, summary: `gist ${index}`, first_kept_entry_id: kept.id },
    ...{ tokens_before: 100, tokens_after: 10 },
  });
}

/** Of rows and messages alike: what the last compaction of the line keeps from. */
function keptFrom(line: readonly { entry: Entry }[]): number {
  const last = line.findLast(({ entry }) => entry.type === 'compaction')?.entry;
  return last?.type === 'compaction'
    ? line.findIndex(({ entry }) => entry.id === last.first_kept_entry_id)
    : 0;
}

/** Each message has a text of its own. */
function treeOf(list: readonly { what: string; at: number }[]): LogBuilder {
  const log = new LogBuilder();
  list.forEach(({ what, at }, index) => {
    const ids = log.fold().outline.map(([id]) => id);
    if (what === 'ask') log.user(`u${index}`, `said ${index}`);
    else if (what === 'answer') log.assistant(`a${index}`, `said ${index}`);
    else if (what === 'compact') compact(log, at, index);
    else if (what === 'go') log.go(ids.length === 0 ? null : (ids[at % ids.length] ?? null));
    else
      log.add({
        ...{ type: 'incomplete_output', id: `i${index}`, attempt_id: `t${index}` },
        ...{ text: `cut ${index}`, incomplete: true, reason: 'stopped' },
      });
  });
  return log;
}

const wordsOf = (row: Row): string[] =>
  row.kind === 'user' || row.kind === 'assistant'
    ? row.entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    : [];

function textsOf(message: ModelMessage): string[] {
  if (message.role === 'tool') return [];
  const texts: string[] = [];
  for (const part of message.parts) if ('text' in part) texts.push(...part.text.split('\n'));
  return texts;
}

describe('H7: one path for the view and for the request', () => {
  it('holds for any tree, its compactions, and any place in it', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { entries } = treeOf(list);
        const fold = foldOf(entries);
        for (const head of [null, ...fold.outline.map(([id]) => id)]) {
          const all = placed(entries);
          const line = fold.linePositions(head).flatMap((position) => all[position] ?? []);
          const rows = rowsOf(line, fold.outline, fold.state(head), 'idle');
          // The person sees all of it, whatever the model is told of it.
          expect(rows.map(({ entry }) => entry.id)).toEqual(
            line.flatMap(({ entry }) => (isConversation(entry) ? [entry.id] : [])),
          );
          const kept = new Set(line.slice(keptFrom(line)).map(({ entry }) => entry.id));
          const seen = rows.filter(({ entry }) => kept.has(entry.id)).flatMap(wordsOf);
          const { messages } = buildRequest(line, model, { system: '', tools: [] });
          const told = messages.flatMap(textsOf).filter((words) => /^(said|cut) \d+$/.test(words));
          expect(told).toEqual(seen);
        }
      }),
      { numRuns },
    );
  });

  it(
    'going to every leaf and back appends head notes, and nothing else changes',
    { timeout: 120_000 },
    async () => {
      const turns = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(turns, async (places) => {
          const bench = await openBench({ endless: () => text('A') });
          for (const [index, place] of places.entries()) {
            const ids = bench.log.outline.map(([id]) => id);
            const entry_id = ids[place % Math.max(1, ids.length)];
            if (entry_id !== undefined) await bench.do({ type: 'navigate', entry_id });
            await bench.send(`Q${index}`);
          }
          const { head } = bench.log;
          const before = {
            path: await bench.log.path(),
            outline: [...bench.log.outline],
            state: bench.log.state(),
          };
          const count = bench.disk.entries.length;
          const parents = new Set(bench.log.outline.map(([, parent]) => parent));
          const leaves = bench.log.outline.filter((_, ordinal) => !parents.has(ordinal)).map(([id]) => id);
          for (const leaf of leaves) {
            await bench.do({ type: 'navigate', entry_id: leaf });
            expect(bench.log.head).toBe(leaf);
          }
          await bench.do({ type: 'navigate', entry_id: head });
          expect(new Set(bench.disk.entries.slice(count).map(({ type }) => type))).toEqual(
            new Set(leaves.length > 1 ? ['head'] : []),
          );
          expect(await bench.log.path()).toEqual(before.path);
          expect(bench.log.outline).toEqual(before.outline);
          expect(bench.log.state()).toEqual(before.state);
        }),
        { numRuns: Math.ceil(numRuns / 15) },
      );
    },
  );
});
