/** What the line that is shown is called, where there are several: a name that was given on it, else which one it is. */
import type { Outline } from '../../src/shared/fold/outline.js';

export interface BranchName {
  name: string;
  /** Given by the person. */
  isNamed: boolean;
  details: string;
}

/** Undefined while there is but one line. */
export function branchName(
  outline: Outline,
  head: string | null,
  labels: Readonly<Record<string, string>>,
): BranchName | undefined {
  if (outline.leafCount < 2) return undefined;
  const leaves = outline.leaves();
  const path = outline.path(outline.ordinal(head));
  const leaf = outline.nodes[outline.newestLeaf(path.at(-1) ?? -1)]?.[0];
  const place = `Branch ${leaves.indexOf(leaf ?? '') + 1} of ${leaves.length}`;
  const named = path.findLast((ordinal) => labels[outline.nodes[ordinal]?.[0] ?? ''] !== undefined);
  const label = named === undefined ? undefined : labels[outline.nodes[named]?.[0] ?? ''];
  // A name on what all lines have in common tells none of them from the others.
  if (named === undefined || label === undefined || isShared(outline, named, leaves.length))
    return { name: place, isNamed: false, details: place };
  return { name: label, isNamed: true, details: `${place}: ${label}` };
}

/** Whether all lines go through it: children stand behind their parents, so one walk tells. */
function isShared(outline: Outline, ordinal: number, lines: number): boolean {
  const below = new Set([ordinal]);
  let through = outline.isLeaf(ordinal) ? 1 : 0;
  for (let at = ordinal + 1; at < outline.nodes.length; at++) {
    if (!below.has(outline.parent(at))) continue;
    below.add(at);
    if (outline.isLeaf(at)) through += 1;
  }
  return through === lines;
}
