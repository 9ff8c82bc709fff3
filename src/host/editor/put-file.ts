/**
 * Puts the bytes of a file back as they were, or takes the file away: byte for byte, so not through a save that would
 * format them. An editor without unsaved changes shows them by itself; one with unsaved changes is changed, not saved.
 */
import * as vscode from 'vscode';
import type { PutChange, PutResult, WorkspacePath } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { applyChanges } from './apply-changes.js';
import { decodeText, sha256 } from './decode.js';
import { fileFailure } from './file-errors.js';
import { lockedFailure } from './locked.js';
import { openDocument, readCurrent } from './read-text.js';

export async function putFile(path: WorkspacePath, { seen, bytes }: PutChange): Promise<PutResult | Failure> {
  const uri = vscode.Uri.parse(path.uri, true);
  const now = await readCurrent(path);
  if (isFailure(now)) return now;
  if ((now === null ? null : sha256(now)) !== seen)
    return toolFailure('changed', `${path.shown} was changed meanwhile; it was left alone.`);
  const document = openDocument(uri);
  if (document?.isDirty === true) return putText(path, document.getText(), bytes);
  const readOnly = await readOnlyFailure(path, uri);
  if (readOnly !== null) return readOnly;
  try {
    if (bytes === null) await vscode.workspace.fs.delete(uri);
    else {
      await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
      await vscode.workspace.fs.writeFile(uri, bytes);
    }
  } catch (error) {
    return notWritten(path, error);
  }
  return { hash: bytes === null ? null : sha256(bytes), saved: true };
}

async function putText(
  path: WorkspacePath,
  text: string,
  bytes: Uint8Array | null,
): Promise<PutResult | Failure> {
  if (bytes === null)
    return toolFailure(
      'unsaved',
      `${path.shown} has unsaved changes in the editor, so it was not removed. Save or revert it first.`,
    );
  const wanted = decodeText(bytes);
  if (typeof wanted === 'string' || !wanted.valid)
    return toolFailure(
      'unsaved',
      `${path.shown} has unsaved changes in the editor, and what is to stand there is no UTF-8 text. Save or revert it first.`,
    );
  const applied = await applyChanges([{ path, before: text, after: wanted.text }]);
  if (isFailure(applied)) return applied;
  const after = applied[0]?.after_bytes ?? null;
  return { hash: after === null ? null : sha256(after), saved: false };
}

async function readOnlyFailure(path: WorkspacePath, uri: vscode.Uri): Promise<Failure | null> {
  if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) return readOnly(path);
  try {
    const { permissions = 0 } = await vscode.workspace.fs.stat(uri);
    if ((permissions & vscode.FilePermission.Readonly) !== 0) return readOnly(path);
    return (await lockedFailure(path)) === null ? null : readOnly(path);
  } catch (error) {
    const failure = fileFailure(path.shown, error);
    return failure.code === 'missing' ? null : failure;
  }
}

const readOnly = ({ shown }: WorkspacePath): Failure =>
  toolFailure('read-only', `${shown} is read-only; it was left alone.`);

function notWritten(path: WorkspacePath, error: unknown): Failure {
  const failure = fileFailure(path.shown, error);
  if (failure.code === 'denied' || failure.code === 'missing') return readOnly(path);
  return toolFailure('not-written', `${path.shown} could not be written: ${failure.message}`);
}
