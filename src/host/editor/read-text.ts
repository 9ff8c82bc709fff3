/** The text of a file as the person sees it: the unsaved text of an open editor, else what is on disk. */
import * as vscode from 'vscode';
import type { WorkspacePath, WorkspaceText } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { decodeText, encodeUtf8, sha256 } from './decode.js';
import { fileFailure } from './file-errors.js';

/** VS Code itself does not give extensions documents much larger than this. */
const MAX_BYTES = 32 * 1024 * 1024;

export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.toString() === wanted,
  );
}

export async function readText(path: WorkspacePath): Promise<WorkspaceText | Failure> {
  const uri = vscode.Uri.parse(path.uri, true);
  const document = openDocument(uri);
  if (document?.isDirty === true) {
    const text = document.getText();
    return { text, hash: sha256(text), dirty: true, bytes: encodeUtf8(text).length };
  }
  const bytes = await readBytes(path, uri);
  if (isFailure(bytes)) return bytes;
  return decode(path.shown, uri, bytes);
}

/** Hash of the unsaved text, else of the bytes on disk; null when there is no such file. */
export async function hashText(path: WorkspacePath): Promise<string | null> {
  const uri = vscode.Uri.parse(path.uri, true);
  const document = openDocument(uri);
  if (document?.isDirty === true) return sha256(document.getText());
  try {
    return sha256(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    fileFailure(path.shown, error);
    return null;
  }
}

/** The unsaved text as bytes, else the bytes on disk, of whatever kind they are; null when there is no such file. */
export async function readCurrent(path: WorkspacePath): Promise<Uint8Array | null | Failure> {
  const uri = vscode.Uri.parse(path.uri, true);
  const document = openDocument(uri);
  if (document?.isDirty === true) return encodeUtf8(document.getText());
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    const failure = fileFailure(path.shown, error);
    return failure.code === 'missing' ? null : failure;
  }
}

async function readBytes(path: WorkspacePath, uri: vscode.Uri): Promise<Uint8Array | Failure> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) {
      return toolFailure('folder', `${path.shown} is a folder. Use list to see what is in it.`);
    }
    if (size > MAX_BYTES) {
      const megabytes = Math.round(size / 1024 / 1024);
      return toolFailure(
        'too-large',
        `${path.shown} has ${megabytes} MB, too much to read as text. Use search, or a command.`,
      );
    }
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    return fileFailure(path.shown, error);
  }
}

async function decode(shown: string, uri: vscode.Uri, bytes: Uint8Array): Promise<WorkspaceText | Failure> {
  const decoded = decodeText(bytes);
  if (decoded === 'binary') return toolFailure('binary', `${shown} is a binary file, not text.`);
  const state = { hash: sha256(bytes), dirty: false, bytes: bytes.length };
  const isByItself = decoded.encoding === 'utf-16' || encodingOf(uri).startsWith('utf8');
  if (decoded.valid && isByItself) return { ...state, text: decoded.text };
  if (decoded.encoding === 'utf-16') return { ...state, text: decoded.text, lossy: true };
  // The person told VS Code which encoding this file has, or lets it guess.
  const text = (await decodeAsShown(uri, bytes)).replace(/^\uFEFF/, '');
  return !decoded.valid && text.includes('\uFFFD') ? { ...state, text, lossy: true } : { ...state, text };
}

/** As an editor shows these bytes: by the encoding the person chose there, else by the settings. */
export function decodeAsShown(uri: vscode.Uri, bytes: Uint8Array): Thenable<string> {
  const encoding = openDocument(uri)?.encoding;
  return encoding === undefined
    ? vscode.workspace.decode(bytes, { uri })
    : vscode.workspace.decode(bytes, { encoding });
}

const encodingOf = (uri: vscode.Uri): string =>
  openDocument(uri)?.encoding ??
  vscode.workspace.getConfiguration('files', uri).get<string>('encoding', 'utf8');
