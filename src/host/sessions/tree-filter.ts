/** Which sessions the list shows. */
import * as vscode from 'vscode';
import type { ListQuery } from '../../log/store.js';

export interface TreeFilter {
  archived: 'all' | boolean;
  /** Part of the title; empty for all. */
  text: string;
}

export const noFilter: TreeFilter = { archived: 'all', text: '' };

export const queryOf = ({ archived, text }: TreeFilter): ListQuery => ({
  archived,
  ...(text === '' ? {} : { text }),
});

/** What the list says above its rows; undefined when it shows all. */
export function filterWords({ archived, text }: TreeFilter): string | undefined {
  if (text !== '') return vscode.l10n.t('Only sessions whose title has "{0}"', text);
  if (archived === 'all') return undefined;
  return archived ? vscode.l10n.t('Only archived sessions') : vscode.l10n.t('Without archived sessions');
}

/** Undefined: the person chose nothing. */
export async function pickFilter(current: TreeFilter): Promise<TreeFilter | undefined> {
  const byTitle = vscode.l10n.t('By title…');
  const items: (vscode.QuickPickItem & { archived: TreeFilter['archived'] })[] = [
    { label: vscode.l10n.t('All sessions'), archived: 'all' },
    { label: vscode.l10n.t('Without archived'), archived: false },
    { label: vscode.l10n.t('Archived only'), archived: true },
    { label: byTitle, archived: 'all' },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Filter Sessions'),
    placeHolder: filterWords(current) ?? vscode.l10n.t('What the list shows'),
  });
  if (picked === undefined) return undefined;
  if (picked.label !== byTitle) return { archived: picked.archived, text: '' };
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter Sessions'),
    prompt: vscode.l10n.t('A part of the title'),
    value: current.text,
  });
  return text === undefined ? undefined : { archived: 'all', text: text.trim() };
}
