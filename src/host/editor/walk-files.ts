/**
 * Names the files of a folder one by one through the editor's file system: where the files lie on no disk there is neither a
 * ripgrep nor, most often, a search of the editor's own. Ignore files are heeded in whatever folder they lie.
 */
import * as vscode from 'vscode';
import ignore, { type Ignore } from 'ignore';
import { globMatcher } from './glob.js';

export interface Walk {
  /** Below the folder, with `/`, in order. */
  files: string[];
  /** There were more than are looked at. */
  isCut: boolean;
  /** Folders that cannot be looked into. */
  unread: string[];
}

interface Rules {
  /** Folder they count in; '' for the root. */
  below: string;
  rules: Ignore;
}

export interface WalkOptions {
  /** File or folder to begin at; '' for the root. */
  target: string;
  /** Globs of what is left out. */
  exclude: readonly string[];
  most: number;
  signal: AbortSignal;
}

export async function walkFiles(
  root: vscode.Uri,
  { target, exclude, most, signal }: WalkOptions,
): Promise<Walk> {
  const found: Walk = { files: [], isCut: false, unread: [] };
  const at = (relative: string) => (relative === '' ? root : vscode.Uri.joinPath(root, relative));
  const hidden = exclude.map((glob) => globMatcher(glob)).filter((matches) => typeof matches === 'function');
  const isLeftOut = (relative: string, isFolder: boolean, rules: readonly Rules[]): boolean =>
    hidden.some((matches) => matches(relative)) ||
    rules.some(({ below, rules: own }) => {
      const inside = below === '' ? relative : relative.slice(below.length + 1);
      return own.ignores(isFolder ? `${inside}/` : inside);
    });

  const visit = async (folder: string, above: readonly Rules[]): Promise<void> => {
    const rules = [...above, ...(await rulesOf(at(folder), folder))];
    const entries = await entriesOf(at(folder));
    if (entries === undefined) {
      found.unread.push(folder);
      return;
    }
    for (const [name, type] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (signal.aborted || found.isCut) return;
      const relative = folder === '' ? name : `${folder}/${name}`;
      const isFolder = (type & vscode.FileType.Directory) !== 0;
      if (isLeftOut(relative, isFolder, rules)) continue;
      if (isFolder && (type & vscode.FileType.SymbolicLink) === 0) await visit(relative, rules);
      else if (!isFolder) add(relative);
    }
  };
  const add = (relative: string): void => {
    found.isCut = found.files.length === most;
    if (!found.isCut) found.files.push(relative);
  };

  const { type } = await vscode.workspace.fs.stat(at(target));
  if ((type & vscode.FileType.Directory) === 0) add(target);
  else await visit(target, await rulesAbove(at, target));
  return found;
}

/** Undefined when it cannot be looked into, or is gone. */
async function entriesOf(folder: vscode.Uri): Promise<[string, vscode.FileType][] | undefined> {
  try {
    return await vscode.workspace.fs.readDirectory(folder);
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return undefined;
    throw error;
  }
}

/** Those of the folders that lead to where the walk begins, and what is never looked at. */
async function rulesAbove(at: (relative: string) => vscode.Uri, target: string): Promise<Rules[]> {
  const names = target === '' ? [] : target.split('/');
  const always = ['.git', ...(names.includes('node_modules') ? [] : ['node_modules'])];
  const rules: Rules[] = [{ below: '', rules: ignore().add(always) }];
  for (let depth = 0; depth < names.length; depth += 1) {
    const folder = names.slice(0, depth).join('/');
    rules.push(...(await rulesOf(at(folder), folder)));
  }
  return rules;
}

async function rulesOf(folder: vscode.Uri, below: string): Promise<Rules[]> {
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, '.gitignore'));
    return [{ below, rules: ignore().add(new TextDecoder().decode(bytes)) }];
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return [];
    throw error;
  }
}
