/** Files as the chat names them: found for a mention, opened at a line. */
import * as vscode from 'vscode';
import { filesMatching } from './editor/files-matching.js';
import { Refusal } from './errors.js';

const MOST = 50;
const ignored = '**/{node_modules,.git}/**';

/** Paths that hold the query: files of that name first, then what lies in folders of it; short ones first. */
export async function findFiles(query: string): Promise<string[]> {
  const words = query.replace(/[\\{}[\]*?]/g, ' ').trim();
  const name = words.slice(words.lastIndexOf('/') + 1);
  // The name alone finds what lies in a folder of the workspace that the query begins with; the others find its folders.
  const any = `**/*${insensitive(words)}*`;
  const patterns = words === '' ? ['**/*'] : [`**/*${insensitive(name)}*`, any, `${any}/**`];
  const found = await Promise.all(
    [...new Set(patterns)].map((pattern) => filesMatching(pattern, ignored, MOST * 4)),
  );
  const many = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const paths = new Set(found.flat().map((uri) => vscode.workspace.asRelativePath(uri, many)));
  const holds = (text: string): boolean => text.toLowerCase().includes(words.toLowerCase());
  const isNamed = (path: string): number => Number(holds(path.slice(path.lastIndexOf('/') + 1)));
  return [...paths]
    .filter(holds)
    .sort((a, b) => isNamed(b) - isNamed(a) || a.length - b.length || a.localeCompare(b))
    .slice(0, MOST);
}

/** Globs know no case-insensitive matching: each letter both ways. */
function insensitive(text: string): string {
  return [...text]
    .map((letter) =>
      letter.toLowerCase() === letter.toUpperCase()
        ? letter
        : `[${letter.toLowerCase()}${letter.toUpperCase()}]`,
    )
    .join('');
}

/** Files and folders that were dragged from the editor's explorer; what lies elsewhere is left out. */
export async function pathsOf(uris: readonly string[]): Promise<{ path: string; kind: 'file' | 'folder' }[]> {
  const found: { path: string; kind: 'file' | 'folder' }[] = [];
  for (const text of uris) {
    const uri = vscode.Uri.parse(text);
    const type = vscode.workspace.getWorkspaceFolder(uri) === undefined ? undefined : (await stat(uri))?.type;
    if (type === undefined) continue;
    const path = vscode.workspace.asRelativePath(uri);
    found.push({ path, kind: (type & vscode.FileType.Directory) === 0 ? 'file' : 'folder' });
  }
  return found;
}

/** `path` as the chat shows it: relative to a folder, with the folder's name in front when there are several. */
export async function openFile(path: string, line: number | undefined): Promise<void> {
  for (const uri of candidates(path)) {
    if (!(await isFile(uri))) continue;
    const at =
      line === undefined ? undefined : new vscode.Range(Math.max(0, line - 1), 0, Math.max(0, line - 1), 0);
    await vscode.window.showTextDocument(uri, { preview: true, ...(at ? { selection: at } : {}) });
    return;
  }
  throw new Refusal({
    kind: 'refused',
    message: `There is no file ${path} in this workspace any more.`,
    transient: false,
  });
}

function candidates(path: string): vscode.Uri[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const relative = path.replace(/\\/g, '/').replace(/^\.\//, '');
  const inNamed = folders.flatMap(({ name, uri }) =>
    relative.startsWith(`${name}/`) ? [vscode.Uri.joinPath(uri, relative.slice(name.length + 1))] : [],
  );
  const inAny = folders.map(({ uri }) => vscode.Uri.joinPath(uri, relative));
  const inside = [...inNamed, ...inAny].filter((uri) =>
    folders.some((folder) => uri.path.startsWith(`${folder.uri.path.replace(/\/$/, '')}/`)),
  );
  return inside;
}

/** The file that a path means, or would be; undefined when it lies in none of the folders. */
export async function locateFile(path: string): Promise<vscode.Uri | undefined> {
  const all = candidates(path);
  for (const uri of all) if (await isFile(uri)) return uri;
  return all[0];
}

const isFile = async (uri: vscode.Uri): Promise<boolean> =>
  (((await stat(uri))?.type ?? 0) & vscode.FileType.File) !== 0;

/** Undefined for what is not there. */
export async function stat(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return undefined;
    throw error;
  }
}
