/**
 * The conversation tree as lines to draw: one row for each node that is kept, parents before children, the newest line
 * last and straight below its fork, older ones beside it. Walks without recursion: a path may be ten thousand deep.
 */
import { ROOT, type Outline } from '../../src/shared/fold/outline.js';

export interface TreeRow {
  /** Of the node in the outline; {@link ROOT} for the start that several first messages have in common. */
  ordinal: number;
  /** Index of the row of the nearest kept ancestor; −1 for the first. */
  parent: number;
  /** Column of its dot. A line that leaves a fork stands one further than the fork. */
  lane: number;
  /** It stands beside the line of its fork, which goes on below it. */
  isSide: boolean;
  /** Something follows in the same lane. */
  goesOn: boolean;
  /** Lanes left of it that go on: of forks whose newest child is still to come. */
  passing: readonly Passing[];
  /** Kept nodes below it, however they are shown. */
  below: number;
  /** A side line whose rows are folded away. */
  isFolded: boolean;
}

export interface Passing {
  lane: number;
  /** Ordinal of the node it leads to. */
  to: number;
}

interface Open {
  ordinal: number;
  parent: number;
  lane: number;
  isSide: boolean;
  passing: readonly Passing[];
}

/** Children by ordinal + 1 among the kept nodes; a node that is not kept hands its children to its parent. */
function keptChildren(outline: Outline, isKept: (ordinal: number) => boolean): number[][] {
  const children: number[][] = [[]];
  /** The nearest kept node, itself included. */
  const kept: number[] = [];
  outline.nodes.forEach(([, parent], ordinal) => {
    children.push([]);
    const above = parent === ROOT ? ROOT : (kept[parent] ?? ROOT);
    kept.push(isKept(ordinal) ? ordinal : above);
    if (isKept(ordinal)) children[above + 1]?.push(ordinal);
  });
  return children;
}

/** How many kept nodes stand below each node, by ordinal + 1; parents stand before their children. */
function sizesBelow(children: readonly (readonly number[])[]): number[] {
  const below = new Array<number>(children.length).fill(0);
  for (let at = children.length - 1; at >= 0; at--) {
    for (const child of children[at] ?? []) below[at] = (below[at] ?? 0) + 1 + (below[child + 1] ?? 0);
  }
  return below;
}

export interface Layout {
  isKept: (ordinal: number) => boolean;
  /** Side lines, by the ordinal of their first row, of which only that row is shown. */
  folded: ReadonlySet<number>;
}

export function layOut(outline: Outline, { isKept, folded }: Layout): TreeRow[] {
  const children = keptChildren(outline, isKept);
  const below = sizesBelow(children);
  const rows: TreeRow[] = [];
  const roots = children[0] ?? [];
  const open: Open[] = [];
  const first = { parent: -1, lane: 0, isSide: false, passing: [] };
  if (roots.length === 1) open.push({ ...first, ordinal: roots[0] ?? ROOT });
  else if (roots.length > 1) open.push({ ...first, ordinal: ROOT });
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const mine = children[at.ordinal + 1] ?? [];
    const isFolded = at.isSide && mine.length > 0 && folded.has(at.ordinal);
    const row = rows.length;
    rows.push({ ...at, goesOn: mine.length > 0 && !isFolded, below: below[at.ordinal + 1] ?? 0, isFolded });
    if (isFolded) continue;
    const last = mine.length - 1;
    const straight = { parent: row, lane: at.lane, isSide: false, passing: at.passing };
    const beside = {
      parent: row,
      lane: at.lane + 1,
      isSide: true,
      passing: [...at.passing, { lane: at.lane, to: mine[last] ?? ROOT }],
    };
    // The newest first, so that it is taken last.
    for (let index = last; index >= 0; index--) {
      open.push({ ordinal: mine[index] ?? ROOT, ...(index === last ? straight : beside) });
    }
  }
  return rows;
}
