/** Searches the workspace's folders one after the other, with VS Code's ripgrep where there is one. */
import * as vscode from 'vscode';
import type { SearchHit, SearchQuery, SearchResult, WorkspaceFolder, WorkspacePath } from '../../ports.js';
import { cancelled, isFailure, type Failure } from '../../shared/failure.js';
import { decodeText, type Decoded } from './decode.js';
import { fileFailure } from './file-errors.js';
import { searchWithRipgrep, type FoundLines, type TextSearch } from './ripgrep.js';
import { patternOf, scanText } from './scan.js';
import { walkFiles } from './walk-files.js';

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
      target: query.in === undefined ? '' : targetOf(query.in, folder),
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

export async function missingPath({ uri, shown }: WorkspacePath): Promise<Failure | null> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
    return null;
  } catch (error) {
    return fileFailure(shown, error);
  }
}

export function targetOf(place: WorkspacePath, folder: WorkspaceFolder): string {
  const base = vscode.Uri.parse(folder.uri, true).path.replace(/\/$/, '');
  return vscode.Uri.parse(place.uri, true).path.slice(base.length + 1);
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
  const { files, ...told } = await filesToScan(root, search.target, signal);
  const hits: FoundLines['hits'] = [];
  const unread: string[] = [];
  for (const relative of files) {
    if (signal.aborted) return cancelled();
    const decoded = await decodedAt(vscode.Uri.joinPath(root, relative));
    if (decoded === undefined) {
      unread.push(relative);
      continue;
    }
    if (typeof decoded === 'string') continue;
    hits.push(...scanText(relative, decoded.text, pattern, search.maxResults + 1 - hits.length));
    if (hits.length > search.maxResults)
      return { hits: hits.slice(0, search.maxResults), more: true, ...told };
  }
  const [first] = unread;
  if (first === undefined) return { hits, more: false, ...told };
  const rest = unread.length === 1 ? '' : ` and ${String(unread.length - 1)} more`;
  const note = `Not everything could be searched: ${first}${rest} cannot be read.`;
  return { hits, more: false, note: [told.note, note].filter((one) => one !== undefined).join(' ') };
}

/** Undefined when it cannot be read, or not any more. */
async function decodedAt(uri: vscode.Uri): Promise<Decoded | undefined> {
  try {
    return decodeText(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return undefined;
    throw error;
  }
}

/** Where there is no ripgrep. */
export async function filesToScan(
  root: vscode.Uri,
  target: string,
  signal: AbortSignal,
): Promise<{ files: string[]; note?: string }> {
  const exclude = excludedGlobs(root);
  const options = { target, exclude, most: MAX_SCANNED_FILES, signal };
  const { files, isCut, unread } = await walkFiles(root, options);
  const notes = [
    ...(isCut
      ? [
          `Only the first ${String(MAX_SCANNED_FILES)} files were looked at, because VS Code's own search tool cannot be used here. Name a folder.`,
        ]
      : []),
    ...(unread.length > 0 ? [`Not looked into, because it cannot be read: ${unread.join(', ')}.`] : []),
  ];
  return notes.length === 0 ? { files } : { files, note: notes.join(' ') };
}

/** What the person hides everywhere; what is hidden only beside another file stays. */
export function excludedGlobs(folder: vscode.Uri): string[] {
  const globs = vscode.workspace
    .getConfiguration('files', folder)
    .get<Record<string, unknown>>('exclude', {});
  return Object.entries(globs)
    .filter(([, value]) => value === true)
    .map(([glob]) => glob);
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
