// What the person sees and what the model is told come from the same path, whatever the tree and wherever one stands in it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapsible } from '../../../src/agent/compaction/branch.js';
import { isFailure } from '../../../src/shared/failure.js';
import { runs } from '../runs.js';
import { LogBuilder, call, foldOf, result, text as textPart } from '../shared/build.js';
import { openBench, type Bench } from './bench.js';
import { calls, text, type Reply } from './fake-model.js';
import { expectOneLine, lineTo, toldOf, wordsToldBy } from './one-line.js';

const numRuns = runs({ usual: 300, soak: 10_000 });

const steps = fc.array(
  fc.record({
    what: fc.constantFrom(
      ...['ask', 'ask', 'ask', 'answer', 'answer', 'call', 'call', 'break', 'go', 'go', 'go'],
      ...['compact', 'collapse', 'collapse', 'leave', 'undo', 'clear', 'history', 'skill'],
    ),
    at: fc.nat({ max: 40 }),
    to: fc.nat({ max: 8 }),
  }),
  { minLength: 1, maxLength: 40, size: 'max' },
);

/** Keeps from one of the prompts that the last compaction of the line kept, or that came since. */
function compact(log: LogBuilder, at: number, index: number): void {
  const line = lineTo(log.entries, log.head);
  const last = line.findLast((entry) => entry.type === 'compaction');
  const begins = Math.max(
    0,
    line.findIndex(({ id }) => id === last?.first_kept_entry_id),
  );
  const prompts = line.slice(begins).filter((entry) => entry.type === 'message' && entry.role === 'user');
  const kept = prompts[at % Math.max(1, prompts.length)];
  if (kept === undefined) return;
  log.add({
    ...{ type: 'compaction', id: `c${index}`, summary: `gist ${index}`, first_kept_entry_id: kept.id },
    ...{ tokens_before: 100, tokens_after: 10 },
  });
}

/** As the agent does it: whole steps, or nothing where that cannot be. */
function collapse(log: LogBuilder, { at, to }: { at: number; to: number }, index: number): void {
  const line = lineTo(log.entries, log.head);
  const from_id = line[at % Math.max(1, line.length)]?.id;
  if (from_id === undefined) return;
  const to_id = line[Math.min(line.length - 1, (at % line.length) + to)]?.id ?? from_id;
  const range = collapsible(line, { from_id, to_id });
  if (isFailure(range)) return;
  log.add({ type: 'branch_summary', id: `r${index}`, ...range, summary: `gist ${index}`, collapse: true });
}

/** Goes elsewhere and brings along what was said on the line that is left. */
function leave(log: LogBuilder, at: number, index: number): void {
  const { head } = log;
  const ids = log.fold().outline.map(([id]) => id);
  const target = ids[at % Math.max(1, ids.length)];
  if (head === null || target === undefined) return;
  log.go(target);
  log.add({ type: 'branch_summary', id: `l${index}`, from_id: head, to_id: head, summary: `gist ${index}` });
}

/** Each message has a text of its own. */
function treeOf(list: readonly { what: string; at: number; to: number }[]): LogBuilder {
  const log = new LogBuilder();
  list.forEach(({ what, at, to }, index) => {
    const ids = log.fold().outline.map(([id]) => id);
    if (what === 'ask') log.user(`u${index}`, `said ${index}`);
    else if (what === 'answer') log.assistant(`a${index}`, `said ${index}`);
    else if (what === 'call') {
      log.assistant(`a${index}`, [textPart(`said ${index}`), call(`k${index}`), call(`m${index}`)]);
      log.tool(`t${index}`, [result(`k${index}`, `ran ${index}`)]);
      log.tool(`s${index}`, [result(`m${index}`, `ran ${index + 1_000}`)]);
    } else if (what === 'compact') compact(log, at, index);
    else if (what === 'collapse') collapse(log, { at, to }, index);
    else if (what === 'leave') leave(log, at, index);
    else if (what === 'go') log.go(ids.length === 0 ? null : (ids[at % ids.length] ?? null));
    else if (what === 'undo') {
      const prompt = lineTo(log.entries, log.head).findLast(
        (entry) => entry.type === 'message' && entry.role === 'user',
      );
      if (prompt !== undefined) log.go(prompt.parent_id);
    } else if (what === 'clear') log.go(null).add({ type: 'model_change', provider: 'p', model_id: 'm' });
    else if (what === 'history') {
      log.go(null).user(`h${index}`, `said ${index}`, { origin: 'import' });
      log.assistant(`i${index}`, `said ${index + 1_000}`, { origin: 'import' });
    } else if (what === 'skill')
      log.add({ type: 'skill_load', name: `skill ${at % 3}`, description: 'what', body: 'how' });
    else
      log.add({
        ...{ type: 'incomplete_output', id: `b${index}`, attempt_id: `t${index}` },
        ...{ text: `cut ${index}`, incomplete: true, reason: 'stopped' },
      });
  });
  return log;
}

// ------------------------------------------------------------------------------------------- as the agent makes trees

const moves = fc.array(
  fc.record({
    what: fc.constantFrom(
      ...['ask', 'ask', 'ask', 'use', 'use', 'go', 'go', 'edit', 'again', 'undo', 'clear', 'history'],
      ...['compact', 'collapse', 'collapse', 'leave'],
    ),
    at: fc.nat({ max: 20 }),
    to: fc.nat({ max: 6 }),
  }),
  { minLength: 1, maxLength: 12, size: 'max' },
);

/** A session whose model numbers what it says; the words of a summary are its gist. */
async function numberedBench(): Promise<{ bench: Bench; uses: () => void; next: () => number }> {
  let count = 0;
  let isToUse = false;
  const answer = (): Reply => {
    count += 1;
    const { request } = bench.model.asked.at(-1) ?? {};
    if (request?.tools.length === 0) return text(`gist ${count}`);
    const isUsing = isToUse;
    isToUse = false;
    return isUsing
      ? calls([{ name: 'run', input: { command: `${count}` } }], { text: `said ${count}` })
      : text(`said ${count}`);
  };
  const bench = await openBench({
    endless: answer,
    allows: () => true,
    settings: { keepRecentTokens: 200 },
  });
  return { bench, uses: () => (isToUse = true), next: () => (count += 1) };
}

/** Enough that a summary is shorter. */
const long = (number: number): string => `said ${number}\n${'word '.repeat(150)}`;

async function grow(list: readonly { what: string; at: number; to: number }[]): Promise<Bench> {
  const { bench, uses, next } = await numberedBench();
  const pick = <T>(of: readonly T[], at: number): T | undefined => of[at % Math.max(1, of.length)];
  for (const { what, at, to } of list) {
    const ids = bench.log.outline.map(([id]) => id);
    const line = await bench.log.path();
    const prompts = line.filter((entry) => entry.type === 'message' && entry.role === 'user');
    const entry_id = pick(ids, at);
    if (what === 'use') uses();
    if (what === 'ask' || what === 'use') await bench.send(long(next()));
    else if (what === 'undo' || what === 'clear' || what === 'compact') await bench.do({ type: what });
    else if (what === 'history') {
      const part = (role: 'user' | 'assistant') => ({ role, parts: [textPart(long(next()))] });
      await bench.session.setHistory([part('user'), part('assistant')]);
    } else if (entry_id === undefined) continue;
    else if (what === 'go') await bench.do({ type: 'navigate', entry_id });
    else if (what === 'edit' || what === 'again') {
      const prompt = pick(prompts, at)?.id;
      if (prompt === undefined) continue;
      if (what === 'edit') await bench.send(long(next()), { editing: prompt });
      else await bench.do({ type: 'try_again', entry_id: prompt });
    } else if (what === 'collapse') {
      const from = at % Math.max(1, line.length);
      const [from_id, to_id] = [line[from]?.id, line[Math.min(line.length - 1, from + to)]?.id];
      if (from_id !== undefined && to_id !== undefined) await bench.do({ type: 'collapse', from_id, to_id });
    } else {
      const { head } = bench.log;
      const own = line.at(-1 - (to % Math.max(1, line.length)))?.id;
      await bench.do({ type: 'navigate', entry_id });
      if (head !== null && own !== undefined)
        await bench.do({ type: 'bring_summary', from_id: own, to_id: head });
    }
    await bench.session.settled();
  }
  return bench;
}

describe('H7: one path for the view and for the request', () => {
  it(
    'holds for any tree, whatever summaries, undoing, clearing and given histories made of it, at any place in it',
    { timeout: 600_000 },
    () => {
      fc.assert(
        fc.property(steps, (list) => {
          const { entries } = treeOf(list);
          for (const head of [null, ...foldOf(entries).outline.map(([id]) => id)])
            expectOneLine(entries, head);
        }),
        { numRuns },
      );
    },
  );

  it(
    'holds at every end of the trees that the agent makes; going there and back appends head notes, and nothing else changes',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(moves, async (list) => {
          const bench = await grow(list);
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
            expectOneLine(bench.disk.entries, leaf);
          }
          await bench.do({ type: 'navigate', entry_id: head });
          const moved = leaves.some((leaf) => leaf !== head);
          expect(new Set(bench.disk.entries.slice(count).map(({ type }) => type))).toEqual(
            new Set(moved ? ['head'] : []),
          );
          expect(await bench.log.path()).toEqual(before.path);
          expect(bench.log.outline).toEqual(before.outline);
          expect(bench.log.state()).toEqual(before.state);
          // And what is really sent from here is this line.
          await bench.send('said 0');
          const line = lineTo(bench.disk.entries, bench.log.head);
          const prompt = line.findLastIndex((entry) => entry.type === 'message' && entry.role === 'user');
          const sent = bench.model.asked.at(-1)?.request.messages ?? [];
          expect(wordsToldBy(sent)).toEqual(toldOf(line.slice(0, prompt + 1)));
        }),
        { numRuns: Math.ceil(numRuns / 10) },
      );
    },
  );
});
