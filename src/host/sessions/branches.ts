/** The branches of a session as the list shows them: one for each end of a line, named by where it left the others. */
import { Outline } from '../../shared/fold/outline.js';
import { OutlineFlag, type OutlineNode } from '../../shared/fold/types.js';

export interface Branch {
  leaf: string;
  /** First words of the newest prompt that is on this line alone. */
  label: string;
  /** First words of the line's end. */
  detail: string;
  isShown: boolean;
}

export function branchesOf(nodes: readonly OutlineNode[], head: string | null): Branch[] {
  const outline = new Outline(nodes);
  const shown = outline.ordinal(head);
  const leaves = outline.leaves().map((id) => outline.ordinal(id));
  // Few lines, many nodes: one walk from each end, up to where another line joins.
  const uses = new Map<number, number>();
  const paths = leaves.map((leaf) => outline.path(leaf));
  for (const path of paths) for (const ordinal of path) uses.set(ordinal, (uses.get(ordinal) ?? 0) + 1);
  return paths.map((path) => {
    const own = path.filter((ordinal) => uses.get(ordinal) === 1);
    const prompt =
      own.findLast((ordinal) => isPrompt(outline.nodes[ordinal])) ??
      path.findLast((ordinal) => isPrompt(outline.nodes[ordinal]));
    const end = path.at(-1) ?? -1;
    const detail = preview(outline.nodes[end]);
    return {
      leaf: outline.nodes[end]?.[0] ?? '',
      label: preview(outline.nodes[prompt ?? end]) || detail,
      detail,
      isShown: path.includes(shown),
    };
  });
}

const isPrompt = (node: OutlineNode | undefined): boolean =>
  node !== undefined && (node[3] & OutlineFlag.user) !== 0;
const preview = (node: OutlineNode | undefined): string => node?.[4] ?? '';
