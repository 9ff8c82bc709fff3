/** Registers the list of sessions; its rows come when the rest is loaded. */
import * as vscode from 'vscode';
import type { Chats } from '../chat/chats.js';
import { filterWords } from './tree-filter.js';
import type { SessionsTree, TreeNode } from './tree.js';

export interface SessionsView extends vscode.Disposable {
  /** How many sessions need the person: a badge on the icon of the view, seen while the view is hidden too. */
  showNeeds: (count: number) => void;
  /** The row with the focus. */
  selected: () => TreeNode | undefined;
  /** The rows were read anew. */
  onGiven: vscode.Event<void>;
  /** Selects the row of the session that is on show; false when the list is not in sight or has no such row. */
  mark: (session: string) => Promise<boolean>;
  /** A sentence above the rows. */
  say: (words: string | undefined) => void;
}

const needs = (count: number): string =>
  count === 1 ? vscode.l10n.t('1 session needs you') : vscode.l10n.t('{0} sessions need you', count);

export function registerSessionsView(load: () => Promise<{ tree: SessionsTree }>): SessionsView {
  const changed = new vscode.EventEmitter<TreeNode | undefined>();
  const given = new vscode.EventEmitter<void>();
  let known: SessionsTree | undefined;
  const tree = async (): Promise<SessionsTree> => {
    if (known) return known;
    const { tree: found } = await load();
    if (known === undefined) found.onDidChangeTreeData((node) => changed.fire(node));
    known = found;
    return found;
  };
  const provider: vscode.TreeDataProvider<TreeNode> = {
    onDidChangeTreeData: changed.event,
    getChildren: async (node) => {
      const rows = await (await tree()).getChildren(node);
      if (node === undefined) given.fire();
      return rows;
    },
    getTreeItem: async (node) => (await tree()).getTreeItem(node),
    getParent: async (node) => (await tree()).getParent(node),
  };
  const view = vscode.window.createTreeView('bough.sessions', { treeDataProvider: provider });
  return {
    onGiven: given.event,
    mark: async (id) => {
      const row = view.visible ? known?.rowOf(id) : undefined;
      if (!row) return false;
      if (!isRowOf(view.selection[0], id)) await view.reveal(row, { select: true, focus: false });
      return true;
    },
    say: (words) => {
      view.message = words ?? '';
    },
    selected: () => view.selection[0],
    showNeeds: (count) => {
      view.badge = count === 0 ? undefined : { value: count, tooltip: needs(count) };
    },
    dispose: () => {
      view.dispose();
      changed.dispose();
      given.dispose();
    },
  };
}

/** The row of the session on show is selected, and a filter is said above the rows. */
export function keepListInStep(parts: {
  list: SessionsView;
  tree: SessionsTree;
  chats: Pick<Chats, 'onChange' | 'peekCurrent'>;
  onError: (error: unknown) => void;
}): vscode.Disposable {
  const { list, tree, chats, onError } = parts;
  let marked: string | undefined;
  const mark = () => {
    const shown = chats.peekCurrent();
    if (shown === undefined || shown === marked) return;
    list.mark(shown).then((isMarked) => {
      if (isMarked) marked = shown;
    }, onError);
  };
  return vscode.Disposable.from(
    chats.onChange(mark),
    list.onGiven(mark),
    tree.onDidFilter((filter) => list.say(filterWords(filter))),
  );
}

/** Its own row, or that of one of its branches. */
function isRowOf(node: TreeNode | undefined, id: string): boolean {
  if (node?.kind === 'session') return node.summary.id === id;
  return node?.kind === 'branch' && node.session === id;
}
