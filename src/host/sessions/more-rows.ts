/** After "Show More" the keyboard goes on with the first of the rows that came: the row it stood on may be gone. */
import type { TreeNode } from './tree-node.js';

/** Where rows stand: in the list itself, or below the session of this id. */
type Place = string | undefined;

export class MoreRows {
  private readonly parents = new WeakMap<TreeNode, TreeNode>();
  /** What was there when the rows of a place were read last. */
  private readonly there = new Map<Place, ReadonlySet<string>>();
  private readonly asked = new Set<Place>();

  /** More rows of this place were asked for. */
  ask(place: Place): void {
    this.asked.add(place);
  }

  /** Of a row that {@link read} or {@link below} was told of. */
  parentOf(node: TreeNode): TreeNode | undefined {
    return this.parents.get(node);
  }

  below(parent: TreeNode, rows: readonly TreeNode[]): void {
    for (const row of rows) this.parents.set(row, parent);
  }

  /** Rows of a place, as they are now. The first that was not there when more of them were asked for; else undefined. */
  read(place: Place, rows: readonly TreeNode[]): TreeNode | undefined {
    const before = this.there.get(place);
    this.there.set(place, new Set(rows.map(keyOf)));
    if (!this.asked.delete(place) || before === undefined) return undefined;
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
