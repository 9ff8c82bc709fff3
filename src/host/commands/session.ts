/** Commands on single sessions: new, switch, open, rename, archive, delete with Undo, restore, reveal, and what the list shows. */
import * as vscode from 'vscode';
import type { Ids } from '../../ports.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { pickDeleted } from '../sessions/pick-deleted.js';
import { pickSession, type PickedSession } from '../sessions/pick.js';
import type { SessionsTree } from '../sessions/tree.js';
import { noFilter, pickFilter } from '../sessions/tree-filter.js';
import type { WindowStore } from '../sessions/window-store.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { sessionOf, type Targets } from './target.js';
import { switchTo } from './switching.js';

export interface SessionCommandParts {
  store: WindowStore;
  sessions: OpenSessions;
  chats: Chats;
  tree: SessionsTree;
  ids: Ids;
  targets: Targets;
  tell: Teller;
  now: () => number;
}

type Name =
  `bough.session.${'new' | 'newInSideBar' | 'switch' | 'open' | 'rename' | 'archive' | 'unarchive' | 'delete' | 'restore' | 'reveal' | 'more' | 'readOn' | 'filter' | 'search'}`;

export function sessionCommands(parts: SessionCommandParts): Pick<Commands, Name> {
  const { chats, targets } = parts;
  return {
    'bough.session.new': async (from) => {
      const tab = surfaceOf(from) === undefined ? chats.frontTab() : tabOf(from);
      await chats.showFresh(await freshSession(parts, tab), tab);
    },
    'bough.session.newInSideBar': async () =>
      chats.showFresh(await freshSession(parts, undefined), undefined),
    'bough.session.switch': async () => {
      const chosen = await pickSession({ ...parts, current: await chats.ofSideBar() });
      if (chosen !== undefined) await show(parts, chosen);
    },
    'bough.session.open': async (target, leaf) => {
      const id = await sessionOf(target, targets);
      await show(parts, { id, ...(typeof leaf === 'string' ? { leaf } : {}) });
    },
    'bough.session.rename': async (target, name) => rename(parts, await sessionOf(target, targets), name),
    'bough.session.archive': async (target) => setArchived(parts, await sessionOf(target, targets), true),
    'bough.session.unarchive': async (target) => setArchived(parts, await sessionOf(target, targets), false),
    'bough.session.delete': async (target) => remove(parts, await sessionOf(target, targets)),
    'bough.session.restore': async (key) => restore(parts, key),
    'bough.session.reveal': async (target) => reveal(parts, await sessionOf(target, targets)),
    'bough.session.more': (session) => {
      parts.tree.showMore(typeof session === 'string' ? session : undefined);
      return Promise.resolve();
    },
    'bough.session.readOn': () => {
      parts.tree.readOn();
      return Promise.resolve();
    },
    'bough.session.filter': async (all) => {
      const filter = all === 'all' ? noFilter : await pickFilter(parts.tree.filter);
      if (filter !== undefined) parts.tree.show(filter);
    },
    'bough.session.search': (text) => search(parts, text),
  };
}

/** By title and by what was said; what is found is what the list then shows. */
async function search({ tree }: SessionCommandParts, given: unknown): Promise<void> {
  const filter =
    typeof given === 'string' ? { ...noFilter, text: given.trim() } : await pickFilter(tree.filter);
  if (filter === undefined) return;
  tree.show(filter);
  // VS Code's own command of the view: it opens the list where it is folded.
  await vscode.commands.executeCommand('bough.sessions.focus');
}

/** The session, at the end of this line if one is named. */
async function show(
  { sessions, chats, tell }: SessionCommandParts,
  { id, leaf }: PickedSession,
): Promise<void> {
  await chats.show(id);
  if (leaf === undefined) return;
  const { agent } = await sessions.open(id);
  if (agent.log.head !== leaf) await switchTo({ agent, intent: { type: 'navigate', entry_id: leaf }, tell });
}

const surfaceOf = (from: unknown): unknown =>
  typeof from === 'object' && from !== null && 'surface' in from ? from.surface : undefined;

/** The session of the tab that asks for a new one; undefined when the side bar does. */
const tabOf = (from: unknown): string | undefined =>
  surfaceOf(from) === 'tab' && typeof from === 'object' && from !== null && 'session' in from
    ? String(from.session)
    : undefined;

/** An id that has no file yet; the one on show there when nothing was written to it and something can be. */
async function freshSession(
  { sessions, chats, ids }: SessionCommandParts,
  tab: string | undefined,
): Promise<string> {
  const { agent } = await sessions.open(tab ?? (await chats.ofSideBar()));
  const isFresh = agent.log.position === 0 && agent.log.access.mode === 'write' && agent.run() === 'idle';
  return isFresh ? agent.log.id : ids.session();
}

async function rename(
  { sessions, store, tree }: SessionCommandParts,
  id: string,
  given: unknown,
): Promise<void> {
  const title = await titleIn({ sessions, store }, id);
  const name =
    typeof given === 'string'
      ? given
      : await asks.showInputBox({
          title: vscode.l10n.t('Rename Session'),
          prompt: vscode.l10n.t('A name for this session'),
          value: title,
          validateInput: (text) =>
            text.trim() === '' ? vscode.l10n.t('The name of a session must not be blank.') : undefined,
        });
  if (name === undefined || name.trim() === title) return;
  await store.rename(id, name.trim());
  tree.refresh();
}

/** The store lets go of the log; a view that shows it gets a fresh one. */
async function setArchived(parts: SessionCommandParts, id: string, isArchived: boolean): Promise<void> {
  const { sessions, store, tree, tell } = parts;
  const title = await titleIn(parts, id);
  await (isArchived ? store.archive(id) : store.unarchive(id));
  if (sessions.peek(id)) await sessions.reopen(id);
  tree.refresh();
  if (!isArchived) return;
  tell.info(vscode.l10n.t('Archived “{0}”.', title), {
    [vscode.l10n.t('Undo')]: () => setArchived(parts, id, false),
  });
}

async function remove(parts: SessionCommandParts, id: string): Promise<void> {
  const { sessions, store, chats, tree, ids, tell, now } = parts;
  const title = await titleIn(parts, id);
  const row = await store.summary(id);
  const isMissing = row?.status === 'missing';
  const yes = isMissing ? vscode.l10n.t('Delete from List') : vscode.l10n.t('Delete');
  const detail = await whatGoes(parts, id, isMissing);
  const answer = await asks.showWarningMessage(
    vscode.l10n.t('Delete “{0}”?', title),
    { modal: true, detail },
    yes,
  );
  if (answer !== yes) return;
  const wasShown = (await chats.ofSideBar()) === id;
  await sessions.close(id);
  const { undo } = await store.delete(id);
  await chats.drop(id, () => ids.session());
  tree.refresh();
  if (isMissing) return tell.info(vscode.l10n.t('“{0}” is no longer in the list.', title));
  const undone = async (): Promise<void> => {
    await undo();
    tree.refresh();
    if (wasShown) await chats.setSideBar(id);
  };
  const at = new Date(now()).toLocaleTimeString(vscode.env.language);
  const apart = vscode.l10n.t('It had {0} messages and was deleted at {1}.', row?.messages ?? 0, at);
  tell.info(vscode.l10n.t('Deleted “{0}”.', title), { [vscode.l10n.t('Undo')]: undone }, apart);
}

/** What deleting takes with it, and how it is taken back. */
async function whatGoes({ store }: SessionCommandParts, id: string, isMissing: boolean): Promise<string> {
  if (isMissing)
    return vscode.l10n.t(
      'Its log is not there any more; only its row is removed. If the log is put back, the session is listed again.',
    );
  if (store.isEphemeral(id))
    return vscode.l10n.t(
      'All its branches go with it. You can undo this from the message that follows, until the window is closed.',
    );
  return (await store.hasTrash(id))
    ? vscode.l10n.t(
        'All its branches go with it. It is kept in the trash for 7 days: undo this from the message that follows, or bring it back with Restore Deleted Session… in the “…” menu of the sessions.',
      )
    : vscode.l10n.t('All its branches go with it. You can undo this from the message that follows.');
}

/** From the trash; `key` is what another extension or a key binding names. */
async function restore(parts: SessionCommandParts, key: unknown): Promise<void> {
  const { sessions, store, chats, tree, tell } = parts;
  const all = await store.deleted();
  const chosen =
    typeof key === 'string' ? all.find((one) => one.key === key) : await pickDeleted(all, parts.now());
  if (chosen === undefined) {
    if (all.length === 0) tell.info(vscode.l10n.t('The trash holds no deleted session.'));
    return;
  }
  if (sessions.peek(chosen.id)) await sessions.close(chosen.id);
  const id = await chosen.restore();
  tree.refresh();
  await chats.show(id);
}

async function reveal({ sessions, tell }: SessionCommandParts, id: string): Promise<void> {
  const { agent, damagedLine } = await sessions.open(id);
  const { file, position } = agent.log;
  if (file === undefined || (position === 0 && damagedLine === undefined))
    return tell.info(vscode.l10n.t('Nothing of this session has been written yet.'));
  const uri = vscode.Uri.file(file);
  if (damagedLine !== undefined) {
    const line = new vscode.Range(damagedLine - 1, 0, damagedLine - 1, 0);
    await vscode.commands.executeCommand('vscode.open', uri, { selection: line });
    return;
  }
  const isHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  await vscode.commands.executeCommand(isHere ? 'revealFileInOS' : 'vscode.open', uri);
}

/** Of a log that cannot be read the list knows more. */
async function titleIn(
  { sessions, store }: Pick<SessionCommandParts, 'sessions' | 'store'>,
  id: string,
): Promise<string> {
  const title = (await sessions.open(id)).title();
  return sessions.troubleOf(id) ? ((await store.summary(id))?.title ?? title) : title;
}
