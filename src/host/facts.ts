/** What all sessions of this window share: where it stands (folder, trust), settings of the view, lasting notices. */
import * as vscode from 'vscode';
import type { NoticeView } from '../shared/protocol.js';
import { readSetting } from './configuration.js';
import { watchInstructions } from './context/instructions.js';
import { createBag, createSignal } from './disposables.js';
import type { MoveReport } from './model/settings-secrets.js';
import { readSendOn } from './model/settings.js';
import type { WindowFacts } from './sessions/session.js';
import { lookForPrompts, suggestionsFor } from './suggestions.js';
import type { Teller } from './tell.js';
import { placeOfWindow } from './trust.js';

export interface HostFacts extends WindowFacts, vscode.Disposable {
  /** Secrets were moved out of the settings, or could not be. */
  tellSecrets(report: MoveReport): void;
}

export function createHostFacts(tell: Teller, onError: (error: unknown) => void): HostFacts {
  const bag = createBag();
  const changed = createSignal<void>(onError);
  const instructions = createSignal<void>(onError);
  let prompts: string[] = [];
  let notices: NoticeView[] = [];
  let hasLooked = false;
  const look = () => {
    hasLooked = true;
    lookForPrompts().then((found) => {
      prompts = found;
      changed.fire();
    }, onError);
  };
  bag.add(watchInstructions(() => instructions.fire()));
  bag.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      changed.fire();
      instructions.fire();
    }),
  );
  bag.add(
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      changed.fire();
      if (hasLooked) look();
    }),
  );
  bag.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('bough')) changed.fire();
    }),
  );
  return {
    place: placeOfWindow,
    sendOn: () => readSendOn(readSetting),
    notices: () => notices,
    // The first view that shows them makes it worth to look.
    suggestions: (model) => {
      if (!hasLooked) look();
      const { isTrusted, workspaceFolders = [] } = vscode.workspace;
      return suggestionsFor(model, prompts, { isTrusted, hasFolder: workspaceFolders.length > 0 });
    },
    onChange: (listener) => changed.on(listener),
    onInstructions: (listener) => instructions.on(listener),
    tellSecrets({ moved, left }) {
      const names = moved.join(', ');
      if (moved.length > 0)
        tell.info(
          vscode.l10n.t("The key of {0} was moved from the settings to VS Code's secret storage.", names),
        );
      notices = left.length === 0 ? [] : [secretsLeft(left)];
      changed.fire();
    },
    dispose: () => bag.dispose(),
  };
}

function secretsLeft(places: readonly string[]): NoticeView {
  return {
    kind: 'config',
    message: vscode.l10n.t(
      'A key still stands in {0}. It is stored safely already; remove it there.',
      places.join(', '),
    ),
    actions: [
      { label: vscode.l10n.t('Open Settings'), command: { type: 'open_settings', query: 'bough.providers' } },
    ],
  };
}
