/** Commands that look after the session files: verify, prune, relink. What deletes says first what it would delete. */
import * as vscode from 'vscode';
import type { PrunePolicy, PruneReport } from '../../log/upkeep.js';
import { asks } from '../asks.js';
import type { Reports } from '../reports.js';
import type { OtherFolders } from '../sessions/other-folders.js';
import { describePrune, isNothing, youngWords } from '../sessions/prune-words.js';
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
  const { text, troubles, repaired, mendable } = reportFindings(found, at);
  tree.refresh();
  for (const log of found.flatMap(({ logs }) => logs)) parts.sessions.peek(log.id)?.takeFound(log.damage);
  await reports.show(REPORT, text);
  if (repair) {
    const stays = vscode.l10n.t('Not in order and left as it is: {0}.', troubles);
    const done =
      repaired === 0
        ? vscode.l10n.t('Nothing could be mended without losing something.')
        : vscode.l10n.t('Mended: {0}. The report says what.', repaired);
    tell.info(troubles === 0 ? done : `${done} ${stays}`);
  } else if (troubles === 0) tell.info(vscode.l10n.t('All session files are in order.'));
  else {
    const upset = vscode.l10n.t('Session files that are not in order: {0}.', troubles);
    if (mendable === 0)
      tell.info(
        `${upset} ${vscode.l10n.t('Nothing of it can be mended without losing something; all files stay as they are.')}`,
      );
    else
      tell.info(
        `${upset} ${vscode.l10n.t('{0} of these can be repaired now; nothing is lost by it.', mendable)}`,
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
  if (would.every(isNothing))
    return tell.info([vscode.l10n.t('There is nothing to delete.'), ...youngWords(would)].join(' '));
  if (!(await isWanted(would))) return;
  const done = await withProgress(vscode.l10n.t('Deleting…'), (signal) =>
    store.prune(policy, { isOpen, signal }),
  );
  tree.refresh();
  const ids = new Set(done.flatMap((report) => report.sessions.map(({ id }) => id)));
  const said = [vscode.l10n.t('Deleted: {0}.', describePrune(done).short), ...youngWords(done)].join(' ');
  const restorable = ids.size === 0 ? [] : (await store.deleted()).filter(({ id }) => ids.has(id));
  if (restorable.length === 0) return tell.info(said);
  tell.info(said, {
    [vscode.l10n.t('Undo')]: async () => {
      // The newest of each: one of the same id may have been deleted before.
      for (const { id, restore } of restorable) if (ids.delete(id)) await restore();
      tree.refresh();
    },
  });
}

/** What was only opened once is not in use. */
async function letRest({ sessions, chats }: UpkeepCommandParts): Promise<void> {
  const resting = sessions.all().filter((session) => session.mayRest && !chats.hasView(session.agent.log.id));
  for (const session of resting) await sessions.letGo(session.agent.log.id);
}

async function isWanted(would: readonly PruneReport[]): Promise<boolean> {
  const yes = vscode.l10n.t('Delete');
  const { short, detail } = describePrune(would);
  const isTrashed = would.some(({ sessions }) => sessions.length > 0);
  const isForGood = would.some(({ goals, results }) => goals.length + results.length > 0);
  const undo = [
    ...(isTrashed
      ? [
          vscode.l10n.t(
            'Sessions go to the trash for 7 days: you can undo this, or use Restore Deleted Session…; their space is free after that.',
          ),
        ]
      : []),
    ...(isForGood ? [vscode.l10n.t('Left-over files and what goals kept are deleted for good.')] : []),
  ].join(' ');
  const answer = await asks.showWarningMessage(
    vscode.l10n.t('Delete {0}?', short),
    { modal: true, detail: `${detail}\n\n${undo}` },
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
      label: vscode.l10n.t('Left-over files that no session uses any more'),
      description: vscode.l10n.t('older than a day'),
      policy: { detachedResultAge: DAY_MS },
    },
  ];
  const picked = await asks.showQuickPick(items, {
    title: vscode.l10n.t('Prune Sessions'),
    placeHolder: vscode.l10n.t('You will see what would be deleted, with its size, before anything is.'),
  });
  return picked?.policy;
}

function withProgress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title };
  return Promise.resolve(vscode.window.withProgress(options, (_, token) => work(signalOf(token))));
}
