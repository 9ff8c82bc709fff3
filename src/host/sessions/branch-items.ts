/** How a branch looks in the list of sessions and in the pick lists. */
import * as vscode from 'vscode';
import type { AgentSession } from '../../agent/types.js';
import { asks } from '../asks.js';
import { plainLabel } from '../labels.js';
import { branchesOf, type Branch } from './branches.js';
import { rowIcons, rowWord, type RowWord } from './rows.js';

/** What it does; of those that are not on show only how they ended is known. */
const wordOf = ({ isShown, mark }: Branch, run: ReturnType<AgentSession['run']> | undefined): RowWord => {
  const status = mark ?? 'idle';
  return rowWord({ status, archived: false }, isShown ? run : undefined);
};

const iconOf = (word: RowWord): vscode.ThemeIcon => {
  if (word === '') return new vscode.ThemeIcon('git-branch');
  const { icon, color } = rowIcons[word];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
};

const countWords = ({ messages }: Branch): string =>
  messages === 1 ? vscode.l10n.t('1 message of its own') : vscode.l10n.t('{0} messages of its own', messages);

const said = (...parts: string[]): string[] => parts.filter((part) => part !== '');

/** A row of the list. */
export function branchItem(
  session: string,
  branch: Branch,
  run: ReturnType<AgentSession['run']> | undefined,
): vscode.TreeItem {
  const { leaf, label, isShown, detail, name, isOtherAnswer } = branch;
  const word = wordOf(branch, run);
  const item = new vscode.TreeItem(name ?? label);
  item.id = `branch:${session}:${leaf}`;
  // Answers to one prompt are told apart by how they end.
  const end = isOtherAnswer === true && name === undefined && detail !== label ? detail : '';
  item.description = said(isShown ? vscode.l10n.t('shown') : '', word, end).join(' · ');
  item.iconPath = iconOf(word);
  item.contextValue = said('branch', isShown ? 'onshow' : 'other', word).join(' ');
  const lines = [...(name === undefined ? [] : [name]), label, detail, countWords(branch)];
  const tooltip = new vscode.MarkdownString();
  [...new Set(lines)].forEach((line, index) => {
    if (index > 0) tooltip.appendMarkdown('  \n');
    tooltip.appendText(line);
  });
  item.tooltip = tooltip;
  item.accessibilityInformation = {
    label: said(name ?? label, end, isShown ? vscode.l10n.t('shown') : '', word, countWords(branch)).join(
      ', ',
    ),
  };
  item.command = {
    command: 'bough.session.open',
    title: vscode.l10n.t('Open Branch'),
    arguments: [session, leaf],
  };
  return item;
}

export interface BranchPickItem extends vscode.QuickPickItem {
  leaf: string;
  isShown: boolean;
}

/** All ends of lines, the newest first. */
export function branchPickItems(agent: AgentSession): BranchPickItem[] {
  const { log } = agent;
  return branchesOf(log.outline, log.head, log.state().labels)
    .reverse()
    .map((branch) => {
      const { leaf, label, detail, isShown, name } = branch;
      const word = wordOf(branch, agent.run());
      return {
        leaf,
        isShown,
        label: plainLabel(name ?? label),
        description: said(isShown ? vscode.l10n.t('shown') : '', word, countWords(branch)).join(' · '),
        detail: plainLabel(name === undefined ? detail : `${label} – ${detail}`),
        iconPath: iconOf(word),
      };
    });
}

/** The leaf that was chosen; undefined when the person left it at that. */
export async function pickBranch(
  items: readonly BranchPickItem[],
  { title, placeHolder }: { title: string; placeHolder: string },
): Promise<string | undefined> {
  const picked = await asks.showQuickPick(items, {
    title,
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.leaf;
}
