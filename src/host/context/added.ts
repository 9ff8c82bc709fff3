/** What is added to a message from outside the chat: from an editor, the explorer, a problem. */
import * as vscode from 'vscode';
import type { Mention } from '../../shared/protocol.js';
import { Refusal } from '../errors.js';
import { pathsOf } from '../files.js';
import { allProblems, problemsMention, problemsOf } from './problems.js';
import { lastEditor, selectionMention } from './selection.js';
import { shownPath } from './shown-path.js';

export interface AddedMentions {
  /** The file when nothing in it is selected. */
  selection(): Mention;
  files(uris: readonly vscode.Uri[]): Promise<Mention[]>;
  /** These, all of the file, or all there are. */
  problems(file: vscode.Uri | undefined, problems: unknown): Mention;
}

export function createContextMention(): AddedMentions {
  return {
    selection: () => selectionMention() ?? fileMention(),
    files: async (uris) => {
      const found = await pathsOf(uris.map(String));
      if (found.length === 0) throw refused(vscode.l10n.t('It lies in none of the open folders.'));
      return found.map(({ path, kind }): Mention => ({ kind, label: path, path }));
    },
    problems: (file, problems) => {
      if (file === undefined) return problemsMention(allProblems());
      const given = Array.isArray(problems)
        ? (problems as unknown[]).filter((problem) => problem instanceof vscode.Diagnostic)
        : [];
      return problemsMention([given.length > 0 ? [file, given] : problemsOf(file)]);
    },
  };
}

function fileMention(): Mention {
  const editor = lastEditor();
  if (editor === undefined) throw refused(vscode.l10n.t('No editor is open.'));
  const { document } = editor;
  const path = shownPath(document.uri);
  if (vscode.workspace.getWorkspaceFolder(document.uri) !== undefined)
    return { kind: 'file', label: path, path };
  throw refused(vscode.l10n.t('Select something in it: the file lies in none of the open folders.'));
}

const refused = (message: string): Refusal => new Refusal({ kind: 'refused', message, transient: false });

/** Offers, where a problem is, to ask about it: in the light bulb, and in the menu of the Problems view. */
export function offerProblems(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { pattern: '**' },
    {
      provideCodeActions(document, _range, { diagnostics }) {
        const isHere = vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
        if (diagnostics.length === 0 || !isHere) return [];
        const title = vscode.l10n.t('Add to Bough Chat');
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
        action.diagnostics = [...diagnostics];
        action.command = {
          command: 'bough.chat.addProblems',
          title,
          arguments: [document.uri, [...diagnostics]],
        };
        return [action];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}
