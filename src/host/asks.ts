/**
 * What takes the keyboard for as long as it is open: VS Code's lists, boxes and dialogs. They are asked through here, so
 * that whoever had the keyboard can be given it back as soon as they are closed.
 */
import * as vscode from 'vscode';

/** Told when something opens; what it returns is called when that is closed. `isModal`: nothing else can be reached. */
type Watcher = (isModal: boolean) => () => void;

const watchers = new Set<Watcher>();

export function watchAsks(watcher: Watcher): vscode.Disposable {
  watchers.add(watcher);
  return { dispose: () => void watchers.delete(watcher) };
}

function opened(isModal: boolean): () => void {
  const closings = [...watchers].map((watcher) => watcher(isModal));
  return () => closings.splice(0).forEach((closed) => closed());
}

function watched<F extends (...given: never[]) => Thenable<unknown>>(isModal: boolean, shower: () => F): F {
  const show = (...given: never[]): Thenable<unknown> => {
    const answer = shower()(...given);
    const closed = opened(isModal);
    answer.then(closed, closed);
    return answer;
  };
  return show as F;
}

/** As `vscode.window` has them. Messages are for dialogs only: a notification takes no keyboard. */
export const asks = {
  showQuickPick: watched(false, () => vscode.window.showQuickPick),
  showInputBox: watched(false, () => vscode.window.showInputBox),
  showWarningMessage: watched(true, () => vscode.window.showWarningMessage),
  showInformationMessage: watched(true, () => vscode.window.showInformationMessage),
  showOpenDialog: watched(true, () => vscode.window.showOpenDialog),
  showSaveDialog: watched(true, () => vscode.window.showSaveDialog),
};

/** Shows a list that was made before. */
export function showList(pick: vscode.QuickPick<vscode.QuickPickItem>): void {
  pick.onDidHide(opened(false));
  pick.show();
}
