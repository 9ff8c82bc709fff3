/**
 * Whether the disk lets a file be written, asked before anything is changed: an editor whose save fails keeps the change
 * unsaved, and to a superuser, as in most containers, the mode of a file that somebody locked is no hindrance.
 */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { WorkspacePath } from '../../ports.js';
import { toolFailure, type Failure } from '../../shared/failure.js';

/** Why the file, or a new one in its folder, cannot be written; null when it can, and for what lies on no disk. */
export async function lockedFailure({ uri, shown }: WorkspacePath): Promise<Failure | null> {
  const place = vscode.Uri.parse(uri, true);
  if (place.scheme !== 'file') return null;
  const file = await stateOf(place.fsPath);
  if (file === 'writable') return null;
  if (file !== 'missing')
    return toolFailure(
      'read-only',
      `${shown} is read-only on disk (${file}); nothing was changed. If it is meant to be changed, ask the person to make it writable first.`,
    );
  const folder = await stateOfFolder(vscode.Uri.joinPath(place, '..'));
  if (folder === 'writable') return null;
  return toolFailure(
    'read-only',
    `${shown} cannot be created: its folder is read-only on disk (${folder}); nothing was written. If files are meant to be created there, ask the person to make it writable first.`,
  );
}

/** Of the nearest folder that is there: the others would be made with the file. */
async function stateOfFolder(folder: vscode.Uri): Promise<string> {
  const state = await stateOf(folder.fsPath);
  const above = vscode.Uri.joinPath(folder, '..');
  return state === 'missing' && above.path !== folder.path ? stateOfFolder(above) : state;
}

/** `writable`, `missing`, or in words why it is not writable. What else is wrong with it is told by whoever opens it. */
async function stateOf(path: string): Promise<string> {
  try {
    await access(path, constants.W_OK);
    const found = await stat(path);
    // On Windows a folder that is marked read-only is written into like any other.
    if (process.platform === 'win32' && found.isDirectory()) return 'writable';
    return (found.mode & 0o222) === 0 ? 'nobody may write it' : 'writable';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    switch (code) {
      case 'ENOENT':
        return 'missing';
      case 'EACCES':
        return 'permission denied';
      case 'EPERM':
        return 'it is locked';
      case 'EROFS':
        return 'its disk is read-only';
      default:
        return 'writable';
    }
  }
}
