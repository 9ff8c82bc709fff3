/** What the person has in front of them in this window, as far as VS Code tells. */
import * as vscode from 'vscode';
import type { FocusBack } from './focus-back.js';

/** The editor in front, as far as there are words for it. */
export function frontTab(): string {
  const { activeTabGroup } = vscode.window.tabGroups;
  const { activeTab } = activeTabGroup;
  return `${String(activeTabGroup.viewColumn)} ${activeTab?.label ?? ''}`;
}

/** Tells when they go elsewhere with the mouse or the keys. Of a click into the terminal in front nothing is told. */
export function followPerson(focus: Pick<FocusBack, 'left' | 'setAway'>): vscode.Disposable {
  const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;
  return vscode.Disposable.from(
    vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
      if (kind === Keyboard || kind === Mouse) focus.left();
    }),
    vscode.window.onDidChangeActiveTerminal(() => focus.left()),
    vscode.window.onDidChangeWindowState(({ focused }) => focus.setAway(!focused)),
  );
}
