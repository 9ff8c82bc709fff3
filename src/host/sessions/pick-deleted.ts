/** The pick list of what the trash still holds. */
import * as vscode from 'vscode';
import { asks } from '../asks.js';
import { plainLabel } from '../labels.js';
import { relativeTime } from './rows.js';
import { sizeWords } from './size-words.js';
import type { Restorable } from './window-store.js';

/** How long the trash keeps a session at least. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

export async function pickDeleted(all: readonly Restorable[], now: number): Promise<Restorable | undefined> {
  if (all.length === 0) return undefined;
  const { language } = vscode.env;
  const items = all.map((one) => ({
    label: plainLabel(one.title),
    description: vscode.l10n.t('deleted {0}', relativeTime(one.deleted, now, language)),
    detail: vscode.l10n.t(
      '{0} messages, {1}, kept until {2}',
      one.messages,
      sizeWords(one.bytes),
      new Date(one.deleted + KEPT_MS).toLocaleDateString(language),
    ),
    iconPath: new vscode.ThemeIcon('trash'),
    one,
  }));
  const picked = await asks.showQuickPick(items, {
    title: vscode.l10n.t('Restore Deleted Session'),
    placeHolder: vscode.l10n.t('What was deleted is kept for 7 days'),
  });
  return picked?.one;
}
