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
  /** Grows with each change. */
  version: number;
}

export class ProposedFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly bag = createBag();
  private readonly changed = this.bag.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  private readonly shown = new Map<string, Shown>();
  private readonly typing = new Map<string, NodeJS.Timeout>();
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly parts: DiffParts) {
    this.bag.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme === PROPOSED && document.isDirty && contentChanges.length > 0)
          this.keepSoon(document);
      }),
    );
    // Closed without saving: what was saved before counts.
    this.bag.add(
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme !== PROPOSED) return;
        const known = this.shown.get(document.uri.toString());
        this.shown.delete(document.uri.toString());
        this.forgetTyping(document.uri);
        if (known !== undefined && known.text !== document.getText()) this.keepNow(document.uri, known.text);
      }),
    );
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, version, isEditable } = await this.look(uri);
    const size = Buffer.byteLength(text);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: version, size };
    return isEditable ? stat : { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.look(uri)).text);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
    this.forgetTyping(uri);
    this.set(uri, text);
    await this.keep(uri, text);
  }

  /** Shows what was made of it elsewhere. What is being typed here is newer. */
  async refresh(session: string): Promise<void> {
    for (const { uri, isDirty } of vscode.workspace.textDocuments) {
      if (uri.scheme !== PROPOSED || isDirty || parseAddress(uri).session !== session) continue;
      const before = this.shown.get(uri.toString());
      const { text } = await this.look(uri);
      if (before !== undefined && before.text !== text)
        this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
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
    const found = await this.parts.find(session, call_id);
    const file = found?.files[index];
    if (found === null || file === undefined) return { text: NOT_PENDING, version: 0, isEditable: false };
    const text = found.edited ?? file.after ?? '';
    return { ...this.set(uri, text), isEditable: found.isEditable };
  }

  private set(uri: vscode.Uri, text: string): Shown {
    const key = uri.toString();
    const known = this.shown.get(key);
    if (known?.text === text) return known;
    const shown = { text, version: (known?.version ?? 0) + 1 };
    this.shown.set(key, shown);
    return shown;
  }

  private keepSoon(document: vscode.TextDocument): void {
    this.forgetTyping(document.uri);
    const timer = setTimeout(() => this.keepNow(document.uri, document.getText()), PAUSE_MS);
    this.typing.set(document.uri.toString(), timer);
  }

  private forgetTyping(uri: vscode.Uri): void {
    clearTimeout(this.typing.get(uri.toString()));
    this.typing.delete(uri.toString());
  }

  private keepNow(uri: vscode.Uri, text: string): void {
    this.keep(uri, text).catch(this.parts.onError);
  }

  private async keep(uri: vscode.Uri, text: string): Promise<void> {
    const { session, call_id, index } = parseAddress(uri);
    const file = (await this.parts.find(session, call_id))?.files[index];
    if (file === undefined) return;
    await this.parts.keep(session, call_id, text === (file.after ?? '') ? null : text);
  }
}
