/** Puts VS Code's file system errors into a sentence about the file. Anything else is a bug and stays thrown. */
import * as vscode from 'vscode';
import { toolFailure, type Failure } from '../../shared/failure.js';

export function fileFailure(shown: string, error: unknown): Failure {
  if (!(error instanceof vscode.FileSystemError)) throw error;
  switch (error.code) {
    case 'FileNotFound':
      return toolFailure('missing', `There is no ${shown}. Use list or search to find the right path.`);
    case 'FileIsADirectory':
      return toolFailure('folder', `${shown} is a folder. Use list to see what is in it.`);
    case 'FileNotADirectory':
      return toolFailure('not-a-folder', `${shown} is not a folder.`);
    case 'NoPermissions':
      return toolFailure('denied', `${shown} cannot be opened: permission is denied.`);
    default:
      return toolFailure('file-error', `${shown} cannot be opened: ${error.message}`);
  }
}
