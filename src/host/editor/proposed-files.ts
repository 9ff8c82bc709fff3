/**
 * Proposed texts as files that an editor can change: what is typed is kept at once, saved or not, so that the card of the
 * call runs what is on the screen. Nothing is written to the workspace.
 */
import * as vscode from 'vscode';
import type { DiffParts } from './diffs.js';
import { NOT_PENDING, parseAddress, PROPOSED } from './proposal-address.js';
import { createBag } from '../disposables.js';

/** Keys that follow each other quickly are one change. */
const PAUSE_MS = 100;

interface Shown {
  text: string;
  /**
   * Grows with what is saved, and with what is made of it elsewhere. What is typed here and kept unsaved is no newer file:
   * the editor would not save over that.
   */
  version: number;
}

export class ProposedFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly bag = createBag();
  private readonly changed = this.bag.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  private readonly shown = new Map<string, Shown>();
  private readonly typing = new Map<string, NodeJS.Timeout>();
  /** What stands in the file for the editor, as it was read or saved last. */
  private readonly saved = new Map<string, string>();
  /** What was typed here and kept last. */
  private readonly typed = new Map<string, string>();
  /** Those with something kept that is not saved, and with something that is being kept just now. */
  private readonly unsaved = new Set<string>();
  private readonly keeping = new Map<string, Promise<void>>();
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly parts: DiffParts) {
    this.bag.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme !== PROPOSED || contentChanges.length === 0) return;
        // Taken back as far as what was saved, it is not dirty any more; nor is what was read again.
        if (document.isDirty || this.unsaved.has(document.uri.toString())) this.keepSoon(document);
      }),
    );
    this.bag.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        // Another language for it closes and opens it in one: by then it is open again.
        if (uri.scheme === PROPOSED) queueMicrotask(() => this.closed(uri));
      }),
    );
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, version, isEditable } = await this.look(uri);
    const size = Buffer.byteLength(text);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: version, size };
    // Decided while it was typed in: it is saved to nowhere, and closes without a question.
    return isEditable || openDocument(uri)?.isDirty === true
      ? stat
      : { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { text } = await this.look(uri);
    this.saved.set(uri.toString(), text);
    return Buffer.from(text);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const key = uri.toString();
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
    this.saved.set(key, text);
    this.set(uri, text, { isNewer: true });
    // Somebody types on while it is saved: what stands there now is newer, and is kept, or will be at once.
    if (this.unsaved.has(key) && !isTextOf(openDocument(uri), text)) return;
    this.forgetTyping(uri);
    this.unsaved.delete(key);
    this.typed.set(key, text);
    await this.keep(uri, text);
  }

  /** Shows what was made of it elsewhere. What is being typed here is newer. */
  async refresh(session: string): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      const { uri } = document;
      if (uri.scheme !== PROPOSED || parseAddress(uri).session !== session) continue;
      const before = this.shown.get(uri.toString());
      const { text, isEditable } = await this.look(uri);
      if (document.isDirty) {
        if (isEditable) await this.replaceTyped(document, text);
      } else if (before !== undefined && before.text !== text)
        this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }

  /** What was typed here is kept at once: what is kept and is something else comes from elsewhere, and is newer. */
  private async replaceTyped(document: vscode.TextDocument, text: string): Promise<void> {
    const key = document.uri.toString();
    const isAsKept = (): boolean => sameLines(document.getText(), text);
    if (isAsKept() || this.typing.has(key) || this.keeping.has(key)) return;
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
    // Kept as it is already: saved, it is nothing to ask about when it closes.
    if (isAsKept()) await document.save();
  }

  /** Closed without saving: what was saved before counts. */
  private closed(uri: vscode.Uri): void {
    const key = uri.toString();
    if (openDocument(uri) !== undefined) return;
    const saved = this.saved.get(key);
    this.shown.delete(key);
    this.saved.delete(key);
    this.typed.delete(key);
    this.forgetTyping(uri);
    if (this.unsaved.delete(key) && saved !== undefined) this.keepNow(uri, saved);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }
  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    for (const timer of this.typing.values()) clearTimeout(timer);
    this.bag.dispose();
  }

  private async look(uri: vscode.Uri): Promise<Shown & { isEditable: boolean }> {
    const { session, call_id, index } = parseAddress(uri);
    const key = uri.toString();
    const typedBefore = this.typed.get(key);
    const found = await this.parts.find(session, call_id);
    const file = found?.files[index];
    if (found === null || file === undefined) return { text: NOT_PENDING, version: 0, isEditable: false };
    const text = found.edited ?? file.after ?? '';
    // What was typed here meanwhile may be found or not.
    const isTyped = [typedBefore, this.typed.get(key)].some(
      (own) => own !== undefined && sameLines(own, text),
    );
    const isNewer = !isTyped && !this.keeping.has(key);
    return { ...this.set(uri, text, { isNewer }), isEditable: found.isEditable };
  }

  private set(uri: vscode.Uri, text: string, { isNewer }: { isNewer: boolean }): Shown {
    const key = uri.toString();
    const known = this.shown.get(key);
    if (known?.text === text) return known;
    const shown = { text, version: (known?.version ?? 0) + (isNewer || known === undefined ? 1 : 0) };
    this.shown.set(key, shown);
    return shown;
  }

  private keepSoon(document: vscode.TextDocument): void {
    this.forgetTyping(document.uri);
    const key = document.uri.toString();
    this.unsaved.add(key);
    const timer = setTimeout(() => {
      this.typing.delete(key);
      this.typed.set(key, document.getText());
      this.keepNow(document.uri, document.getText());
    }, PAUSE_MS);
    this.typing.set(key, timer);
  }

  private forgetTyping(uri: vscode.Uri): void {
    clearTimeout(this.typing.get(uri.toString()));
    this.typing.delete(uri.toString());
  }

  private keepNow(uri: vscode.Uri, text: string): void {
    this.keep(uri, text).catch(this.parts.onError);
  }

  /** One after the other, so that the last one counts. */
  private async keep(uri: vscode.Uri, text: string): Promise<void> {
    const key = uri.toString();
    const before = this.keeping.get(key) ?? Promise.resolve();
    const kept = before.then(
      () => this.write(uri, text),
      () => this.write(uri, text),
    );
    this.keeping.set(key, kept);
    try {
      await kept;
    } finally {
      if (this.keeping.get(key) === kept) this.keeping.delete(key);
    }
  }

  private async write(uri: vscode.Uri, text: string): Promise<void> {
    const { session, call_id, index } = parseAddress(uri);
    const file = (await this.parts.find(session, call_id))?.files[index];
    if (file === undefined) return;
    const proposed = file.after ?? '';
    // An editor gives all lines one kind of end: that alone is no change.
    const isProposed = text === proposed || (hasMixedEnds(proposed) && sameLines(text, proposed));
    await this.parts.keep(session, call_id, isProposed ? null : text);
  }
}

const openDocument = (uri: vscode.Uri): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());

/** A document tells nothing of a mark at its beginning. */
const isTextOf = (document: vscode.TextDocument | undefined, text: string): boolean =>
  document !== undefined && sameLines(document.getText(), text.replace(/^\uFEFF/, ''));

const sameLines = (one: string, other: string): boolean => withOneEnd(one) === withOneEnd(other);

const withOneEnd = (text: string): string => text.replaceAll('\r\n', '\n');

const hasMixedEnds = (text: string): boolean => text.includes('\r\n') && /(^|[^\r])\n/.test(text);
