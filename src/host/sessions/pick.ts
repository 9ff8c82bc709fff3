/** The pick list of sessions: newest first, filled page by page while it is open. */
import * as vscode from 'vscode';
import { showList } from '../asks.js';
import type { SessionSummary } from '../../log/store.js';
import { plainLabel } from '../labels.js';
import { branchPickItems } from './branch-items.js';
import type { OpenSessions } from './open-sessions.js';
import { relativeTime, rowIcons, rowWord } from './rows.js';
import type { WindowStore } from './window-store.js';

export interface PickParts {
  store: WindowStore;
  sessions: OpenSessions;
  now: () => number;
  /** The one on show is told apart. */
  current: string;
}

/** A session, or the end of a line of the one on show. */
export interface PickedSession {
  id: string;
  leaf?: string;
}

interface SessionItem extends vscode.QuickPickItem, PickedSession {
  /** Says something; choosing it does nothing. */
  isWords?: true;
}

export async function pickSession(parts: PickParts): Promise<PickedSession | undefined> {
  const pick = vscode.window.createQuickPick<SessionItem>();
  pick.title = vscode.l10n.t('Switch Session');
  pick.placeholder = vscode.l10n.t('Type to filter by title');
  pick.matchOnDescription = true;
  pick.busy = true;
  let isOpen = true;
  pick.onDidChangeValue(() => sayWhenNone(pick));
  const chosen = new Promise<PickedSession | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [picked] = pick.selectedItems;
      if (picked?.isWords === true) return;
      resolve(picked);
      pick.hide();
    });
    pick.onDidHide(() => {
      isOpen = false;
      resolve(undefined);
    });
  });
  showList(pick);
  try {
    await fill(pick, parts, () => isOpen);
    return await chosen;
  } finally {
    pick.dispose();
  }
}

async function fill(
  pick: vscode.QuickPick<SessionItem>,
  parts: PickParts,
  isOpen: () => boolean,
): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await parts.store.list({
      archived: 'all',
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (!isOpen()) return;
    pick.items = [...pick.items, ...page.sessions.map((summary) => itemOf(summary, parts))];
    ({ cursor } = page);
  } while (cursor !== undefined);
  pick.busy = false;
  pick.items = [...pick.items, ...branchItems(parts)];
  if (pick.items.length === 0) pick.placeholder = vscode.l10n.t('There are no sessions yet');
  sayWhenNone(pick);
}

/** A row of words while nothing in the list has what is typed: an empty box looks as if it were still filling. */
function sayWhenNone(pick: vscode.QuickPick<SessionItem>): void {
  const typed = pick.value.trim().toLowerCase();
  const rows = pick.items.filter(({ isWords }) => isWords !== true);
  const hasIt = ({ label, description = '' }: SessionItem): boolean =>
    [label, description].some((text) => text.toLowerCase().includes(typed));
  if (typed === '' || pick.busy || rows.some(hasIt)) {
    if (rows.length < pick.items.length) pick.items = rows;
    return;
  }
  const label = plainLabel(vscode.l10n.t('No title has “{0}” in it', pick.value.trim()));
  const detail = vscode.l10n.t('Filter Sessions… in the list of sessions looks in what was said, too.');
  pick.items = [...rows, { id: '', label, detail, alwaysShow: true, isWords: true }];
}

/** Every line of the conversation on show, when there are several. */
function branchItems({ sessions, current }: PickParts): SessionItem[] {
  const agent = sessions.peekReadable(current)?.agent;
  const branches = agent === undefined ? [] : branchPickItems(agent);
  if (branches.length < 2) return [];
  const label = vscode.l10n.t('Branches of the conversation on show');
  return [
    { id: '', label, kind: vscode.QuickPickItemKind.Separator },
    ...branches.map((item) => ({ ...item, id: current })),
  ];
}

function itemOf(summary: SessionSummary, { store, sessions, now, current }: PickParts): SessionItem {
  const live = sessions.peekReadable(summary.id);
  const word = rowWord(summary, live?.run(), live?.interrupted() != null);
  const age = relativeTime(summary.updated, now(), vscode.env.language);
  const kept = store.isEphemeral(summary.id) ? vscode.l10n.t('not kept') : '';
  const copied = summary.origin === undefined ? '' : vscode.l10n.t('a copy');
  const notes = [word, copied, kept, summary.id === current ? vscode.l10n.t('on show') : '', age];
  return {
    id: summary.id,
    label: plainLabel(live?.title() ?? summary.title),
    description: notes.filter((note) => note !== '').join(' · '),
    iconPath: new vscode.ThemeIcon(rowIcons[word].icon),
  };
}
