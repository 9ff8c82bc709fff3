/** What a row of the list of sessions says when the mouse rests on it. */
import * as vscode from 'vscode';
import type { SessionSummary } from '../../log/store.js';
import { relativeTime } from './rows.js';
import { sizeWords } from './size-words.js';

export interface TooltipFacts {
  now: number;
  isEphemeral: boolean;
  /** The folder whose sessions need not say where they belong. */
  here: string | undefined;
  titleOf: (session: string) => string | undefined;
}

export function sessionTooltip(
  title: string,
  summary: SessionSummary,
  { now, isEphemeral, here, titleOf }: TooltipFacts,
): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const lines = [
    title,
    relativeTime(summary.said, now, vscode.env.language),
    extentOf(summary),
    ...(summary.origin === undefined ? [] : [copiedFrom(titleOf(summary.origin))]),
    ...(isEphemeral ? [vscode.l10n.t('Kept in memory only; gone with the window')] : []),
    ...(summary.folder === undefined || summary.folder === here
      ? []
      : [vscode.Uri.parse(summary.folder).fsPath]),
    ...(summary.owner === undefined ? [] : [vscode.l10n.t('Belongs to the extension {0}', summary.owner)]),
    ...(summary.detail === undefined ? [] : [summary.detail]),
  ];
  lines.forEach((line, index) => {
    if (index > 0) tooltip.appendMarkdown('  \n');
    tooltip.appendText(line);
  });
  return tooltip;
}

function extentOf({ status, messages, size }: SessionSummary): string {
  if (status === 'unread') return vscode.l10n.t('Its log is not read; {0}', sizeWords(size));
  return messages === 1
    ? vscode.l10n.t('1 message, {0}', sizeWords(size))
    : vscode.l10n.t('{0} messages, {1}', messages, sizeWords(size));
}

const copiedFrom = (title: string | undefined): string =>
  title === undefined
    ? vscode.l10n.t('Copied from a session that is not in this list')
    : vscode.l10n.t('Copied from “{0}”', title);
