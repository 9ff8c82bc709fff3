/** Rows of the list that are no sessions: groups, what there is more of, and why some cannot be listed. */
import * as vscode from 'vscode';
import type { GroupName } from './rows.js';
import type { TreeNode } from './tree-node.js';

export function groupItem({ name, rows }: Extract<TreeNode, { kind: 'group' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(groupTitle(name), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group:${name}`;
  item.contextValue = 'group';
  item.accessibilityInformation = {
    label:
      rows.length === 1
        ? vscode.l10n.t('{0}, 1 session', groupTitle(name))
        : vscode.l10n.t('{0}, {1} sessions', groupTitle(name), rows.length),
  };
  return item;
}

function groupTitle(name: GroupName): string {
  switch (name) {
    case 'today':
      return vscode.l10n.t('Today');
    case 'yesterday':
      return vscode.l10n.t('Yesterday');
    case 'week':
      return vscode.l10n.t('Last 7 Days');
    case 'month':
      return vscode.l10n.t('Last 30 Days');
    case 'older':
      return vscode.l10n.t('Older');
  }
}

/** In sight as long as it is so: a list that hides sessions does not look whole. */
export function failingItem(messages: readonly string[]): vscode.TreeItem {
  const label = vscode.l10n.t('Some sessions cannot be listed');
  const item = new vscode.TreeItem(label);
  item.id = 'failing';
  item.contextValue = 'failing';
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.tooltip = messages.join('\n');
  item.accessibilityInformation = { label: [label, ...messages].join(' ') };
  item.command = { command: 'bough.log.show', title: vscode.l10n.t('Show Log') };
  return item;
}

/** Rows of which nothing but the file is known are not all there is to know. */
export function unreadItem(count: number): vscode.TreeItem {
  const label =
    count === 1 ? vscode.l10n.t('1 session is not read') : vscode.l10n.t('{0} sessions are not read', count);
  const goOn = vscode.l10n.t('Read On');
  const item = new vscode.TreeItem(label);
  item.id = 'unread';
  item.contextValue = 'unread';
  item.description = goOn;
  item.iconPath = new vscode.ThemeIcon('debug-pause');
  item.tooltip = vscode.l10n.t(
    'Reading them was stopped. They are shown by the names of their files; each can be opened.',
  );
  item.accessibilityInformation = { label: `${label}. ${goOn}` };
  item.command = { command: 'bough.session.readOn', title: goOn };
  return item;
}

/** A filter that hides everything does not look like a list that is empty. */
export function noneItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('None'));
  item.id = 'none';
  item.contextValue = 'none';
  item.description = vscode.l10n.t('Show All');
  item.iconPath = new vscode.ThemeIcon('clear-all');
  item.tooltip = vscode.l10n.t('No session is as the filter wants it. Show all.');
  item.accessibilityInformation = { label: vscode.l10n.t('No session is as the filter wants it. Show all.') };
  item.command = {
    command: 'bough.session.filter',
    title: vscode.l10n.t('Show All'),
    arguments: ['all'],
  };
  return item;
}

export function moreItem({ count, session }: Extract<TreeNode, { kind: 'more' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(
    session === undefined ? vscode.l10n.t('Show More') : vscode.l10n.t('Show More Branches ({0})', count),
  );
  item.id = session === undefined ? 'more' : `more:${session}`;
  item.contextValue = 'more';
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.command = {
    command: 'bough.session.more',
    title: vscode.l10n.t('Show More'),
    arguments: session === undefined ? [] : [session],
  };
  return item;
}
