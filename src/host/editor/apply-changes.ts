/**
 * Changes files through the editor: with Undo, into open buffers, with format on save. What was clean is saved and stays
 * clean; what had unsaved changes is edited and left unsaved. A file that is not what the change was made for is not touched.
 */
import * as vscode from 'vscode';
import type { AppliedChange, FileChange } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { decodeText, encodeUtf8 } from './decode.js';
import { fileFailure } from './file-errors.js';
import { lockedFailure } from './locked.js';
import { minimalChange } from './minimal-change.js';
import { decodeAsShown, openDocument } from './read-text.js';

/** How long an editor may take to notice that its file changed, or was saved, on disk. */
const CATCH_UP_MS = 5000;

interface Target {
  change: FileChange;
  uri: vscode.Uri;
  /** Undefined for a file that is not there yet. */
  document: vscode.TextDocument | undefined;
  wasDirty: boolean;
  beforeBytes: Uint8Array | null;
}

export async function applyChanges(changes: readonly FileChange[]): Promise<AppliedChange[] | Failure> {
  const targets: Target[] = [];
  for (const change of changes) {
    const target = await open(change);
    if (isFailure(target)) return target;
    targets.push(target);
  }
  const edit = new vscode.WorkspaceEdit();
  for (const target of targets) add(edit, target);
  if (!(await vscode.workspace.applyEdit(edit))) {
    const names = changes.map(({ path }) => path.shown).join(', ');
    return toolFailure(
      'not-applied',
      `VS Code did not apply the change to ${names}; nothing was written. The file may be read-only.`,
    );
  }
  const applied: AppliedChange[] = [];
  for (const target of targets) applied.push(await save(target));
  return applied;
}

async function open(change: FileChange): Promise<Target | Failure> {
  const { path, before } = change;
  const uri = vscode.Uri.parse(path.uri, true);
  const wasDirty = openDocument(uri)?.isDirty === true;
  const bytes = await bytesOf(uri);
  // What is typed into an unsaved editor is not written.
  const locked = wasDirty ? null : await lockedFailure(path);
  if (locked !== null) return locked;
  if (before === null) {
    if (bytes === null && !wasDirty) return { change, uri, document: undefined, wasDirty, beforeBytes: null };
    return toolFailure('changed', `${path.shown} exists meanwhile; nothing was written. Read it first.`);
  }
  if (bytes === null && !wasDirty) {
    return toolFailure('changed', `${path.shown} is gone; nothing was written.`);
  }
  const document = await openText(path.shown, uri);
  if (isFailure(document)) return document;
  if (!(await holds(document, before))) {
    return toolFailure(
      'changed',
      document.isDirty
        ? `${path.shown} was changed in the editor meanwhile; nothing was written. Read it again.`
        : `${path.shown} is open in an editor that shows an older text than the disk; nothing was written. Try again, or revert that editor.`,
    );
  }
  return { change, uri, document, wasDirty, beforeBytes: wasDirty ? encodeUtf8(document.getText()) : bytes };
}

async function openText(shown: string, uri: vscode.Uri): Promise<vscode.TextDocument | Failure> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toolFailure('not-opened', `VS Code cannot open ${shown} as text: ${reason}`);
  }
}

/** With the ends of lines as VS Code has them: to it a carriage return by itself is one too. */
const flat = (text: string): string => text.replace(/\r\n?/g, '\n');

/** Whether the document has this text, after it had the time to catch up with the disk. VS Code unifies line endings. */
async function holds(document: vscode.TextDocument, text: string): Promise<boolean> {
  const wanted = flat(text);
  const isSame = (): boolean => flat(document.getText()) === wanted;
  if (isSame() || document.isDirty) return isSame();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(limit);
      changed.dispose();
      resolve(isSame());
    };
    const changed = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && (isSame() || document.isDirty)) done();
    });
    const limit = setTimeout(done, CATCH_UP_MS);
  });
}

function add(edit: vscode.WorkspaceEdit, { change: { before, after }, uri, document }: Target): void {
  if (after === null) {
    edit.deleteFile(uri, { ignoreIfNotExists: false });
    return;
  }
  if (document === undefined || before === null) {
    edit.createFile(uri, { overwrite: false, ignoreIfExists: false });
    const ending = after.includes('\r\n') ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
    edit.set(uri, [
      vscode.TextEdit.insert(new vscode.Position(0, 0), after),
      vscode.TextEdit.setEndOfLine(ending),
    ]);
    return;
  }
  const wanted = document.eol === vscode.EndOfLine.CRLF ? flat(after).replaceAll('\n', '\r\n') : flat(after);
  const { start, end, text } = minimalChange(document.getText(), wanted);
  edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
}

async function save({ change, uri, wasDirty, beforeBytes }: Target): Promise<AppliedChange> {
  const state = { path: change.path, before_bytes: beforeBytes };
  if (change.after === null) return { ...state, text: '', saved: true, after_bytes: null };
  const document = await vscode.workspace.openTextDocument(uri);
  if (wasDirty) return unsaved(state, document);
  // What `save` answers is not enough: it is false when saving was not needed any more, and a document that is read-only
  // by a setting counts as saved.
  await document.save();
  await isClean(document);
  const bytes = await bytesOf(uri);
  // The disk decides: on a busy machine the editor may take long to hear that its own save went well.
  if (await isOnDisk(document, bytes)) {
    return { ...state, text: document.getText(), saved: true, after_bytes: bytes };
  }
  if (document.isDirty) {
    const problem =
      `VS Code could not save ${change.path.shown}: the change stands in the editor and NOT on disk. ` +
      'The disk may be full, or the file read-only or changed by something else.';
    return { ...unsaved(state, document), problem };
  }
  await restore(document, change.before ?? '');
  const problem = `${change.path.shown} was not changed: VS Code treats it as read-only.`;
  return { ...state, text: document.getText(), saved: false, after_bytes: bytes, problem };
}

/** Waits until the document counts as saved, for as long as that may take to become known. */
async function isClean(document: vscode.TextDocument): Promise<void> {
  if (!document.isDirty) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(limit);
      saved.dispose();
      resolve();
    };
    const saved = vscode.workspace.onDidSaveTextDocument((other) => {
      if (other === document) done();
    });
    const limit = setTimeout(done, CATCH_UP_MS);
  });
}

async function isOnDisk(document: vscode.TextDocument, bytes: Uint8Array | null): Promise<boolean> {
  if (bytes === null) return false;
  const decoded = decodeText(bytes);
  const text = document.getText();
  if (typeof decoded !== 'string' && flat(decoded.text) === flat(text)) return true;
  return flat(await decodeAsShown(document.uri, bytes)).replace(/^\uFEFF/, '') === flat(text);
}

async function restore(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const all = new vscode.Range(new vscode.Position(0, 0), document.positionAt(document.getText().length));
  edit.replace(document.uri, all, text);
  await vscode.workspace.applyEdit(edit);
}

function unsaved(
  state: Pick<AppliedChange, 'path' | 'before_bytes'>,
  document: vscode.TextDocument,
): AppliedChange {
  const text = document.getText();
  return { ...state, text, saved: false, after_bytes: encodeUtf8(text) };
}

async function bytesOf(uri: vscode.Uri): Promise<Uint8Array | null> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    fileFailure(uri.path, error);
    return null;
  }
}
