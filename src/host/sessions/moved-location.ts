/**
 * What happens when the setting names another place for sessions: nothing is moved. They are kept there once the window is
 * reloaded, and those that are here can be copied over.
 */
import * as vscode from 'vscode';
import type { Reports } from '../reports.js';
import { signalOf } from '../commands/copies.js';
import type { Teller } from '../tell.js';
import { describeCopy } from './copy-words.js';
import type { StorageRoots } from './storage-roots.js';

export interface MovedLocationParts {
  roots: StorageRoots;
  reports: Reports;
  tell: Teller;
}

export function offerCopies(parts: MovedLocationParts): vscode.Disposable {
  const { roots, tell } = parts;
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration('bough.sessions.location')) return;
    const to = roots.wanted();
    if (to === undefined || to === roots.present) return;
    tell.info(
      vscode.l10n.t(
        'Sessions are kept in {0} once the window is reloaded. Those of the former place stay there; they can be copied.',
        to,
      ),
      { [vscode.l10n.t('Copy Sessions')]: () => copy(parts, to), [reloadLabel()]: reload },
    );
  });
}

const REPORT = 'Copied Sessions.md';

async function copy({ roots, reports, tell }: MovedLocationParts, to: string): Promise<void> {
  const done = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: vscode.l10n.t('Copying sessions…'),
    },
    (_, token) => roots.copyTo(to, signalOf(token)),
  );
  const { short, text } = describeCopy(done, { from: roots.present, to });
  await reports.show(REPORT, text);
  tell.info(short, { [reloadLabel()]: reload });
}

const reloadLabel = (): string => vscode.l10n.t('Reload Window');
const reload = (): unknown => vscode.commands.executeCommand('workbench.action.reloadWindow');
