/** Paths as messages name them, and how much of a thing goes into one message. */
import * as vscode from 'vscode';

export const MOST_CHARS = 40_000;

export const hasSeveralFolders = (): boolean => (vscode.workspace.workspaceFolders?.length ?? 0) > 1;

/** Relative to its folder, with the folder's name in front when there are several. */
export const shownPath = (uri: vscode.Uri): string =>
  vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? uri.scheme === 'untitled'
      ? uri.path
      : uri.fsPath
    : vscode.workspace.asRelativePath(uri, hasSeveralFolders());
