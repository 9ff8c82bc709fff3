/** A webview of ours as VS Code gives it: its document set, and what it says kept until somebody listens. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { chatHtml, type Surface } from './html.js';

export interface Page {
  readonly webview: vscode.Webview;
  /** From now on, and what came before. */
  listen(receive: (data: unknown) => void): void;
}

export function openPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  surface: Surface,
  { sessionId = '', tabId = '' }: { sessionId?: string; tabId?: string } = {},
): Page {
  const dist = vscode.Uri.joinPath(extensionUri, 'dist');
  const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  let waiting: unknown[] | undefined = [];
  let receiver: (data: unknown) => void = (data) => waiting?.push(data);
  webview.onDidReceiveMessage((data: unknown) => receiver(data));
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  webview.html = chatHtml({
    surface,
    sessionId,
    tabId,
    script: address('webview.js'),
    style: address('webview.css'),
    cspSource: webview.cspSource,
    nonce: randomUUID().replaceAll('-', ''),
    language: vscode.env.language,
  });
  return {
    webview,
    listen(receive) {
      const before = waiting ?? [];
      waiting = undefined;
      receiver = receive;
      before.forEach(receive);
    },
  };
}
