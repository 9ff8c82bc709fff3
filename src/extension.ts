/** Builds the parts and registers them. No logic. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { chatHtml } from './host/chat/html.js';

export function activate(context: vscode.ExtensionContext): void {
  const item = vscode.window.createStatusBarItem('bough', vscode.StatusBarAlignment.Left);
  item.name = 'Bough';
  item.text = 'Bough';
  item.accessibilityInformation = { label: 'Bough: idle' };
  item.command = 'bough.chat.show';
  item.show();
  const dist = vscode.Uri.joinPath(context.extensionUri, 'dist');
  const view: vscode.WebviewViewProvider = {
    resolveWebviewView({ webview }) {
      webview.options = { enableScripts: true, localResourceRoots: [dist] };
      webview.html = chatHtml({
        surface: 'view',
        sessionId: '',
        script: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.js')).toString(),
        style: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'webview.css')).toString(),
        cspSource: webview.cspSource,
        nonce: randomUUID().replaceAll('-', ''),
        language: vscode.env.language,
      });
    },
  };
  const sessions: vscode.TreeDataProvider<string> = {
    getChildren: () => [],
    getTreeItem: (title) => new vscode.TreeItem(title),
  };
  context.subscriptions.push(
    item,
    vscode.window.registerWebviewViewProvider('bough.chat', view),
    vscode.window.createTreeView('bough.sessions', { treeDataProvider: sessions }),
    vscode.commands.registerCommand('bough.chat.show', () => vscode.commands.executeCommand('bough.chat.focus')),
  );
}
