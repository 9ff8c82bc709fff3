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

/** Metadata of a result, by which the next prompt of the same chat finds the session. */
export const threadResult = (delivery: string): { delivery: string } => ({ delivery });

/** A link of ours, not of the model, that opens the session. */
export const openLink = (session: string): string =>
  `command:${OPEN_COMMAND}?${encodeURIComponent(JSON.stringify([session]))}`;

/** The delivery id of this chat; undefined at its first prompt. */
export function threadOf({ history }: vscode.ChatContext, key: string): string | undefined {
  for (const turn of [...history].reverse()) {
    if (!('response' in turn) || turn.participant !== PARTICIPANT) continue;
    const found = isThread(turn.result.metadata?.['delivery'], key) ?? linkedIn(turn.response[0], key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Only the first part of an answer is ours alone. */
function linkedIn(part: unknown, key: string): string | undefined {
  if (typeof part !== 'object' || part === null || !('value' in part)) return undefined;
  const text =
    typeof part.value === 'object' && part.value !== null && 'value' in part.value ? part.value.value : '';
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

/** A chat may have been moved here from another folder: its sessions are not this one's. */
function isThread(id: unknown, key: string): string | undefined {
  if (typeof id !== 'string') return undefined;
  const parsed = parseDelivery(id);
  return parsed?.platform === 'chat' && parsed.channel === key && parsed.thread !== undefined
    ? id
    : undefined;
}
