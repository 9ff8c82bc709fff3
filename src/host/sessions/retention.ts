/** At the start: what the person's own retention settings say is old goes, and they are told. Off by default. */
import * as vscode from 'vscode';
import type { PrunePolicy } from '../../log/upkeep.js';
import type { Teller } from '../tell.js';
import type { OpenSessions } from './open-sessions.js';
import { describePrune, isNothing } from './prune-words.js';
import type { SessionsTree } from './tree.js';
import type { WindowStore } from './window-store.js';

export interface RetentionParts {
  store: Pick<WindowStore, 'prune'>;
  sessions: Pick<OpenSessions, 'peek'>;
  tree: Pick<SessionsTree, 'refresh'>;
  tell: Teller;
}

export async function applyRetention(
  policy: PrunePolicy,
  { store, sessions, tree, tell }: RetentionParts,
): Promise<void> {
  if (Object.values(policy).every((age) => age === 0)) return;
  const done = await store.prune(policy, { isOpen: (id) => sessions.peek(id) !== undefined });
  if (done.every(isNothing)) return;
  tree.refresh();
  tell.info(
    vscode.l10n.t('As the retention settings say, these were deleted: {0}.', describePrune(done).short),
    {
      [vscode.l10n.t('Open Settings')]: () =>
        vscode.commands.executeCommand('workbench.action.openSettings', 'bough.retention'),
    },
  );
}
