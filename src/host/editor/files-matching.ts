/**
 * The editor's own `findFiles`, where it can be asked: for a folder that lies on no disk and has no search of its own it
 * never answers, so there the files are looked at one by one.
 */
import * as vscode from 'vscode';
import { globMatcher } from './glob.js';
import { walkFiles } from './walk-files.js';

/** More of a folder than this are not looked at one by one. */
const MOST_WALKED = 2000;
const never = new AbortController().signal;

export async function filesMatching(
  include: string,
  exclude: string | undefined,
  most: number,
): Promise<vscode.Uri[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.every(({ uri }) => uri.scheme === 'file'))
    return vscode.workspace.findFiles(include, exclude, most);
  const found: vscode.Uri[] = [];
  for (const { uri } of folders) {
    const left = most - found.length;
    if (left <= 0) break;
    const files =
      uri.scheme === 'file'
        ? await vscode.workspace.findFiles(new vscode.RelativePattern(uri, include), exclude, left)
        : await walk(uri, include, exclude);
    found.push(...files.slice(0, left));
  }
  return found;
}

async function walk(root: vscode.Uri, include: string, exclude: string | undefined): Promise<vscode.Uri[]> {
  const [isWanted, isUnwanted] = [globMatcher(include), globMatcher(exclude ?? '')];
  if (typeof isWanted !== 'function') return [];
  const { files } = await walkFiles(root, { target: '', exclude: [], most: MOST_WALKED, signal: never });
  return files
    .filter(
      (file) =>
        isWanted(file) && !(typeof isUnwanted === 'function' && exclude !== undefined && isUnwanted(file)),
    )
    .map((file) => vscode.Uri.joinPath(root, file));
}
