/**
 * What a person does with a code block of an answer: puts it at the cursor, compares it with the file it is for and takes
 * it or not, or opens it. Nothing is changed without that decision, and what is changed can be undone in the editor.
 */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { CodeInfo } from '../../shared/code-info.js';
import { toolFailure, type Failure } from '../../shared/failure.js';
import { Refusal } from '../errors.js';
import { locateFile, stat } from '../files.js';
import { createBag } from '../disposables.js';
import { openDocument } from './read-text.js';
import { minimalChange } from './minimal-change.js';

const SCHEME = 'bough-code';

/** A change that was shown and waits for the person. */
interface Pending {
  uri: vscode.Uri;
  shown: string;
  /** What the file held when it was compared; null: there was none. */
  before: string | null;
  after: string;
}

export interface CodeBlocks extends vscode.Disposable {
  insert(text: string): Promise<void>;
  /** Shows what taking it would change, and asks. */
  propose(text: string, info: CodeInfo): Promise<void>;
  /** The change of the comparison in front, or of this one. */
  accept(given?: unknown): Promise<void>;
  discard(given?: unknown): Promise<void>;
  open(text: string, info: CodeInfo): Promise<void>;
}

export interface CodeBlockParts {
  ask: (text: string, buttons: Readonly<Record<string, () => unknown>>) => void;
}

export function createCodeBlocks({ ask }: CodeBlockParts): CodeBlocks {
  const bag = createBag();
  const pending = new Map<string, Pending>();
  const lastEditor = bag.add(followEditors());
  bag.add(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: ({ authority, query }) => {
        const change = pending.get(authority);
        if (change === undefined) return 'This change is not waiting for a decision any more.';
        return query === 'before' ? '' : change.after;
      },
    }),
  );
  // A comparison that is closed is a change that is not wanted.
  bag.add(
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const key of closed.map(keyOfTab)) if (key !== undefined) pending.delete(key);
    }),
  );
  const take = (given: unknown): { key: string; change: Pending } => {
    const key = keyOf(given) ?? keyInFront();
    const change = key === undefined ? undefined : pending.get(key);
    if (key === undefined || change === undefined) throw new Refusal(notPending);
    return { key, change };
  };
  const end = async (key: string): Promise<void> => {
    pending.delete(key);
    await closeComparison(key);
  };
  const accept = async (given?: unknown): Promise<void> => {
    const { key, change } = take(given);
    await apply(change);
    await end(key);
    await vscode.window.showTextDocument(change.uri, { preview: false });
  };
  const discard = async (given?: unknown): Promise<void> => end(take(given).key);
  return {
    insert: (text) => insertAt(lastEditor.editor(), text),
    propose: async (text, info) => {
      const change = await changeFor(text, info, lastEditor.editor());
      if (change.before === change.after) throw new Refusal(nothingToChange(change.shown));
      const key = randomUUID();
      pending.set(key, change);
      await compare(key, change);
      ask(vscode.l10n.t('Apply this change to {0}?', change.shown), {
        [vscode.l10n.t('Apply')]: () => accept(key),
        [vscode.l10n.t('Discard')]: () => discard(key),
      });
    },
    accept,
    discard,
    open: openUntitled,
    dispose: () => bag.dispose(),
  };
}

/** A chat in an editor tab takes the place of the active editor: then it is the one before. */
function followEditors(): vscode.Disposable & { editor: () => vscode.TextEditor | undefined } {
  let last = vscode.window.activeTextEditor;
  const subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    last = editor ?? last;
  });
  return {
    editor: () => {
      const { activeTextEditor: active, visibleTextEditors: visible } = vscode.window;
      const isWritable = ({ document }: vscode.TextEditor) =>
        !['output', SCHEME, 'bough-report', 'bough-proposal', 'bough-proposed'].includes(document.uri.scheme);
      const inSight = visible.filter(isWritable);
      if (active !== undefined && isWritable(active)) return active;
      return inSight.find(({ document }) => document === last?.document) ?? inSight[0];
    },
    dispose: () => void subscription.dispose(),
  };
}

async function insertAt(editor: vscode.TextEditor | undefined, text: string): Promise<void> {
  if (editor === undefined) throw new Refusal(noEditor);
  const isDone = await editor.edit((builder) => {
    for (const selection of editor.selections) builder.replace(selection, text);
  });
  if (!isDone) throw new Refusal(notEditable(vscode.workspace.asRelativePath(editor.document.uri)));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

async function changeFor(
  text: string,
  { path }: CodeInfo,
  editor: vscode.TextEditor | undefined,
): Promise<Pending> {
  if (path !== undefined) return changeOfFile(text, path);
  if (editor === undefined) throw new Refusal(noEditor);
  const { document, selection } = editor;
  const before = document.getText();
  const shown = vscode.workspace.asRelativePath(document.uri);
  const whole = { uri: document.uri, shown, before };
  if (selection.isEmpty) return { ...whole, after: likeBefore(before, text) };
  const [start, end] = [document.offsetAt(selection.start), document.offsetAt(selection.end)];
  return { ...whole, after: before.slice(0, start) + text + before.slice(end) };
}

async function changeOfFile(text: string, path: string): Promise<Pending> {
  const uri = await locateFile(path);
  if (uri === undefined) throw new Refusal(noPlace(path));
  const shown = vscode.workspace.asRelativePath(uri);
  if ((await stat(uri)) === undefined && openDocument(uri) === undefined)
    return { uri, shown, before: null, after: withNewline(text) };
  const before = (await vscode.workspace.openTextDocument(uri)).getText();
  return { uri, shown, before, after: likeBefore(before, text) };
}

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** A block has no last newline and no CRLF; the file keeps its own. */
function likeBefore(before: string, text: string): string {
  const ended = before === '' || before.endsWith('\n') ? withNewline(text) : text;
  return before.includes('\r\n') ? ended.replace(/\r?\n/g, '\r\n') : ended;
}

/** The path of a document without a file begins with no slash. */
const address = (key: string, { uri }: Pending, query = ''): vscode.Uri =>
  vscode.Uri.from({ scheme: SCHEME, authority: key, path: uri.path.replace(/^\/?/, '/'), query });

async function compare(key: string, change: Pending): Promise<void> {
  const left = change.before === null ? address(key, change, 'before') : change.uri;
  const title =
    change.before === null
      ? vscode.l10n.t('{0} (new, from the chat)', change.shown)
      : vscode.l10n.t('{0} (from the chat)', change.shown);
  await vscode.commands.executeCommand('vscode.diff', left, address(key, change), title, { preview: false });
}

async function apply(change: Pending): Promise<void> {
  const { uri, shown, before, after } = change;
  const edit = new vscode.WorkspaceEdit();
  if (before === null) {
    edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(after) });
    if (!(await vscode.workspace.applyEdit(edit))) throw new Refusal(notEditable(shown));
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.getText() !== before) throw new Refusal(changedMeanwhile(shown));
  const wasDirty = document.isDirty;
  const { start, end, text } = minimalChange(before, after);
  edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  if (!(await vscode.workspace.applyEdit(edit))) throw new Refusal(notEditable(shown));
  if (!wasDirty && !document.isUntitled) await document.save();
}

async function openUntitled(text: string, { language, path }: CodeInfo): Promise<void> {
  const known = await vscode.languages.getLanguages();
  const ending = path?.slice(path.lastIndexOf('.') + 1) ?? '';
  const wanted = [language, aliases[language], ending, aliases[ending]];
  const found = wanted.find((id) => id !== undefined && known.includes(id));
  const document = await vscode.workspace.openTextDocument({
    content: text,
    language: found ?? 'plaintext',
  });
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Names that models use, where VS Code has another. */
const aliases: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  'c#': 'csharp',
  'c++': 'cpp',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  js: 'javascript',
  jsx: 'javascriptreact',
  kt: 'kotlin',
  md: 'markdown',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

function keyOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  return given instanceof vscode.Uri && given.scheme === SCHEME ? given.authority : undefined;
}

const keyOfTab = ({ input }: vscode.Tab): string | undefined =>
  input instanceof vscode.TabInputTextDiff ? keyOf(input.modified) : undefined;

const keyInFront = (): string | undefined => {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab === undefined ? undefined : keyOfTab(tab);
};

async function closeComparison(key: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(tabs.filter((tab) => keyOfTab(tab) === key));
}

const notPending = toolFailure(
  'no-proposal',
  'This change is not waiting for a decision any more. Apply the code block again.',
);
const noEditor = toolFailure(
  'no-editor',
  'There is no file open to put this into. Open one, or name the file in the request.',
);
const noPlace = (path: string): Failure =>
  toolFailure('outside', `${path} lies in none of the open folders. Open its folder, or copy the code.`);
const notEditable = (shown: string): Failure =>
  toolFailure('not-applied', `VS Code did not change ${shown}; it may be read-only.`);
const changedMeanwhile = (shown: string): Failure =>
  toolFailure('changed', `${shown} was changed meanwhile; nothing was written. Apply the code block again.`);
const nothingToChange = (shown: string): Failure =>
  toolFailure('same', `${shown} is like this already; there is nothing to change.`);
