/** Registers the list of sessions; its rows come when the rest is loaded. */
import * as vscode from 'vscode';
import { registerOnShow } from './on-show.js';
import { filterWords } from './tree-filter.js';
import type { TreeNode } from './tree-node.js';
import type { SessionsTree } from './tree.js';

export interface SessionsView extends vscode.Disposable {
  /** How many sessions need the person: a badge on the icon of the view, seen while the view is hidden too. */
  showNeeds: (count: number) => void;
  /** The row with the focus. */
  selected: () => TreeNode | undefined;
  isVisible: () => boolean;
  /** It came into sight or went out of it. */
  onView: (listener: () => void) => vscode.Disposable;
  /** A sentence above the rows. */
  say: (words: string | undefined) => void;
}

const needs = (count: number): string =>
  count === 1 ? vscode.l10n.t('1 session needs you') : vscode.l10n.t('{0} sessions need you', count);

/** `onError` is told of what went wrong and is no failure of what the person asked for. */
export function registerSessionsView(
  load: () => Promise<{ tree: SessionsTree }>,
  onError: (error: unknown) => void,
): SessionsView {
  const changed = new vscode.EventEmitter<TreeNode | undefined>();
  let known: SessionsTree | undefined;
  const tree = async (): Promise<SessionsTree> => {
    if (known) return known;
    const { tree: found } = await load();
    if (known === undefined) {
      found.onDidChangeTreeData((node) => changed.fire(node));
      // By then the row may be gone.
      found.onDidShowMore((first) =>
        view.reveal(first, { select: false, focus: true }).then(undefined, onError),
      );
    }
    known = found;
    return found;
  };
  const provider: vscode.TreeDataProvider<TreeNode> = {
    onDidChangeTreeData: changed.event,
    getChildren: async (node) => {
      const found = await tree();
      const rows = await found.getChildren(node);
      if (node === undefined) sayNone(rows.length === 0 && filterWords(found.filter) === undefined);
      return rows;
    },
    getTreeItem: async (node) => (await tree()).getTreeItem(node),
    getParent: (node) => known?.getParent(node),
  };
  // Only a list that was read is known to be empty: before that, and while the extension host comes back, nothing is said.
  let isNone: boolean | undefined;
  const sayNone = (none: boolean): void => {
    if (none === isNone) return;
    isNone = none;
    void vscode.commands.executeCommand('setContext', 'bough.sessions.none', none);
  };
  const view = vscode.window.createTreeView('bough.sessions', {
    treeDataProvider: provider,
    // Two branches are compared.
    canSelectMany: true,
    showCollapseAll: true,
  });
  const mark = registerOnShow();
  return {
    say: (words) => {
      view.message = words ?? '';
    },
    isVisible: () => view.visible,
    onView: (listener) => view.onDidChangeVisibility(() => listener()),
    selected: () => view.selection[0],
    showNeeds: (count) => {
      view.badge = count === 0 ? undefined : { value: count, tooltip: needs(count) };
    },
    dispose: () => {
      view.dispose();
      mark.dispose();
      changed.dispose();
    },
  };
}
