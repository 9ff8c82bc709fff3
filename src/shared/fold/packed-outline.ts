/**
 * The outline as a snapshot carries it: a column for each part of the nodes. A session has as many nodes as messages, and
 * columns cross to the view in a fraction of the time that as many small arrays take.
 */
import type { ConversationType } from '../entry.js';
import { Outline, ROOT } from './outline.js';
import type { OutlineNode } from './types.js';

export interface PackedOutline {
  ids: string[];
  /** Ordinals, −1 at a root; each stands before its node. */
  parents: number[];
  /** Indexes into {@link TYPES}. */
  types: number[];
  flags: number[];
  /** One a line, as many as nodes. */
  previews: string;
}

const TYPES = [
  'message',
  'incomplete_output',
  'compaction',
  'branch_summary',
  'skill_load',
] as const satisfies readonly ConversationType[];

export function packOutline(nodes: readonly OutlineNode[]): PackedOutline {
  return {
    ids: nodes.map(([id]) => id),
    parents: nodes.map(([, parent]) => parent),
    types: nodes.map(([, , type]) => TYPES.indexOf(type)),
    flags: nodes.map(([, , , flags]) => flags),
    previews: nodes.map(([, , , , preview]) => preview).join('\n'),
  };
}

/** Takes what {@link isPackedOutline} let pass; the nodes are put together when one is asked for. */
export function unpackOutline({ ids, parents, types, flags, previews }: PackedOutline): Outline {
  let words: string[] | undefined;
  const nodeOf = (id: string, at: number): OutlineNode => [
    id,
    parents[at] ?? ROOT,
    TYPES[types[at] ?? 0] ?? TYPES[0],
    flags[at] ?? 0,
    (words ??= previews.split('\n'))[at] ?? '',
  ];
  return Outline.of({
    parents: Int32Array.from(parents),
    nodes: () => ids.map(nodeOf),
    node: (at) => (ids[at] === undefined ? undefined : nodeOf(ids[at], at)),
  });
}

const isColumn = (value: unknown, length: number, least: number, most: (at: number) => number): boolean =>
  Array.isArray(value) &&
  value.length === length &&
  value.every((one, at) => Number.isInteger(one) && one >= least && one <= most(at));

/** Nothing is made of it, and each part is looked at by hand: the first picture waits for it. */
export function isPackedOutline(value: unknown): value is PackedOutline {
  if (typeof value !== 'object' || value === null) return false;
  const { ids, parents, types, flags, previews } = value as Partial<Record<keyof PackedOutline, unknown>>;
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) return false;
  return (
    isColumn(parents, ids.length, ROOT, (at) => at - 1) &&
    isColumn(types, ids.length, 0, () => TYPES.length - 1) &&
    isColumn(flags, ids.length, 0, () => Number.MAX_SAFE_INTEGER) &&
    typeof previews === 'string'
  );
}
