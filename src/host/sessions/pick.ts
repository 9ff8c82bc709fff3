/** The pick list of sessions: newest first, filled page by page while it is open. */
import * as vscode from 'vscode';
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

interface SessionItem extends vscode.QuickPickItem, PickedSession {}

export async function pickSession(parts: PickParts): Promise<PickedSession | undefined> {
  const pick = vscode.window.createQuickPick<SessionItem>();
  pick.title = vscode.l10n.t('Switch Session');
  pick.placeholder = vscode.l10n.t('Type to filter by title');
  pick.matchOnDescription = true;
  pick.busy = true;
  let isOpen = true;
  const chosen = new Promise<PickedSession | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
      pick.hide();
    });
    pick.onDidHide(() => {
      isOpen = false;
      resolve(undefined);
    });
  });
  pick.show();
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
  const word = rowWord(summary, live?.run(), live?.agent.interrupted() != null);
  const age = relativeTime(summary.updated, now(), vscode.env.language);
  const kept = store.isEphemeral(summary.id) ? vscode.l10n.t('not kept') : '';
  const notes = [word, kept, summary.id === current ? vscode.l10n.t('on show') : '', age];
  return {
    id: summary.id,
    label: plainLabel(live?.title() ?? summary.title),
    description: notes.filter((note) => note !== '').join(' · '),
    iconPath: new vscode.ThemeIcon(rowIcons[word].icon),
  };
}
