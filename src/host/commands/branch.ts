/** Commands on the lines of a conversation: summaries, labels, going elsewhere, beginning anew. Comparing is in compare.ts. */
import * as vscode from 'vscode';
import type { ConversationEntry } from '../../shared/entry.js';
import { isFailure } from '../../shared/failure.js';
import type { Intent } from '../../shared/protocol.js';
import { asks } from '../asks.js';
import type { Chats } from '../chat/chats.js';
import { restoreFiles, type RestoreParts } from '../editor/restore.js';
import { unwrap } from '../errors.js';
import { branchPickItems, pickBranch } from '../sessions/branch-items.js';
import { leafBehind } from '../sessions/branches.js';
import type { Reports } from '../reports.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { plainLabel } from '../labels.js';
import type { Teller } from '../tell.js';
import type { Commands } from './commands.js';
import { switchTo, type Switch } from './switching.js';
import { branchOf, placeOf, sessionOf, type Targets } from './target.js';

export interface BranchCommandParts {
  sessions: OpenSessions;
  chats: Chats;
  reports: Reports;
  targets: Targets;
  restore: RestoreParts;
  tell: Teller;
}

type Names =
  | 'bough.session.compact'
  | 'bough.session.clear'
  | 'bough.turn.undo'
  | `bough.branch.${'fromEntry' | 'navigate' | 'label' | 'summarize' | 'collapse' | 'restoreFiles'}`;

export function branchCommands(parts: BranchCommandParts): Pick<Commands, Names> {
  /** The one whose menu it was chosen from, else that of the chat in front. */
  const sessionFor = async (target?: unknown) => placeOf(target)?.session ?? (await parts.chats.current());
  const agentOf = async (target?: unknown) => (await parts.sessions.open(await sessionFor(target))).agent;
  const intend = async (intent: Intent, target?: unknown) =>
    unwrap(await (await agentOf(target)).dispatch(intent));
  const inFront = async (target?: unknown) => parts.chats.show(await sessionFor(target));
  const move = async (intent: Intent, target?: unknown, then?: Switch['then']) =>
    switchTo({ agent: await agentOf(target), intent, tell: parts.tell, then });
  const go = (target: unknown) =>
    move({ type: 'navigate', entry_id: entryOf(target) }, target, () => inFront(target));
  return {
    'bough.session.compact': async (focus) => {
      const hasFocus = typeof focus === 'string' && focus.trim() !== '';
      await inFront();
      await intend({ type: 'compact', ...(hasFocus ? { focus } : {}) });
    },
    'bough.session.clear': () => move({ type: 'clear' }),
    'bough.turn.undo': async () => {
      const { id } = (await agentOf(undefined)).log;
      await move({ type: 'undo' }, undefined, (left) => {
        if (left !== null) parts.chats.tellUndone(id, left);
      });
    },
    'bough.branch.navigate': (target) =>
      typeof target === 'string' && target !== '' ? go(target) : goToBranch(parts, target),
    'bough.branch.restoreFiles': async (target) => {
      const id = await sessionOf(target, parts.targets);
      await restoreFiles((await parts.sessions.open(id)).agent, parts.restore);
    },
    'bough.branch.fromEntry': go,
    'bough.branch.label': async (target, label) => {
      const branch = branchOf(target);
      const { agent } = await parts.sessions.open(branch?.session ?? (await sessionFor(target)));
      const entry_id = entryOf(branch?.leaf ?? target ?? agent.log.head);
      const known = agent.log.state().labels[entry_id] ?? '';
      const name = typeof label === 'string' ? label : await askLabel(known);
      if (name === undefined) return;
      const wanted = name.trim() === '' ? null : name.trim();
      unwrap(await agent.dispatch({ type: 'label', entry_id, label: wanted }));
    },
    'bough.branch.summarize': async (from, to) => {
      const agent = await agentOf(from);
      const range = await rangeOf(await agent.log.path(), from, to);
      if (range === undefined) return;
      const title = vscode.l10n.t('Summary of a branch');
      const summary = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title, cancellable: true },
        (_, token) => {
          token.onCancellationRequested(() => void agent.dispatch({ type: 'stop' }));
          return agent.summarizeBranch(range);
        },
      );
      if (!isFailure(summary) || summary.kind !== 'cancelled')
        await parts.reports.show(`${title}.md`, unwrap(summary));
    },
    'bough.branch.collapse': async (from, to) => {
      const range = await rangeOf(await (await agentOf(from)).log.path(), from, to);
      if (range === undefined) return;
      const focus = await askFocus(vscode.l10n.t('Replace by a Summary'));
      if (focus === undefined) return;
      await inFront(from);
      await move({ type: 'collapse', ...range, ...(focus.trim() === '' ? {} : { focus }) }, from);
    },
  };
}

/** To the end of a line, which the person chooses when it is not given; then, if they differ, whether files follow. */
async function goToBranch(parts: BranchCommandParts, target: unknown): Promise<void> {
  const branch = branchOf(target);
  const place = placeOf(target);
  const id = branch?.session ?? place?.session ?? (await parts.chats.current());
  const session = await parts.sessions.open(id);
  const { agent } = session;
  const leaf =
    branch?.leaf ??
    (place === undefined ? undefined : leafBehind(agent.log.outline, place.entry)) ??
    (await pickBranch(branchPickItems(agent), {
      title: vscode.l10n.t('Switch Branch'),
      placeHolder: vscode.l10n.t('Each end of a line of this conversation'),
    }));
  if (leaf === undefined) return;
  const differing = (await agent.fileDifferences(leaf)).filter(({ isOfLine }) => isOfLine);
  const choice = differing.length === 0 ? 'conversation' : await askFiles(differing.map(({ path }) => path));
  if (choice === undefined) return;
  const then = async (): Promise<void> => {
    await parts.chats.show(id);
    if (choice === 'files') await restoreFiles(agent, parts.restore);
  };
  await switchTo({ agent, intent: { type: 'navigate', entry_id: leaf }, tell: parts.tell, then });
}

async function askFiles(paths: readonly string[]): Promise<'conversation' | 'files' | undefined> {
  const picked = await asks.showQuickPick(
    [
      {
        label: vscode.l10n.t('Conversation Only'),
        detail: vscode.l10n.t('The files stay as they are.'),
        choice: 'conversation' as const,
      },
      {
        label: vscode.l10n.t('Conversation and Files'),
        detail: plainLabel(vscode.l10n.t('Shown before anything is written: {0}', paths.join(', '))),
        choice: 'files' as const,
      },
    ],
    { title: vscode.l10n.t('Switch Branch') },
  );
  return picked?.choice;
}

function entryOf(target: unknown): string {
  const entry = placeOf(target)?.entry ?? target;
  if (typeof entry === 'string' && entry !== '') return entry;
  throw new Error('The command needs the id of a message.');
}

/** What a summary is to keep above all; empty for no such thing, undefined when the person cancelled. */
export const askFocus = (title: string): Thenable<string | undefined> =>
  asks.showInputBox({
    title,
    prompt: vscode.l10n.t(
      'What is the summary to keep above all? Leave it empty for everything that matters.',
    ),
    placeHolder: vscode.l10n.t('For example: the decisions about the file format'),
  });

const askLabel = (value: string): Thenable<string | undefined> =>
  asks.showInputBox({
    title: vscode.l10n.t('Label'),
    prompt: vscode.l10n.t('A name for this place in the conversation. Leave it empty to take the name away.'),
    value,
    validateInput: (text) =>
      text.trim().length > 80 ? vscode.l10n.t('A label has at most 80 characters.') : undefined,
  });

/** Asks for what was not given: the first and the last message of a part of the line. */
async function rangeOf(
  path: readonly ConversationEntry[],
  from: unknown,
  to: unknown,
): Promise<{ from_id: string; to_id: string } | undefined> {
  const given = placeOf(from)?.entry ?? from;
  const from_id =
    typeof given === 'string' ? given : await pickMessage(path, vscode.l10n.t('First message of the part'));
  if (from_id === undefined) return undefined;
  const rest = path.slice(path.findIndex(({ id }) => id === from_id));
  const to_id =
    typeof to === 'string'
      ? to
      : await pickMessage([...rest].reverse(), vscode.l10n.t('Last message of the part'));
  return to_id === undefined ? undefined : { from_id, to_id };
}

/** A message of a person or an answer; undefined when the person chose none. */
export async function pickMessage(
  path: readonly ConversationEntry[],
  title: string,
): Promise<string | undefined> {
  const items = path.flatMap((entry) => {
    if (entry.type !== 'message' || (entry.role !== 'user' && entry.role !== 'assistant')) return [];
    const text = entry.parts
      .map((part) => ('text' in part ? part.text : 'name' in part ? part.name : ''))
      .join(' ');
    const words = plainLabel(text.replace(/\s+/g, ' ').trim().slice(0, 120));
    const icon = entry.role === 'user' ? 'comment' : 'sparkle';
    return [{ label: `$(${icon}) ${words}`, id: entry.id }];
  });
  return (await asks.showQuickPick(items, { title }))?.id;
}
