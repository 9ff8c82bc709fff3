/** After "Show More" the keyboard goes on with the first of the rows that came: the row it stood on may be gone. */
import type { TreeNode } from './tree-node.js';

/** Where rows stand: in the list itself, or below the session of this id. */
type Place = string | undefined;

/** Later the person has gone on: the keyboard is not taken from what they do by then. */
const WAITED_FOR_MS = 2000;

export class MoreRows {
  private readonly parents = new WeakMap<TreeNode, TreeNode>();
  /** What was there when the rows of a place were read last. */
  private readonly there = new Map<Place, ReadonlySet<string>>();
  /** When more rows of a place were asked for. */
  private readonly asked = new Map<Place, number>();

  /** `now` in ms */
  constructor(private readonly now: () => number) {}

  /** More rows of this place were asked for. */
  ask(place: Place): void {
    this.asked.set(place, this.now());
  }

  /** They could not be read: those that another reading finds were not asked for. */
  forget(place: Place): void {
    this.asked.delete(place);
  }

  /** Of a row that {@link read} or {@link below} was told of. */
  parentOf(node: TreeNode): TreeNode | undefined {
    return this.parents.get(node);
  }

  below(parent: TreeNode, rows: readonly TreeNode[]): void {
    for (const row of rows) this.parents.set(row, parent);
  }

  /**
   * Rows of a place, as they are now. The first that was not there when more of them were asked for; undefined where none
   * were, or too long ago.
   */
  read(place: Place, rows: readonly TreeNode[]): TreeNode | undefined {
    const before = this.there.get(place);
    this.there.set(place, new Set(rows.map(keyOf)));
    const asked = this.asked.get(place);
    this.asked.delete(place);
    if (asked === undefined || before === undefined || this.now() - asked > WAITED_FOR_MS) return undefined;
    // What was begun meanwhile stands above all that was there.
    const first = rows.findIndex((row) => before.has(keyOf(row)));
    return rows.slice(first + 1).find((row) => !before.has(keyOf(row)));
  }
}

/** Of a row of which there may be more. */
function keyOf(node: TreeNode): string {
  if (node.kind === 'session') return node.summary.id;
  return node.kind === 'branch' ? node.branch.leaf : node.kind;
}
