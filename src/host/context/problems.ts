/** What the editor reports as wrong: in the open folders, or in one file of them. */
import * as vscode from 'vscode';
import type { Mention } from '../../shared/protocol.js';
import { cap } from './cap.js';
import { MOST_CHARS, shownPath } from './shown-path.js';

export type FileProblems = readonly [vscode.Uri, readonly vscode.Diagnostic[]];

const words: Readonly<Record<vscode.DiagnosticSeverity, string>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'info',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

/** Of files in the open folders; hints are no problems. */
export function allProblems(): FileProblems[] {
  return vscode.languages
    .getDiagnostics()
    .map(([uri, found]): FileProblems => [uri, found.filter(isProblem)])
    .filter(([uri, found]) => found.length > 0 && vscode.workspace.getWorkspaceFolder(uri) !== undefined);
}

export const problemsOf = (uri: vscode.Uri): FileProblems => [
  uri,
  vscode.languages.getDiagnostics(uri).filter(isProblem),
];

const isProblem = ({ severity }: vscode.Diagnostic): boolean => severity !== vscode.DiagnosticSeverity.Hint;

export const countOf = (problems: readonly FileProblems[]): number =>
  problems.reduce((sum, [, found]) => sum + found.length, 0);

/** Errors first, then by file and line. */
export function problemsMention(problems: readonly FileProblems[]): Mention {
  const rows = problems.flatMap(([uri, found]) =>
    found.map((problem) => ({ problem, path: shownPath(uri) })),
  );
  rows.sort(
    (a, b) =>
      a.problem.severity - b.problem.severity ||
      a.path.localeCompare(b.path) ||
      a.problem.range.start.compareTo(b.problem.range.start),
  );
  const [first] = problems;
  const count = rows.length === 1 ? '1 problem' : `${rows.length} problems`;
  const where = problems.length === 1 && first !== undefined ? shownPath(first[0]) : undefined;
  return {
    kind: 'problems',
    label: where === undefined ? count : `${count} in ${where.slice(where.lastIndexOf('/') + 1)}`,
    ...(where === undefined ? {} : { path: where }),
    text: rows.length === 0 ? 'There are no problems.' : cap(rows.map(rowText).join('\n'), MOST_CHARS),
  };
}

function rowText({ problem, path }: { problem: vscode.Diagnostic; path: string }): string {
  const { range, severity, message, source } = problem;
  const code = typeof problem.code === 'object' ? problem.code.value : problem.code;
  const from = [source, code].filter((part) => part !== undefined && part !== '').join(' ');
  return `${path}:${range.start.line + 1}:${range.start.character + 1} ${words[severity]}${from === '' ? '' : ` (${from})`}: ${message}`;
}
