/**
 * The document of a chat webview: nothing runs or loads but our own script, style and icon font. What the body says
 * (surface, session, run) is the contract with tests; the script keeps it current.
 */

/** The type of the chat's editor tabs. */
export const TAB = 'bough.tab';

export type Surface = 'view' | 'tab';

export interface ChatPage {
  surface: Surface;
  sessionId: string;
  /** Of an editor tab, which keeps it over a reload. */
  tabId: string;
  /** Addresses as the webview sees them. */
  script: string;
  style: string;
  cspSource: string;
  nonce: string;
  language: string;
}

export function chatHtml(page: ChatPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${page.nonce}'`,
    `style-src ${page.cspSource}`,
    `font-src ${page.cspSource}`,
    `img-src ${page.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const text = (value: string) => value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!DOCTYPE html>
<html lang="${text(page.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${text(policy)}">
<title>Bough</title>
<link rel="stylesheet" href="${text(page.style)}">
</head>
<body data-webview="chat" data-surface="${page.surface}" data-session-id="${text(page.sessionId)}" data-tab-id="${text(page.tabId)}" data-run="idle">
<div id="app"></div>
<script nonce="${page.nonce}" src="${text(page.script)}"></script>
</body>
</html>`;
}
