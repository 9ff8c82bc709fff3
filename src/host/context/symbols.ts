/** Symbols of the workspace, as the language services know them. */
import * as vscode from 'vscode';
import type { Mention, MentionOffer } from '../../shared/protocol.js';
import { Refusal } from '../errors.js';
import { rangeMention } from './selection.js';
import { shownPath } from './shown-path.js';

const MOST = 10;

const placeOf = ({ location: { uri, range } }: vscode.SymbolInformation): string =>
  JSON.stringify([
    uri.toString(),
    range.start.line,
    range.start.character,
    range.end.line,
    range.end.character,
  ]);

export async function findSymbols(query: string): Promise<MentionOffer[]> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  return (found ?? [])
    .filter(({ location }) => vscode.workspace.getWorkspaceFolder(location.uri) !== undefined)
    .slice(0, MOST)
    .map((symbol) => ({
      kind: 'symbol',
      label: symbol.name,
      detail: `${vscode.SymbolKind[symbol.kind].toLowerCase()} in ${shownPath(symbol.location.uri)}`,
      ref: placeOf(symbol),
    }));
}

export async function symbolMention({ label, ref }: MentionOffer): Promise<Mention> {
  const place = placeIn(ref);
  if (place === undefined || vscode.workspace.getWorkspaceFolder(place.uri) === undefined)
    throw new Refusal({
      kind: 'refused',
      message: `${label} is no symbol of this workspace.`,
      transient: false,
    });
  const document = await vscode.workspace.openTextDocument(place.uri);
  const range = (await wholeSymbol(place.uri, label, place.range)) ?? place.range;
  return rangeMention(document, document.validateRange(range), { kind: 'symbol', name: label });
}

function placeIn(ref: string | undefined): { uri: vscode.Uri; range: vscode.Range } | undefined {
  const parsed: unknown = JSON.parse(ref ?? 'null');
  if (!Array.isArray(parsed)) return undefined;
  const [uri, ...at] = parsed as unknown[];
  const [line, character, endLine, endCharacter] = at.map(Number);
  if (typeof uri !== 'string' || at.length !== 4 || at.some((value) => !Number.isInteger(value)))
    return undefined;
  return {
    uri: vscode.Uri.parse(uri, true),
    range: new vscode.Range(line ?? 0, character ?? 0, endLine ?? 0, endCharacter ?? 0),
  };
}

/** Lists of a workspace's symbols may give the place of the name only. */
async function wholeSymbol(
  uri: vscode.Uri,
  name: string,
  at: vscode.Range,
): Promise<vscode.Range | undefined> {
  const found = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', uri);
  const open = [...(found ?? [])];
  let whole: vscode.Range | undefined;
  for (let symbol = open.pop(); symbol !== undefined; symbol = open.pop()) {
    const range = 'location' in symbol ? symbol.location.range : symbol.range;
    if (!range.contains(at.start)) continue;
    if ('children' in symbol) open.push(...symbol.children);
    if (symbol.name === name || name.startsWith(`${symbol.name}(`)) whole = range;
  }
  return whole;
}
