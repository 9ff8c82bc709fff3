/** Registers the list of sessions; its rows come when the rest is loaded. */
import * as vscode from 'vscode';
import { registerOnShow } from './on-show.js';
import type { SessionsTree, TreeNode } from './tree.js';

export interface SessionsView extends vscode.Disposable {
  /** How many sessions need the person: a badge on the icon of the view, seen while the view is hidden too. */
  showNeeds: (count: number) => void;
  /** The row with the focus. */
  selected: () => TreeNode | undefined;
  /** A sentence above the rows. */
  say: (words: string | undefined) => void;
}

const needs = (count: number): string =>
  count === 1 ? vscode.l10n.t('1 session needs you') : vscode.l10n.t('{0} sessions need you', count);

export function registerSessionsView(load: () => Promise<{ tree: SessionsTree }>): SessionsView {
  const changed = new vscode.EventEmitter<TreeNode | undefined>();
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
    getChildren: async (node) => (await tree()).getChildren(node),
    getTreeItem: async (node) => (await tree()).getTreeItem(node),
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
