/** Registers the list of sessions; its rows come when the rest is loaded. */
import * as vscode from 'vscode';
import type { SessionsTree, TreeNode } from './tree.js';

export interface SessionsView extends vscode.Disposable {
  /** The row with the focus. */
  selected: () => TreeNode | undefined;
}

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
  const view = vscode.window.createTreeView('bough.sessions', { treeDataProvider: provider });
  return {
    selected: () => view.selection[0],
    dispose: () => {
      view.dispose();
      changed.dispose();
    },
  };
}
