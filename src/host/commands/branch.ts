/** Commands on the lines of a conversation: summaries, labels, going elsewhere, beginning anew. */
import * as vscode from 'vscode';
import type { ConversationEntry } from '../../shared/entry.js';
import { isFailure } from '../../shared/failure.js';
import type { Intent } from '../../shared/protocol.js';
import type { Chats } from '../chat/chats.js';
import { unwrap } from '../errors.js';
import type { Reports } from '../reports.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import { plainLabel } from '../labels.js';
import type { Commands } from './commands.js';

export interface BranchCommandParts {
  sessions: OpenSessions;
  chats: Chats;
  reports: Reports;
}

type Names =
  | 'bough.session.compact'
  | 'bough.session.clear'
  | 'bough.turn.undo'
  | `bough.branch.${'fromEntry' | 'navigate' | 'label' | 'summarize' | 'collapse'}`;

export function branchCommands(parts: BranchCommandParts): Pick<Commands, Names> {
  const agentInFront = async () => (await parts.sessions.open(await parts.chats.current())).agent;
  const intend = async (intent: Intent) => unwrap(await (await agentInFront()).dispatch(intent));
  const inFront = async () => parts.chats.show(await parts.chats.current());
  const go = async (entry: unknown) => {
    await intend({ type: 'navigate', entry_id: entryOf(entry) });
    await inFront();
  };
  return {
    'bough.session.compact': async (focus) => {
      const wanted =
        typeof focus === 'string' ? focus : await askFocus(vscode.l10n.t('Compact Conversation'));
      if (wanted === undefined) return;
      await inFront();
      await intend({ type: 'compact', ...(wanted.trim() === '' ? {} : { focus: wanted }) });
    },
    'bough.session.clear': async () => void (await intend({ type: 'clear' })),
    'bough.turn.undo': async () => void (await intend({ type: 'undo' })),
    'bough.branch.navigate': go,
    'bough.branch.fromEntry': go,
    'bough.branch.label': async (entry, label) => {
      const { log } = await agentInFront();
      const entry_id = entryOf(entry ?? log.head);
      const name = typeof label === 'string' ? label : await askLabel(log.state().labels[entry_id] ?? '');
      if (name === undefined) return;
      await intend({ type: 'label', entry_id, label: name.trim() === '' ? null : name.trim() });
    },
    'bough.branch.summarize': async (from, to) => {
      const agent = await agentInFront();
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
      const range = await rangeOf(await (await agentInFront()).log.path(), from, to);
      if (range === undefined) return;
      const focus = await askFocus(vscode.l10n.t('Replace by a Summary'));
      if (focus === undefined) return;
      await inFront();
      await intend({ type: 'collapse', ...range, ...(focus.trim() === '' ? {} : { focus }) });
    },
  };
}

function entryOf(entry: unknown): string {
  if (typeof entry === 'string' && entry !== '') return entry;
  throw new Error('The command needs the id of a message.');
}

const askFocus = (title: string): Thenable<string | undefined> =>
  vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t(
      'What is the summary to keep above all? Leave it empty for everything that matters.',
    ),
    placeHolder: vscode.l10n.t('For example: the decisions about the file format'),
  });

const askLabel = (value: string): Thenable<string | undefined> =>
  vscode.window.showInputBox({
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
  const from_id =
    typeof from === 'string' ? from : await pick(path, vscode.l10n.t('First message of the part'));
  if (from_id === undefined) return undefined;
  const rest = path.slice(path.findIndex(({ id }) => id === from_id));
  const to_id =
    typeof to === 'string' ? to : await pick([...rest].reverse(), vscode.l10n.t('Last message of the part'));
  return to_id === undefined ? undefined : { from_id, to_id };
}

async function pick(path: readonly ConversationEntry[], title: string): Promise<string | undefined> {
  const items = path.flatMap((entry) => {
    if (entry.type !== 'message' || (entry.role !== 'user' && entry.role !== 'assistant')) return [];
    const text = entry.parts
      .map((part) => ('text' in part ? part.text : 'name' in part ? part.name : ''))
      .join(' ');
    const words = plainLabel(text.replace(/\s+/g, ' ').trim().slice(0, 120));
    const icon = entry.role === 'user' ? 'comment' : 'sparkle';
    return [{ label: `$(${icon}) ${words}`, id: entry.id }];
  });
  return (await vscode.window.showQuickPick(items, { title }))?.id;
}
