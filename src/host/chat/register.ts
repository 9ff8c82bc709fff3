/** Registers the chat's view and its tabs. A document is there at once; what it says is heard when the rest is loaded. */
import * as vscode from 'vscode';
import type { Chats } from './chats.js';
import { TAB } from './html.js';
import { openPage } from './page.js';

export interface RegisterChatParts {
  extensionUri: vscode.Uri;
  load: () => Promise<{ chats: Chats }>;
  onError: (error: unknown, doing: string) => void;
}

export function registerChat({ extensionUri, load, onError }: RegisterChatParts): vscode.Disposable {
  const attach = async (work: (chats: Chats) => Promise<void>) => {
    try {
      await work((await load()).chats);
    } catch (error) {
      onError(error, 'Opening the chat');
    }
  };
  const view: vscode.WebviewViewProvider = {
    resolveWebviewView: (webviewView) => {
      const page = openPage(webviewView.webview, extensionUri, 'view');
      void attach((chats) => chats.attachView(webviewView, page));
    },
  };
  const tabs: vscode.WebviewPanelSerializer = {
    deserializeWebviewPanel: (panel, state: unknown) => {
      const kept = keptBy(state);
      if (kept !== undefined) return attach((chats) => chats.restoreTab(panel, kept));
      panel.dispose();
      return Promise.resolve();
    },
  };
  return vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider('bough.chat', view),
    vscode.window.registerWebviewPanelSerializer(TAB, tabs),
  );
}

/** What the tab's document keeps for a reload. */
function keptBy(state: unknown): { session: string; tab: string | undefined } | undefined {
  if (typeof state !== 'object' || state === null || !('session' in state)) return undefined;
  const { session } = state;
  if (typeof session !== 'string' || session === '') return undefined;
  const tab = 'tab' in state && typeof state.tab === 'string' && state.tab !== '' ? state.tab : undefined;
  return { session, tab };
}
