/** Commands that look after the session files: verify, prune, relink. What deletes says first what it would delete. */
import * as vscode from 'vscode';
import type { PrunePolicy, PruneReport } from '../../log/upkeep.js';
import type { Reports } from '../reports.js';
import type { OtherFolders } from '../sessions/other-folders.js';
import { describePrune, isNothing } from '../sessions/prune-words.js';
import type { SessionsTree } from '../sessions/tree.js';
import type { Chats } from '../chat/chats.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { reportFindings } from '../sessions/verify-report.js';
import type { WindowStore } from '../sessions/window-store.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { signalOf } from './copies.js';

export interface UpkeepCommandParts {
  store: WindowStore;
  sessions: OpenSessions;
  chats: Pick<Chats, 'hasView'>;
  folders: OtherFolders;
  tree: SessionsTree;
  reports: Reports;
  tell: Teller;
  /** As the settings `retention.*` have it. */
  retention: () => PrunePolicy;
  now: () => number;
}

type Name = `bough.session.${'verify' | 'prune' | 'relink'}`;

export function upkeepCommands(parts: UpkeepCommandParts): Pick<Commands, Name> {
  return {
    'bough.session.verify': () => verify(parts, false),
    'bough.session.prune': (policy) => prune(parts, policy),
    'bough.session.relink': (key) => parts.folders.relink(key),
  };
}

const REPORT = 'Session Files.md';

async function verify(parts: UpkeepCommandParts, repair: boolean): Promise<void> {
  const { store, tree, reports, tell, now } = parts;
  const title = repair
    ? vscode.l10n.t('Mending session files…')
    : vscode.l10n.t('Looking through the session files…');
  const found = await withProgress(title, (signal) => store.verify({ repair, signal }));
  const at = new Date(now()).toLocaleString(vscode.env.language);
  const { text, troubles, repaired } = reportFindings(found, at);
  tree.refresh();
  await reports.show(REPORT, text);
  if (repair) {
    tell.info(
      repaired === 0
        ? vscode.l10n.t('Nothing could be mended without losing something. All files stay as they are.')
        : vscode.l10n.t('Mended: {0}. The report says what.', repaired),
    );
  } else if (troubles === 0) tell.info(vscode.l10n.t('All session files are in order.'));
  else {
    tell.info(
      vscode.l10n.t(
        'Session files that are not in order: {0}. What can be mended without losing a byte can be mended now.',
        troubles,
      ),
      { [vscode.l10n.t('Repair')]: () => verify(parts, true) },
    );
  }
}

async function prune(parts: UpkeepCommandParts, given: unknown): Promise<void> {
  const { store, sessions, tree, tell } = parts;
  const isOpen = (id: string): boolean => sessions.peek(id) !== undefined;
  const policy = policyOf(given) ?? stated(parts.retention()) ?? (await pickPolicy());
  if (policy === undefined) return;
  await letRest(parts);
  const title = vscode.l10n.t('Looking for sessions to delete…');
  const would = await withProgress(title, (signal) => store.prune(policy, { dryRun: true, isOpen, signal }));
  if (would.every(isNothing)) return tell.info(vscode.l10n.t('There is nothing to delete.'));
  if (!(await isWanted(would))) return;
  const done = await withProgress(vscode.l10n.t('Deleting…'), (signal) =>
    store.prune(policy, { isOpen, signal }),
  );
  tree.refresh();
  tell.info(vscode.l10n.t('Deleted: {0}.', describePrune(done).short));
}

/** What was only opened once is not in use. */
async function letRest({ sessions, chats }: UpkeepCommandParts): Promise<void> {
  const resting = sessions.all().filter((session) => session.mayRest && !chats.hasView(session.agent.log.id));
  for (const session of resting) await sessions.letGo(session.agent.log.id);
}

async function isWanted(would: readonly PruneReport[]): Promise<boolean> {
  const yes = vscode.l10n.t('Delete');
  const { short, detail } = describePrune(would);
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete {0}?', short),
    { modal: true, detail },
    yes,
  );
  return answer === yes;
}

const ages = ['sessionIdle', 'completedGoalAge', 'detachedResultAge'] as const;
const DAY_MS = 86_400_000;

/** Given by another extension or a key binding: ages in milliseconds. */
function policyOf(given: unknown): PrunePolicy | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const fields = Object.entries(given).filter(
    (field): field is [(typeof ages)[number], number] =>
      ages.some((age) => age === field[0]) && typeof field[1] === 'number',
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** Undefined when retention is off. */
function stated(policy: PrunePolicy): PrunePolicy | undefined {
  return ages.some((age) => (policy[age] ?? 0) !== 0) ? policy : undefined;
}

async function pickPolicy(): Promise<PrunePolicy | undefined> {
  const idle = (days: number) => ({ sessionIdle: days * DAY_MS });
  const items: (vscode.QuickPickItem & { policy: PrunePolicy })[] = [
    ...[30, 90, 365].map((days) => ({
      label: vscode.l10n.t('Sessions that were not used for {0} days', days),
      policy: idle(days),
    })),
    {
      label: vscode.l10n.t('Stored texts and side files that no session names any more'),
      policy: { detachedResultAge: DAY_MS },
    },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Prune Sessions'),
    placeHolder: vscode.l10n.t('You will see what would be deleted, with its size, before anything is.'),
  });
  return picked?.policy;
}

function withProgress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
  return Promise.resolve(vscode.window.withProgress(options, (_, token) => work(signalOf(token))));
}
