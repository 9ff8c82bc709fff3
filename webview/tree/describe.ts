/** How a node of the conversation tree reads: an icon, who speaks or what happened, and what is special about it. */
import { OutlineFlag, type OutlineNode } from '../../src/shared/fold/types.js';

export interface NodeWords {
  icon: string;
  /** Who or what, for screen readers. */
  kind: string;
  text: string;
  /** Something a person should know before going there. */
  mark: { icon: string; words: string } | null;
}

function kindOf(node: OutlineNode): { icon: string; kind: string } {
  const [, , type, flags] = node;
  switch (type) {
    case 'message':
      if ((flags & OutlineFlag.user) !== 0) return { icon: 'comment', kind: 'You' };
      if ((flags & OutlineFlag.tool) !== 0) return { icon: 'output', kind: 'Result' };
      if ((flags & OutlineFlag.system) !== 0) return { icon: 'gear', kind: 'System' };
      return (flags & OutlineFlag.calls) !== 0
        ? { icon: 'tools', kind: 'Tools' }
        : { icon: 'sparkle', kind: 'Answer' };
    case 'incomplete_output':
      return { icon: 'debug-disconnect', kind: 'Incomplete answer' };
    case 'compaction':
      return { icon: 'fold', kind: 'Summary of what stands above' };
    case 'branch_summary':
      return { icon: 'git-merge', kind: 'Summary of a branch' };
    case 'skill_load':
      return { icon: 'book', kind: 'Skill' };
  }
}

function markOf([, , type, flags]: OutlineNode): NodeWords['mark'] {
  if ((flags & OutlineFlag.recovered) !== 0)
    return { icon: 'warning', words: 'What stood before it could not be read' };
  if (type === 'incomplete_output') return { icon: 'warning', words: 'It was never finished' };
  if ((flags & OutlineFlag.error) !== 0) return { icon: 'error', words: 'It failed' };
  return null;
}

export const wordsOf = (node: OutlineNode): NodeWords => ({
  ...kindOf(node),
  text: node[4],
  mark: markOf(node),
});
