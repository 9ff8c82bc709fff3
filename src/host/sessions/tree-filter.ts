/** Which sessions the list shows. */
import * as vscode from 'vscode';
import { showList } from '../asks.js';
import type { ListQuery } from '../../log/store.js';

export interface TreeFilter {
  archived: 'all' | boolean;
  /** Part of the title, or of what was said; empty for all. */
  text: string;
}

export const noFilter: TreeFilter = { archived: 'all', text: '' };

export const queryOf = ({ archived, text }: TreeFilter): ListQuery => ({
  archived,
  ...(text === '' ? {} : { text }),
});

/** What the list says above its rows; undefined when it shows all. */
export function filterWords({ archived, text }: TreeFilter): string | undefined {
  if (text !== '') return vscode.l10n.t('Only sessions whose title or text has “{0}”', text);
  if (archived === 'all') return undefined;
  return archived ? vscode.l10n.t('Only archived sessions') : vscode.l10n.t('Without archived sessions');
}

interface FilterItem extends vscode.QuickPickItem {
  /** Absent: choosing it does nothing. */
  filter?: TreeFilter;
}

/** What is typed is a part of the title or of what was said. Undefined: the person chose nothing. */
export async function pickFilter(current: TreeFilter): Promise<TreeFilter | undefined> {
  const pick = vscode.window.createQuickPick<FilterItem>();
  pick.title = vscode.l10n.t('Filter Sessions');
  pick.placeholder = filterWords(current) ?? vscode.l10n.t('Type a part of the title or the text, or choose');
  const offer = (typed: string): void => {
    pick.items = itemsFor(typed.trim(), current);
    const first = pick.items.find(({ filter }) => typed.trim() !== '' || isSame(filter, current));
    pick.activeItems = first === undefined ? [] : [first];
  };
  offer('');
  try {
    return await new Promise<TreeFilter | undefined>((resolve) => {
      pick.onDidChangeValue(offer);
      pick.onDidAccept(() => {
        const filter = chosenFilter(pick.selectedItems[0], pick.value.trim());
        if (filter === undefined) return;
        resolve(filter);
        pick.hide();
      });
      pick.onDidHide(() => resolve(undefined));
      showList(pick);
    });
  } finally {
    pick.dispose();
  }
}

/** Who types faster than items come back from here has chosen none: what is typed counts. */
function chosenFilter(item: FilterItem | undefined, typed: string): TreeFilter | undefined {
  if (item?.filter !== undefined) return item.filter;
  return typed === '' ? undefined : { archived: 'all', text: typed };
}

/** Each always has the same place: the editor knows them by it. */
function itemsFor(typed: string, current: TreeFilter): FilterItem[] {
  const text = typed === '' ? current.text : typed;
  const items: FilterItem[] = [
    // The editor would leave out what its own search does not find.
    text === ''
      ? { label: vscode.l10n.t('Type a part of the title or the text'), alwaysShow: true }
      : {
          label: vscode.l10n.t('Title or text has “{0}”', text),
          alwaysShow: true,
          filter: { archived: 'all', text },
        },
    { label: vscode.l10n.t('All sessions'), filter: noFilter },
    { label: vscode.l10n.t('Without archived'), filter: { archived: false, text: '' } },
    { label: vscode.l10n.t('Archived only'), filter: { archived: true, text: '' } },
  ];
  const isMeant = ({ label }: FilterItem): boolean =>
    typed !== '' && label.toLowerCase().includes(typed.toLowerCase());
  return items.map((item) => ({
    ...item,
    // Beside the search for what is typed, whatever the editor makes of rows that change while it filters them.
    ...(isMeant(item) ? { alwaysShow: true } : {}),
    ...(isSame(item.filter, current) ? { description: vscode.l10n.t('shown now') } : {}),
  }));
}

const isSame = (a: TreeFilter | undefined, b: TreeFilter): boolean =>
  a?.archived === b.archived && a.text === b.text;
