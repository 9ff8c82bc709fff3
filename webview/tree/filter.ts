/** Which nodes of the conversation tree are shown: by filter, and in any case what a search finds and where one is. */
import type { Outline } from '../../src/shared/fold/outline.js';
import { OutlineFlag, type OutlineNode } from '../../src/shared/fold/types.js';

export const treeFilters = {
  messages: 'Without tools',
  prompts: 'Prompts only',
  labelled: 'Labelled only',
  all: 'Everything',
} as const;
export type TreeFilter = keyof typeof treeFilters;

const has = (node: OutlineNode, flags: number): boolean => (node[3] & flags) !== 0;

export interface Kept {
  filter: TreeFilter;
  head: string | null;
  labels: Readonly<Record<string, string>>;
  /** Ordinals that a search found. */
  found: ReadonlySet<number>;
}

export function keeps(outline: Outline, { filter, head, labels, found }: Kept): (ordinal: number) => boolean {
  return (ordinal) => {
    const node = outline.nodes[ordinal];
    if (node === undefined) return false;
    if (node[0] === head || found.has(ordinal) || labels[node[0]] !== undefined) return true;
    switch (filter) {
      case 'all':
        return true;
      case 'labelled':
        return false;
      // The end of a line is the way to it.
      case 'prompts':
        return has(node, OutlineFlag.user) || outline.isLeaf(ordinal);
      case 'messages':
        return !has(node, OutlineFlag.tool | OutlineFlag.calls) || outline.isLeaf(ordinal);
    }
  };
}

/** Ordinals of the nodes whose first words or label hold `query`, in the order of the file. */
export function find(
  outline: Outline,
  labels: Readonly<Record<string, string>>,
  query: string,
): ReadonlySet<number> {
  const wanted = query.trim().toLocaleLowerCase();
  const found = new Set<number>();
  if (wanted === '') return found;
  outline.nodes.forEach(([id, , , , preview], ordinal) => {
    const text = `${labels[id] ?? ''}\n${preview}`.toLocaleLowerCase();
    if (text.includes(wanted)) found.add(ordinal);
  });
  return found;
}
