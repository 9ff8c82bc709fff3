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
  /** Prompts and answers that are on this line alone. */
  messages: number;
  /** What the person called a place that is on this line alone; the one nearest to its end. */
  name?: string;
  /** No prompt is on this line alone: it is another answer to one that others answer too. */
  isOtherAnswer?: true;
  /** Its end was never finished; a part of it was attached where it may belong. */
  mark?: 'incomplete' | 'damaged';
}

/** Oldest first. */
export function branchesOf(
  nodes: readonly OutlineNode[],
  head: string | null,
  labels: Readonly<Record<string, string>> = {},
): Branch[] {
  const outline = new Outline(nodes);
  const shown = outline.ordinal(head);
  const leaves = outline.leaves().map((id) => outline.ordinal(id));
  // Few lines, many nodes: one walk from each end, up to where another line joins.
  const uses = new Map<number, number>();
  const paths = leaves.map((leaf) => outline.path(leaf));
  for (const path of paths) for (const ordinal of path) uses.set(ordinal, (uses.get(ordinal) ?? 0) + 1);
  return paths.map((path) => {
    const own = path.filter((ordinal) => uses.get(ordinal) === 1);
    const isPrompt = (ordinal: number): boolean => has(outline.nodes[ordinal], OutlineFlag.user);
    const ownPrompt = own.findLast(isPrompt);
    const prompt = ownPrompt ?? path.findLast(isPrompt);
    const end = path.at(-1) ?? -1;
    const detail = preview(outline.nodes[end]);
    const named = own.findLast((ordinal) => labels[idOf(outline.nodes[ordinal])] !== undefined);
    const name = named === undefined ? undefined : labels[idOf(outline.nodes[named])];
    const mark = markOf(own.map((ordinal) => outline.nodes[ordinal]));
    return {
      leaf: idOf(outline.nodes[end]),
      label: preview(outline.nodes[prompt ?? end]) || detail,
      detail,
      isShown: path.includes(shown),
      messages: own.filter((ordinal) => has(outline.nodes[ordinal], OutlineFlag.user | OutlineFlag.assistant))
        .length,
      ...(name === undefined ? {} : { name }),
      ...(ownPrompt === undefined ? { isOtherAnswer: true as const } : {}),
      ...(mark === undefined ? {} : { mark }),
    };
  });
}

/** The newest end of the lines that go through an entry. */
export function leafBehind(nodes: readonly OutlineNode[], entry: string): string {
  const outline = new Outline(nodes);
  return idOf(outline.nodes[outline.newestLeaf(outline.ordinal(entry))]) || entry;
}

function markOf(own: readonly (OutlineNode | undefined)[]): Branch['mark'] {
  if (own.some((node) => has(node, OutlineFlag.recovered))) return 'damaged';
  return own.at(-1)?.[2] === 'incomplete_output' ? 'incomplete' : undefined;
}

const has = (node: OutlineNode | undefined, flags: number): boolean =>
  node !== undefined && (node[3] & flags) !== 0;
const idOf = (node: OutlineNode | undefined): string => node?.[0] ?? '';
const preview = (node: OutlineNode | undefined): string => node?.[4] ?? '';
