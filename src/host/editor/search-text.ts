/** Searches the workspace's folders one after the other, with VS Code's ripgrep where there is one. */
import * as vscode from 'vscode';
import ignore from 'ignore';
import type { SearchHit, SearchQuery, SearchResult, WorkspaceFolder, WorkspacePath } from '../../ports.js';
import { cancelled, isFailure, type Failure } from '../../shared/failure.js';
import { decodeUtf8 } from './decode.js';
import { fileFailure } from './file-errors.js';
import { searchWithRipgrep, type FoundLines, type TextSearch } from './ripgrep.js';
import { patternOf, scanText } from './scan.js';

export interface SearchParts {
  folders: readonly WorkspaceFolder[];
  ripgrep: string | undefined;
  /** Names a file below a folder. */
  name: (folder: WorkspaceFolder, relative: string) => WorkspacePath;
}

/** More files than this are not opened one by one. */
const MAX_SCANNED_FILES = 5000;

export async function searchText(
  parts: SearchParts,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult | Failure> {
  const missing = query.in === undefined ? null : await missingPath(query.in);
  if (missing !== null) return missing;
  const hits: SearchHit[] = [];
  const notes: string[] = [];
  let more = false;
  for (const folder of query.in === undefined ? parts.folders : [query.in.folder]) {
    const { pattern, regex } = query;
    const search = {
      pattern,
      regex,
      target: targetOf(query, folder),
      maxResults: query.maxResults - hits.length,
    };
    const found = await searchFolder(parts, folder, search, signal);
    if (isFailure(found)) return found;
    for (const { relative, line, text } of found.hits)
      hits.push({ path: parts.name(folder, relative), line, text });
    if (found.note !== undefined) notes.push(found.note);
    more = found.more;
    if (more) break;
  }
  notes.push(...unsavedIn(query));
  return { hits, more, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
}

async function missingPath({ uri, shown }: WorkspacePath): Promise<Failure | null> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
    return null;
  } catch (error) {
    return fileFailure(shown, error);
  }
}

function targetOf(query: SearchQuery, folder: WorkspaceFolder): string {
  if (query.in === undefined) return '';
  const base = vscode.Uri.parse(folder.uri, true).path.replace(/\/$/, '');
  return vscode.Uri.parse(query.in.uri, true).path.slice(base.length + 1);
}

function searchFolder(parts: SearchParts, folder: WorkspaceFolder, search: TextSearch, signal: AbortSignal) {
  if (parts.ripgrep === undefined || folder.path === undefined) return scanFolder(folder, search, signal);
  return searchWithRipgrep(parts.ripgrep, folder.path, search, signal);
}

async function scanFolder(
  folder: WorkspaceFolder,
  search: TextSearch,
  signal: AbortSignal,
): Promise<FoundLines | Failure> {
  const pattern = patternOf(search.pattern, search.regex);
  if (isFailure(pattern)) return pattern;
  const root = vscode.Uri.parse(folder.uri, true);
  const { files, note } = await filesToScan(root, search.target);
  const hits: FoundLines['hits'] = [];
  for (const relative of files) {
    if (signal.aborted) return cancelled();
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, relative));
    const decoded = decodeUtf8(bytes);
    if (typeof decoded === 'string') continue;
    hits.push(...scanText(relative, decoded.text, pattern, search.maxResults + 1 - hits.length));
    if (hits.length > search.maxResults) return { hits: hits.slice(0, search.maxResults), more: true, note };
  }
  return { hits, more: false, note };
}

async function filesToScan(root: vscode.Uri, target: string): Promise<{ files: string[]; note: string }> {
  const below = target === '' ? '**/*' : `{${target},${target}/**}`;
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(root, below),
    undefined,
    MAX_SCANNED_FILES,
  );
  const rules = ignore().add([
    '.git',
    ...(target.split('/').includes('node_modules') ? [] : ['node_modules']),
  ]);
  rules.add(await ignoreFileOf(root));
  const base = root.path.replace(/\/$/, '');
  const files = found.map((uri) => uri.path.slice(base.length + 1)).filter((file) => !rules.ignores(file));
  const limit =
    found.length === MAX_SCANNED_FILES ? ` and only ${MAX_SCANNED_FILES} files were looked at` : '';
  return {
    files: files.sort(),
    note: `VS Code's own search tool was not found: of the ignore files only the .gitignore of the folder itself was used${limit}.`,
  };
}

async function ignoreFileOf(root: vscode.Uri): Promise<string> {
  try {
    return new TextDecoder().decode(
      await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, '.gitignore')),
    );
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return '';
    throw error;
  }
}

/** The search sees the disk; where an editor has newer text, that is said. */
function unsavedIn(query: SearchQuery): string[] {
  const names = vscode.workspace.textDocuments
    .filter((document) => document.isDirty && !document.isUntitled)
    .filter(
      ({ uri }) =>
        query.in === undefined ||
        uri.toString() === query.in.uri ||
        uri.toString().startsWith(`${query.in.uri}/`),
    )
    .map(({ uri }) => vscode.workspace.asRelativePath(uri));
  return names.length === 0
    ? []
    : [`${names.join(', ')} has unsaved changes; the text on disk was searched.`];
}
