/** Texts that are attached, shown in read-only editors; what is shown is in memory only and ends with the window. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

export interface AttachedTexts extends vscode.Disposable {
  show(name: string, text: string): Promise<void>;
}

const SCHEME = 'bough-attached';
const MOST = 30;

export function createAttachedTexts(): AttachedTexts {
  const texts = new Map<string, string>();
  const registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ query }) =>
      texts.get(query) ??
      'This text was shown before the window was reloaded. Open it from the chat again.\n',
  });
  return {
    async show(name, text) {
      const hash = createHash('sha256').update(text).digest('hex');
      texts.delete(hash);
      texts.set(hash, text);
      for (const oldest of [...texts.keys()].slice(0, -MOST)) texts.delete(oldest);
      const path = `/${name.replace(/[\\/:*?"<>|\s]+/g, ' ').trim() || 'Attached'}`;
      const uri = vscode.Uri.from({ scheme: SCHEME, path, query: hash });
      await vscode.window.showTextDocument(uri, { preview: true });
    },
    dispose: () => void registration.dispose(),
  };
}
