/** The open folders behind the Workspace port: files through VS Code, commands under the supervisor. */
import * as vscode from 'vscode';
import type { Workspace, WorkspaceFolder, WorkspacePath } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { applyChanges } from './apply-changes.js';
import { runCommand } from './command.js';
import { fileFailure } from './file-errors.js';
import { findFiles } from './find-files.js';
import { createLanguage } from './language.js';
import { locate, type Root } from './paths.js';
import { putFile } from './put-file.js';
import { hashText, readCurrent, readText } from './read-text.js';
import { findRipgrep } from './ripgrep.js';
import { searchText, type SearchParts } from './search-text.js';
import type { Environment } from './shell.js';
import { runInTerminal, type TerminalParts } from './terminal-run.js';
import { locateVirtual } from './virtual-paths.js';
import { createWeb } from '../web.js';

export interface WorkspaceParts extends TerminalParts {
  /** Path of the supervisor's script. */
  supervisor: string;
  /** The environment commands start from. */
  env: Environment;
}

export function createWorkspace(parts: WorkspaceParts): Workspace {
  let ripgrep: Promise<string | undefined> | undefined;
  const searchParts = async (): Promise<SearchParts | Failure> => {
    const where = folders();
    if (where.length === 0)
      return toolFailure(
        'no-folder',
        'No folder is open, so there is nothing to search. Open a folder first.',
      );
    ripgrep ??= findRipgrep(vscode.env.appRoot);
    return { folders: where, ripgrep: await ripgrep, name: pathBelow };
  };
  return {
    folders,
    get trusted() {
      return vscode.workspace.isTrusted;
    },
    resolve,
    list,
    read: readText,
    hash: hashText,
    bytes: readCurrent,
    put: putFile,
    apply: applyChanges,
    search: async (query, signal) => {
      const search = await searchParts();
      return isFailure(search) ? search : searchText(search, query, signal);
    },
    find: async (query, signal) => {
      const search = await searchParts();
      return isFailure(search) ? search : findFiles(search, query, signal);
    },
    language: createLanguage(pathOf),
    web: createWeb(),
    run: async (command, { cwd, ...options }) => {
      const folder = await commandFolder(cwd);
      return isFailure(folder) ? folder : runCommand(parts, command, { ...options, cwd: folder });
    },
    runInTerminal: async (command, { cwd, ...options }) => {
      const folder = await commandFolder(cwd);
      return isFailure(folder) ? folder : runInTerminal(parts, command, { ...options, cwd: folder });
    },
  };
}

export function folders(): WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    name,
    uri: uri.toString(),
    ...(uri.scheme === 'file' ? { path: uri.fsPath } : {}),
  }));
}

async function resolve(wanted: string): Promise<WorkspacePath | Failure> {
  const all = folders();
  const local = all.flatMap((folder): Root[] =>
    folder.path === undefined ? [] : [{ name: folder.name, path: folder.path }],
  );
  if (all.length > 0 && local.length === 0) {
    const virtual = locateVirtual(wanted, all);
    return isFailure(virtual) ? virtual : pathBelow(virtual.folder, virtual.relative);
  }
  const located = await locate(wanted, local);
  if (isFailure(located)) return located;
  const folder = all.find(({ path }) => path === located.root.path);
  if (folder === undefined) throw new Error('a path was located in a folder that is not open');
  return { uri: vscode.Uri.file(located.absolute).toString(), shown: located.shown, folder };
}

/** A file as the workspace names it; undefined when it lies outside. */
function pathOf(uri: vscode.Uri): WorkspacePath | undefined {
  const owner = vscode.workspace.getWorkspaceFolder(uri);
  const folder = folders().find((one) => one.uri === owner?.uri.toString());
  if (owner === undefined || folder === undefined) return undefined;
  return pathBelow(folder, uri.path.slice(owner.uri.path.replace(/\/$/, '').length + 1));
}

function pathBelow(folder: WorkspaceFolder, relative: string): WorkspacePath {
  const root = vscode.Uri.parse(folder.uri, true);
  const uri = relative === '' ? root : vscode.Uri.joinPath(root, relative);
  const start = folders().length > 1 ? folder.name : '';
  const shown = [start, relative].filter((part) => part !== '').join('/');
  return { uri: uri.toString(), shown: shown === '' ? '.' : shown, folder };
}

async function list(folder: WorkspacePath) {
  const uri = vscode.Uri.parse(folder.uri, true);
  try {
    const entries = await vscode.workspace.fs.readDirectory(uri);
    return await Promise.all(entries.map(([name, type]) => entryOf(uri, name, type)));
  } catch (error) {
    return fileFailure(folder.shown, error);
  }
}

async function entryOf(parent: vscode.Uri, name: string, type: vscode.FileType) {
  if ((type & vscode.FileType.SymbolicLink) !== 0) return { name, kind: 'link' as const, bytes: 0 };
  if ((type & vscode.FileType.Directory) !== 0) return { name, kind: 'folder' as const, bytes: 0 };
  try {
    const { size } = await vscode.workspace.fs.stat(vscode.Uri.joinPath(parent, name));
    return { name, kind: 'file' as const, bytes: size };
  } catch (error) {
    // Removed since the folder was read, or not readable: its name is still true.
    if (!(error instanceof vscode.FileSystemError)) throw error;
    return { name, kind: 'file' as const, bytes: 0 };
  }
}

async function commandFolder(cwd: WorkspacePath): Promise<string | Failure> {
  const uri = vscode.Uri.parse(cwd.uri, true);
  if (uri.scheme !== 'file') {
    return toolFailure(
      'virtual',
      'Commands cannot run here: the files of this workspace are not on the disk of a machine.',
    );
  }
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) return uri.fsPath;
    return toolFailure('not-a-folder', `${cwd.shown} is not a folder, so no command can run in it.`);
  } catch (error) {
    return fileFailure(cwd.shown, error);
  }
}
