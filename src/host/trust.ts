/**
 * Restricted Mode: Bough reads and searches, changes nothing and runs nothing (the tools refuse), and takes no
 * instructions from the folder. What the chat says about the place it stands in.
 */
import * as vscode from 'vscode';
import type { StatusView } from '../shared/protocol.js';

export function placeOfWindow(): StatusView['place'] {
  if (!vscode.workspace.isTrusted) return 'untrusted';
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) return 'no-folder';
  return folders.some(({ uri }) => uri.scheme === 'file') ? 'ready' : 'virtual';
}

/** Folders whose AGENTS.md may speak to the model. */
export function trustedFolders(): readonly vscode.WorkspaceFolder[] {
  return vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
}
