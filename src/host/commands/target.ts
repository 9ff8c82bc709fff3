/**
 * What a command is about: the row it was called on, an id, the focused row of the list, a message or node of a chat
 * whose menu it was chosen from, or the chat's own session.
 */
import { menuPlaceSchema } from '../../shared/menu-place.js';
import { TAB, type Surface } from '../chat/html.js';
import type { TreeNode } from '../sessions/tree-node.js';

export interface Targets {
  /** The row with the focus in the list of sessions. */
  selected: () => TreeNode | undefined;
  /** The session of the chat that has the focus. */
  current: () => Promise<string>;
}

/** Given by the key bindings of the list, which cannot name a row. */
const SELECTION = { row: 'focused' } as const;

export async function sessionOf(target: unknown, { selected, current }: Targets): Promise<string> {
  if (typeof target === 'string' && target !== '') return target;
  if (isRecord(target) && target['row'] === SELECTION.row) return sessionOfNode(selected()) ?? current();
  return placeOf(target)?.session ?? sessionOfNode(target) ?? current();
}

/** A message, or a node of the conversation tree, and the chat whose menu was opened on it. */
export interface Place {
  session: string;
  entry: string;
  /** It stands on the line that is shown. */
  isOnLine: boolean;
  surface: Surface;
}

export function placeOf(target: unknown): Place | undefined {
  const read = menuPlaceSchema.safeParse(target);
  if (!read.success) return undefined;
  const { boughSession: session, boughEntry: entry, boughOnLine: isOnLine } = read.data;
  return {
    session,
    entry,
    isOnLine,
    surface: isRecord(target) && target['webview'] === TAB ? 'tab' : 'view',
  };
}

/** The branch that a command was called on: its session and the end of its line. */
export function branchOf(target: unknown): { session: string; leaf: string } | undefined {
  if (!isRecord(target) || target['kind'] !== 'branch' || typeof target['session'] !== 'string')
    return undefined;
  const { session, branch } = target;
  return isRecord(branch) && typeof branch['leaf'] === 'string'
    ? { session, leaf: branch['leaf'] }
    : undefined;
}

function sessionOfNode(node: unknown): string | undefined {
  if (!isRecord(node)) return undefined;
  if (node['kind'] === 'branch' && typeof node['session'] === 'string') return node['session'];
  const summary = node['kind'] === 'session' ? node['summary'] : undefined;
  return isRecord(summary) && typeof summary['id'] === 'string' ? summary['id'] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
