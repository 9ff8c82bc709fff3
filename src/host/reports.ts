/** Reports as read-only documents of the editor. They are gone with the window. */
import * as vscode from 'vscode';

export interface Reports extends vscode.Disposable {
  /** Shows this text under this name, in place of what it showed before. */
  show(name: string, text: string): Promise<void>;
}

const SCHEME = 'bough-report';

export function createReports(): Reports {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.path) ?? 'Run the command again to see this report.',
  });
  return {
    async show(name, text) {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
      texts.set(uri.path, text);
      changed.fire(uri);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    },
    dispose: () => {
      registration.dispose();
      changed.dispose();
    },
  };
}
