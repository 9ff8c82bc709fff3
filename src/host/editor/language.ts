/**
 * What the editor's language services know of the files of the workspace, by VS Code's own commands. A service is waited for
 * until it is quiet, never for longer than a few seconds; what lies outside the workspace is not told.
 */
import * as vscode from 'vscode';
import type { FoundSymbol, Language, Problem, SymbolPlace, WorkspacePath } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { fileFailure } from './file-errors.js';
import { createFreshProblems } from './fresh-problems.js';
import { identifiersAt, type Identifier } from './identifier.js';

/** Names a file of the workspace; undefined for any other. */
export type NameFile = (uri: vscode.Uri) => WorkspacePath | undefined;

const MOST_FOUND = 1000;

export function createLanguage(name: NameFile): Language {
  const problemsOf = (uri: vscode.Uri): Problem[] => {
    const path = name(uri);
    return path === undefined
      ? []
      : vscode.languages.getDiagnostics(uri).map((found) => problemOf(path, found));
  };
  const fresh = createFreshProblems(openText);
  return {
    problems: (path) =>
      path === undefined
        ? vscode.languages.getDiagnostics().flatMap(([uri]) => problemsOf(uri))
        : problemsOf(vscode.Uri.parse(path.uri, true)),
    freshProblems: async (path, signal) => {
      const isSure = await fresh.settle(path, signal);
      const uri = vscode.Uri.parse(path.uri, true);
      return { problems: problemsOf(uri), isSure, isInTab: isInTab(uri) };
    },
    symbols: async (path) => {
      const document = await openText(path);
      if (isFailure(document)) return document;
      const found = await vscode.commands.executeCommand<
        (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
      >('vscode.executeDocumentSymbolProvider', document.uri);
      return inOrder(found ?? []).flatMap((symbol) => outlineOf(path, symbol, 0));
    },
    findSymbols: async (query) => {
      const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
        'vscode.executeWorkspaceSymbolProvider',
        query,
      );
      return (found ?? []).flatMap(({ name: symbol, kind, containerName, location }): FoundSymbol[] => {
        const path = name(location.uri);
        if (path === undefined) return [];
        const container = containerName === '' ? {} : { container: containerName };
        const line = location.range.start.line + 1;
        return [{ path, line, name: symbol, kind: kindName(kind), depth: 0, ...container }];
      });
    },
    references: (path, place) => references(name, path, place),
  };
}

const isInTab = (uri: vscode.Uri): boolean =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());

async function references(name: NameFile, path: WorkspacePath, place: SymbolPlace) {
  const document = await openText(path);
  if (isFailure(document)) return document;
  const [first, ...others] = identifiersAt(document.getText(), place);
  if (first === undefined) return noSuchName(path, place, document.lineCount);
  let at = first;
  let found = await usesOf(document, at);
  for (const other of others) {
    if (found.length > 0) break;
    at = other;
    found = await usesOf(document, at);
  }
  const hits = [];
  let outside = 0;
  const texts = new Map<string, vscode.TextDocument>();
  for (const { uri, range } of found) {
    const file = name(uri);
    if (file === undefined || hits.length === MOST_FOUND) {
      outside += 1;
      continue;
    }
    const text = texts.get(file.uri) ?? (await openText(file));
    if (isFailure(text)) continue;
    texts.set(file.uri, text);
    hits.push({ path: file, line: range.start.line + 1, text: text.lineAt(range.start.line).text });
  }
  const line = document.positionAt(at.offset).line + 1;
  return { of: { line, name: at.name }, hits, outside };
}

async function usesOf(document: vscode.TextDocument, { offset }: Identifier): Promise<vscode.Location[]> {
  const found = await vscode.commands.executeCommand<vscode.Location[] | undefined>(
    'vscode.executeReferenceProvider',
    document.uri,
    document.positionAt(offset),
  );
  return found ?? [];
}

function noSuchName({ shown }: WorkspacePath, { symbol, line }: SymbolPlace, lines: number): Failure {
  if (line !== undefined && line > lines)
    return toolFailure(
      'past-end',
      `${shown} has ${String(lines)} lines; line ${String(line)} is behind its end.`,
    );
  const where = line === undefined ? shown : `line ${String(line)} of ${shown}`;
  return toolFailure(
    'no-symbol',
    symbol === undefined
      ? `There is no name on ${where}. Give the symbol, or another line.`
      : `There is no ${symbol} in ${where}. Read the file, or use search.`,
  );
}

async function openText(path: WorkspacePath): Promise<vscode.TextDocument | Failure> {
  const uri = vscode.Uri.parse(path.uri, true);
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0)
      return toolFailure('folder', `${path.shown} is a folder. Name a file.`);
  } catch (error) {
    return fileFailure(path.shown, error);
  }
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toolFailure('not-opened', `VS Code cannot open ${path.shown} as text: ${reason}`);
  }
}

const severities = ['error', 'warning', 'info', 'hint'] as const;

function problemOf(
  path: WorkspacePath,
  { range, severity, message, source, code }: vscode.Diagnostic,
): Problem {
  const value = typeof code === 'object' ? code.value : code;
  const by = [source, value].filter((part) => part !== undefined && part !== '').join(' ');
  return {
    path,
    line: range.start.line + 1,
    severity: severities[severity],
    message,
    ...(by === '' ? {} : { source: by }),
  };
}

/** As they stand in the file: services give them in an order of their own. */
const inOrder = <S extends vscode.DocumentSymbol | vscode.SymbolInformation>(symbols: readonly S[]): S[] =>
  [...symbols].sort((a, b) => placeOf(a).compareTo(placeOf(b)));

const placeOf = (symbol: vscode.DocumentSymbol | vscode.SymbolInformation): vscode.Position =>
  ('selectionRange' in symbol ? symbol.selectionRange : symbol.location.range).start;

function outlineOf(
  path: WorkspacePath,
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  depth: number,
): FoundSymbol[] {
  const { name, kind } = symbol;
  const own = { path, line: placeOf(symbol).line + 1, name, kind: kindName(kind), depth };
  const children = 'children' in symbol ? symbol.children : [];
  return [own, ...inOrder(children).flatMap((child) => outlineOf(path, child, depth + 1))];
}

/** "TypeParameter" → "type parameter". */
const kindName = (kind: vscode.SymbolKind): string =>
  (vscode.SymbolKind[kind] ?? 'symbol').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
