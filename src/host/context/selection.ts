/** What is selected in the editor that was used last. */
import * as vscode from 'vscode';
import type { Mention } from '../../shared/protocol.js';
import { cap } from './cap.js';
import { MOST_CHARS, shownPath } from './shown-path.js';

/** One that shows a file or a new text: a chat in a tab of its own has none. */
export function lastEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return [activeTextEditor, ...visibleTextEditors].find(
    (editor) => editor !== undefined && !['output', 'debug'].includes(editor.document.uri.scheme),
  );
}

/** Undefined when nothing is selected. */
export function selectionMention(editor = lastEditor()): Mention | undefined {
  if (editor === undefined || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  return rangeMention(document, selection, { kind: 'selection' });
}

export function rangeMention(
  document: vscode.TextDocument,
  range: vscode.Range,
  { kind, name }: { kind: 'selection' | 'symbol'; name?: string },
): Mention {
  const path = shownPath(document.uri);
  const first = range.start.line + 1;
  // A selection that ends before the first character of a line does not take that line in.
  const last =
    range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
  const lines = first === last ? `${first}` : `${first}-${last}`;
  const file = path.slice(path.lastIndexOf('/') + 1);
  const text = cap(document.getText(range), MOST_CHARS);
  return {
    kind,
    label: `${name ?? file}:${lines}`,
    path,
    text: `Lines ${first} to ${last} of ${path}:\n${fenced(text, document.languageId)}`,
  };
}

/** Longer than any run of backticks within. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
