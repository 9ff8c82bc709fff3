// The conversation tree without a view: which rows it has, in which lanes, and what filters and searches leave.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outline, ROOT } from '../../src/shared/fold/outline.js';
import { OutlineFlag, type OutlineNode } from '../../src/shared/fold/types.js';
import { find, keeps, type TreeFilter } from '../../webview/tree/filter.js';
import { layOut, type TreeRow } from '../../webview/tree/layout.js';

/** A tree by the parents of its nodes; node `n` is a prompt when `n` is even, else a step with tools. */
const treeOf = (parents: readonly number[]): Outline =>
  new Outline(
    parents.map((parent, ordinal): OutlineNode => {
      const flags = ordinal % 2 === 0 ? OutlineFlag.user : OutlineFlag.assistant | OutlineFlag.calls;
      return [`n${ordinal}`, parent, 'message', flags, `Words of ${ordinal}`];
    }),
  );

const everything = { isKept: () => true, folded: new Set<number>() };
const names = (rows: readonly TreeRow[]): string =>
  rows.map((row) => `${'.'.repeat(row.lane)}${row.ordinal === ROOT ? 'start' : row.ordinal}`).join(' ');

const someTree = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 60 })
  .map((shares) => shares.map((share, ordinal) => Math.floor(share * (ordinal + 1)) - 1));

describe('the layout of the tree', () => {
  it('draws a conversation without forks as one line', () => {
    expect(names(layOut(treeOf([ROOT, 0, 1, 2]), everything))).toBe('0 1 2 3');
  });

  it('puts older lines beside their fork, the newest straight below it', () => {
    // 0 ─ 1 ─ 2, then 3 and 4 beside 1; 5 goes on from 2.
    const rows = layOut(treeOf([ROOT, 0, 1, 0, 0, 2]), everything);
    expect(names(rows)).toBe('0 .1 .2 .5 .3 4');
    const beside = [{ lane: 0, to: 4 }];
    expect(rows.map(({ passing }) => passing)).toEqual([[], beside, beside, beside, beside, []]);
    expect(rows.map(({ goesOn }) => goesOn)).toEqual([true, true, true, false, false, false]);
  });

  it('draws several first messages below the start they have in common', () => {
    expect(names(layOut(treeOf([ROOT, ROOT, 0]), everything))).toBe('start .0 .2 1');
  });

  it('folds a side line into its first row', () => {
    const rows = layOut(treeOf([ROOT, 0, 1, 0]), { isKept: () => true, folded: new Set([1]) });
    expect(names(rows)).toBe('0 .1 3');
    expect(rows[1]).toMatchObject({ isFolded: true, below: 1, goesOn: false });
  });

  it('A16: joins what a filter keeps to the nearest kept node above', () => {
    const rows = layOut(treeOf([ROOT, 0, 1, 2]), { ...everything, isKept: (at) => at === 0 || at === 3 });
    expect(rows.map(({ ordinal, parent }) => [ordinal, parent])).toEqual([
      [0, -1],
      [3, 0],
    ]);
  });

  it('shows each kept node once, below its parent, in a lane that is free there', () => {
    fc.assert(
      fc.property(someTree, fc.integer({ min: 1, max: 7 }), (parents, keepsNth) => {
        const outline = treeOf(parents);
        const isKept = (ordinal: number) => ordinal % keepsNth === 0;
        const rows = layOut(outline, { isKept, folded: new Set() });
        const shown = rows.filter(({ ordinal }) => ordinal !== ROOT).map(({ ordinal }) => ordinal);
        const kept = outline.nodes.flatMap((_, ordinal) => (isKept(ordinal) ? [ordinal] : []));
        expect([...shown].sort((a, b) => a - b)).toEqual(kept);
        rows.forEach((row, index) => {
          const above = rows[row.parent];
          if (row.parent === -1) return expect(index).toBe(0);
          expect(row.parent).toBeLessThan(index);
          expect(row.lane).toBe((above?.lane ?? 0) + (row.isSide ? 1 : 0));
          expect(row.passing.map(({ lane }) => lane)).not.toContain(row.lane);
          // Between a row and the one it goes on from nothing else stands in its lane, unless it passes there.
          const between = rows.slice(row.parent + 1, index);
          const passes = ({ passing }: TreeRow) => passing.some(({ to }) => to === row.ordinal);
          if (!row.isSide) expect(between.every(passes)).toBe(true);
          return undefined;
        });
      }),
    );
  });

  it('takes a conversation of ten thousand messages', () => {
    const deep = treeOf(Array.from({ length: 10_000 }, (_, ordinal) => ordinal - 1));
    expect(layOut(deep, everything)).toHaveLength(10_000);
  });
});

describe('what the tree shows', () => {
  const outline = treeOf([ROOT, 0, 1, 2, 0]);
  const shown = (filter: TreeFilter, more: Partial<Parameters<typeof keeps>[1]> = {}): number[] => {
    const isKept = keeps(outline, { filter, head: null, labels: {}, found: new Set(), ...more });
    return outline.nodes.flatMap((_, ordinal) => (isKept(ordinal) ? [ordinal] : []));
  };

  it('leaves out by filter, but never the end of a line', () => {
    expect(shown('all')).toEqual([0, 1, 2, 3, 4]);
    expect(shown('messages')).toEqual([0, 2, 3, 4]);
    expect(shown('prompts')).toEqual([0, 2, 3, 4]);
    expect(shown('labelled')).toEqual([]);
  });

  it('shows where one is, what has a label, and what a search found, whatever the filter', () => {
    expect(shown('labelled', { head: 'n1' })).toEqual([1]);
    expect(shown('labelled', { labels: { n2: 'Good' } })).toEqual([2]);
    expect(shown('labelled', { found: new Set([3]) })).toEqual([3]);
  });

  it('finds first words and labels, in any case', () => {
    expect([...find(outline, {}, 'WORDS OF 3')]).toEqual([3]);
    expect([...find(outline, { n1: 'Attempt' }, 'attempt')]).toEqual([1]);
    expect([...find(outline, {}, '  ')]).toEqual([]);
  });
});
