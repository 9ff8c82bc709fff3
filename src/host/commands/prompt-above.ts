import { Outline } from '../../shared/fold/outline.js';
import { OutlineFlag, type OutlineNode } from '../../shared/fold/types.js';

/** The last message of the person on the line to this entry, itself included; undefined where there is none. */
export function promptAbove(nodes: readonly OutlineNode[], entry: string): string | undefined {
  const outline = new Outline(nodes);
  const path = outline.path(outline.ordinal(entry)).map((ordinal) => outline.nodes[ordinal]);
  return path.findLast((node) => node !== undefined && (node[3] & OutlineFlag.user) !== 0)?.[0];
}
