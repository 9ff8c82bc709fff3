/** Finds files of the workspace by a glob, folder after folder, with VS Code's ripgrep where there is one. */
import * as vscode from 'vscode';
import type { FileQuery, FoundFiles, WorkspaceFolder, WorkspacePath } from '../../ports.js';
import { cancelled, isFailure, type Failure } from '../../shared/failure.js';
import { globMatcher } from './glob.js';
import { listWithRipgrep } from './ripgrep-files.js';
import { excludedGlobs, filesToScan, missingPath, targetOf, type SearchParts } from './search-text.js';

export async function findFiles(
  parts: SearchParts,
  query: FileQuery,
  signal: AbortSignal,
): Promise<FoundFiles | Failure> {
  const missing = query.in === undefined ? null : await missingPath(query.in);
  if (missing !== null) return missing;
  const matches = globMatcher(query.pattern);
  if (isFailure(matches)) return matches;
  const files: WorkspacePath[] = [];
  const notes: string[] = [];
  let more = false;
  for (const folder of query.in === undefined ? parts.folders : [query.in.folder]) {
    const target = query.in === undefined ? '' : targetOf(query.in, folder);
    const isOneOfMany = query.in === undefined && parts.folders.length > 1;
    const take = (relative: string): boolean => {
      const below = target === '' ? relative : relative.slice(target.length + 1);
      if (!matches(below) && !(isOneOfMany && matches(`${folder.name}/${relative}`))) return true;
      more = files.length === query.maxResults;
      if (!more) files.push(parts.name(folder, relative));
      return !more;
    };
    const note = await listFolder(parts, folder, { target, take }, signal);
    if (isFailure(note)) return note;
    if (note.note !== undefined) notes.push(note.note);
    if (more) break;
  }
  return { files, more, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
}

async function listFolder(
  { ripgrep }: SearchParts,
  folder: WorkspaceFolder,
  listing: { target: string; take: (relative: string) => boolean },
  signal: AbortSignal,
): Promise<{ note?: string } | Failure> {
  const root = vscode.Uri.parse(folder.uri, true);
  if (ripgrep !== undefined && folder.path !== undefined)
    return listWithRipgrep(ripgrep, folder.path, { ...listing, exclude: excludedGlobs(root) }, signal);
  const { files, ...told } = await filesToScan(root, listing.target, signal);
  if (signal.aborted) return cancelled();
  for (const file of files) if (!listing.take(file)) break;
  return told;
}
