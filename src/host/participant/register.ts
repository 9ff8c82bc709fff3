/** Bough in VS Code's own Chat view, as `@bough`. Registered at once; what answers is loaded with the rest. */
import * as vscode from 'vscode';
import { PARTICIPANT } from './id.js';

/** What VS Code hands over with a prompt. */
export interface ChatAsked {
  request: vscode.ChatRequest;
  context: vscode.ChatContext;
  stream: vscode.ChatResponseStream;
  token: vscode.CancellationToken;
}

export function registerParticipant(
  extensionUri: vscode.Uri,
  load: () => Promise<{ answer: (asked: ChatAsked) => Promise<vscode.ChatResult> }>,
): vscode.Disposable {
  // Editors built on VS Code may leave it out.
  const { chat } = vscode as { chat?: Partial<typeof vscode.chat> };
  if (typeof chat?.createChatParticipant !== 'function') return { dispose: () => undefined };
  const participant = chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) =>
    (await load()).answer({ request, context, stream, token }),
  );
  const icon = (name: string) => vscode.Uri.joinPath(extensionUri, 'media', name);
  participant.iconPath = { light: icon('bough-light.svg'), dark: icon('bough-dark.svg') };
  return participant;
}
