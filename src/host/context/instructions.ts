/**
 * AGENTS.md: the ones at the roots of the trusted folders with their text, those further down by path, to be read when
 * their folder is worked on. Only files that lie in the workspace, links resolved.
 */
import * as vscode from 'vscode';
import type { NestedInstructions, Surroundings } from '../../agent/types.js';
import type { Workspace } from '../../ports.js';
import { isFailure } from '../../shared/failure.js';
import { filesMatching } from '../editor/files-matching.js';
import { trustedFolders } from '../trust.js';

const NAME = 'AGENTS.md';
const MOST_NESTED = 500;
const ignored = '**/{node_modules,.git}/**';

type Reading = Pick<Workspace, 'resolve' | 'read'>;

export async function readInstructions(
  workspace: Reading,
): Promise<Pick<Surroundings, 'instructions'> & { nested: NestedInstructions[] }> {
  const folders = trustedFolders();
  if (folders.length === 0) return { instructions: [], nested: [] };
  const many = folders.length > 1;
  const roots = folders.map(({ name }) => (many ? `${name}/${NAME}` : NAME));
  const texts = await Promise.all(roots.map((path) => readText(workspace, path)));
  const found = await filesMatching(`**/*/${NAME}`, ignored, MOST_NESTED);
  const nested = found
    .map((uri) => vscode.workspace.asRelativePath(uri, many))
    .filter((path) => !roots.includes(path))
    .sort();
  return {
    instructions: roots.flatMap((path, index) => {
      const text = texts[index];
      return text === undefined ? [] : [{ path, text }];
    }),
    nested: nested.map((path) => ({ path, read: () => readText(workspace, path) })),
  };
}

/** One that is there and cannot be read says so in its place. */
async function readText(workspace: Reading, path: string): Promise<string | undefined> {
  const at = await workspace.resolve(path);
  const read = isFailure(at) ? at : await workspace.read(at);
  if (!isFailure(read)) return read.text.trim() === '' ? undefined : read.text;
  return read.code === 'missing' ? undefined : `[This file could not be read: ${read.message}]`;
}

/** An AGENTS.md was written, or went. */
export function watchInstructions(listener: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(`**/${NAME}`);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(listener),
    watcher.onDidCreate(listener),
    watcher.onDidDelete(listener),
  );
}
