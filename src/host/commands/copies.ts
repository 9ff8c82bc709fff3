/** Commands that bring a session about in another way than by its first prompt: in memory, from a fork, from a file. */
import * as vscode from 'vscode';
import { OutlineFlag } from '../../shared/fold/types.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import { plainLabel } from '../labels.js';
import { Refusal } from '../errors.js';
import { catchUpUnlessGone, isGone } from '../sessions/gone.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { SessionsTree } from '../sessions/tree.js';
import type { WindowStore } from '../sessions/window-store.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { branchOf, placeOf, sessionOf, type Targets } from './target.js';

export interface CopyCommandParts {
  store: WindowStore;
  sessions: OpenSessions;
  chats: Chats;
  tree: SessionsTree;
  targets: Targets;
  tell: Teller;
}

type Name = `bough.session.${'newEphemeral' | 'continueLast' | 'openFile' | 'fork'}`;

export function copyCommands(parts: CopyCommandParts): Pick<Commands, Name> {
  const { store, chats, targets } = parts;
  return {
    'bough.session.newEphemeral': () => chats.show(store.ephemeralId()),
    'bough.session.continueLast': () => continueLast(parts),
    'bough.session.openFile': (file) => openFile(parts, file),
    'bough.session.fork': async (target, entry, side) => {
      const id = await sessionOf(target, targets);
      const from = typeof entry === 'string' ? entry : branchOf(target)?.leaf;
      const point =
        from === undefined ? await pickPoint(parts, id, placeOf(target)?.entry) : pointAt(from, side);
      if (point !== undefined) await fork(parts, id, point);
    },
  };
}

/** Goes on with a log of another format, or from elsewhere, as a session of this folder. */
export async function continueCopy(
  { store, chats, tree }: Pick<CopyCommandParts, 'store' | 'chats' | 'tree'>,
  id: string,
): Promise<void> {
  const copy = await store.importCopy(await store.open(id));
  tree.refresh();
  await chats.show(copy.id);
}

async function continueLast({ store, chats, tell }: CopyCommandParts): Promise<void> {
  const { sessions } = await store.list();
  const last = sessions.find(({ id }) => store.isKept(id));
  if (last) await chats.show(last.id);
  else tell.info(vscode.l10n.t('There is no session of this folder to continue yet.'));
}

async function openFile({ store, chats }: CopyCommandParts, given: unknown): Promise<void> {
  const file =
    fileOf(given) ??
    (await askSessionFile(vscode.l10n.t('Open Session File'), vscode.l10n.t('Open Session')));
  if (file === undefined) return;
  const log = await store.openFile(file);
  await chats.show(log.id);
}

/** The path of a file that another extension or a key binding names. */
export function fileOf(given: unknown): string | undefined {
  if (typeof given === 'string' && given !== '') return given;
  return given instanceof vscode.Uri ? given.fsPath : undefined;
}

export async function askSessionFile(title: string, openLabel: string): Promise<string | undefined> {
  const found = await asks.showOpenDialog({
    title,
    openLabel,
    filters: { [vscode.l10n.t('Session logs')]: ['jsonl'] },
  });
  return found?.[0]?.fsPath;
}

type Point = { at?: string; before?: string };

const pointAt = (entry: string, side: unknown): Point =>
  side === 'before' ? { before: entry } : { at: entry };

/** Up to the row that is pointed at, from the end, or from before one of the prompts on show, the newest first. */
async function pickPoint(
  { sessions }: CopyCommandParts,
  id: string,
  here: string | undefined,
): Promise<Point | undefined> {
  const { agent } = await sessions.open(id);
  const { log } = agent;
  const onLine = new Set((await log.path()).map((entry) => entry.id));
  const prompts = log.outline.filter(
    ([entry, , , flags]) => onLine.has(entry) && (flags & OutlineFlag.user) !== 0,
  );
  const items: (vscode.QuickPickItem & { point: Point })[] = [
    ...(here === undefined
      ? []
      : [
          {
            label: vscode.l10n.t('Up to here'),
            description: vscode.l10n.t('with this message'),
            point: { at: here },
          },
        ]),
    { label: vscode.l10n.t('From the end'), description: vscode.l10n.t('the whole line'), point: {} },
    ...prompts.reverse().map(([entry, , , , preview]) => ({
      label: vscode.l10n.t('Before “{0}”', plainLabel(preview)),
      point: { before: entry },
    })),
  ];
  const picked = await asks.showQuickPick(items, {
    title: vscode.l10n.t('Fork Session'),
    placeHolder: vscode.l10n.t('Where the copy ends. The original stays as it is.'),
  });
  return picked?.point;
}

async function fork({ store, sessions, chats, tree }: CopyCommandParts, id: string, point: Point) {
  const session = await sessions.open(id);
  await catchUpUnlessGone(session.agent.log);
  if (isGone(session.agent.log.access))
    throw new Refusal({
      kind: 'refused',
      message: vscode.l10n.t(
        "The session's file is missing, so it cannot be forked. Export it as JSONL with Export Session…, then take that in with Import Session….",
      ),
      transient: false,
    });
  const isRunning = session.agent.run() === 'running';
  const title = vscode.l10n.t('Fork of {0}', session.title());
  const copy = isRunning
    ? await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          cancellable: true,
          title: vscode.l10n.t('Forking when the running turn has ended…'),
        },
        (_, token) => store.fork(id, { ...point, title, signal: signalOf(token) }),
      )
    : await store.fork(id, { ...point, title });
  tree.refresh();
  await chats.show(copy.id);
}

/** Aborted when the person cancels. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
