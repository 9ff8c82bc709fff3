/**
 * Which session a chat of VS Code's Chat view talks to: its delivery id, `chat:<key>:t:<thread>`, goes along with each answer
 * and comes back in the history of the next prompt. The result of an answer that was stopped does not come back; the line
 * that each chat begins with does.
 */
import type * as vscode from 'vscode';
import { deliveryId, parseDelivery } from '../../shared/route.js';
import { PARTICIPANT } from './id.js';

export const OPEN_COMMAND = 'bough.session.open';

export const threadDelivery = (key: string, thread: string): string =>
  deliveryId({ platform: 'chat', channel: key, thread });

/** Metadata of a result, by which the next prompt of the same chat finds the session; `written`: something is in its log. */
export const threadResult = (delivery: string, written: boolean): { delivery: string; written: boolean } => ({
  delivery,
  written,
});

/** A link of ours, not of the model, that opens the session. */
export const openLink = (session: string): string =>
  `command:${OPEN_COMMAND}?${encodeURIComponent(JSON.stringify([session]))}`;

/** The delivery id of this chat; undefined at its first prompt. */
export function threadOf({ history }: vscode.ChatContext, key: string): string | undefined {
  const answers = ownAnswers(history);
  const earliest = answers.find(({ response }) => response.length > 0);
  for (const turn of [...answers].reverse()) {
    const found =
      isThread(turn.result.metadata?.['delivery'], key) ??
      linkedIn(turn.response[0], key, { isEarliest: turn === earliest });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether an answer of this chat left something in the session's log. */
export const wasWritten = ({ history }: vscode.ChatContext, delivery: string): boolean =>
  ownAnswers(history).some(
    ({ result: { metadata } }) => metadata?.['delivery'] === delivery && metadata['written'] === true,
  );

const ownAnswers = (history: vscode.ChatContext['history']): vscode.ChatResponseTurn[] =>
  history.filter(
    (turn): turn is vscode.ChatResponseTurn => 'response' in turn && turn.participant === PARTICIPANT,
  );

/** Our line stands first in the answer that a chat begins with, and alone is trusted; a later one may begin with a model's words. */
function linkedIn(part: unknown, key: string, { isEarliest }: { isEarliest: boolean }): string | undefined {
  if (typeof part !== 'object' || part === null || !('value' in part)) return undefined;
  const { value } = part;
  if (typeof value !== 'object' || value === null || !('value' in value)) return undefined;
  if (!isEarliest && !isOurs(value)) return undefined;
  const text = value.value;
  const link = /^\[[^\]]*\]\(command:bough\.session\.open\?([^)\s]*)\)/.exec(String(text))?.[1];
  if (link === undefined) return undefined;
  try {
    const [session] = JSON.parse(decodeURIComponent(link)) as unknown[];
    return isThread(session, key);
  } catch {
    // No link of ours: the chat begins anew.
    return undefined;
  }
}

function isOurs(value: object): boolean {
  const trusted = 'isTrusted' in value ? value.isTrusted : undefined;
  if (typeof trusted !== 'object' || trusted === null || !('enabledCommands' in trusted)) return false;
  return Array.isArray(trusted.enabledCommands) && trusted.enabledCommands.includes(OPEN_COMMAND);
}

/** A chat may have been moved here from another folder: its sessions are not this one's. */
function isThread(id: unknown, key: string): string | undefined {
  if (typeof id !== 'string') return undefined;
  const parsed = parseDelivery(id);
  return parsed?.platform === 'chat' && parsed.channel === key && parsed.thread !== undefined
    ? id
    : undefined;
}
