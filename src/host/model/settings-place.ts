/** Opens the settings where a setting of machine scope can be seen and changed: in a remote window that is not the user's. */
import * as vscode from 'vscode';

export function openSettings(query: string): Thenable<unknown> {
  const command =
    vscode.env.remoteName === undefined
      ? 'workbench.action.openSettings'
      : 'workbench.action.openRemoteSettings';
  return vscode.commands.executeCommand(command, { query });
}
