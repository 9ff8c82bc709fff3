/**
 * Answers a prompt of VS Code's own Chat view: it goes into a session like any other, by the same path as the prompts of
 * other extensions, and what comes of it is told there. Nothing is decided here, neither by the chat: cards are answered in
 * Bough.
 */
import * as vscode from 'vscode';
import { isBoughError } from '../../shared/failure.js';
import type { TurnError } from '../api.js';
import { routedSession, type RouteParts } from '../api-routes.js';
import { prompt } from '../api-turn.js';
import { openFresh } from '../sessions/open-fresh.js';
import type { OpenSessions } from '../sessions/open-sessions.js';
import type { WindowStore } from '../sessions/window-store.js';
import { readReferences } from './references.js';
import type { ChatAsked } from './register.js';
import { tellTurn, type Told } from './telling.js';
import { OPEN_COMMAND, openLink, threadDelivery, threadOf, threadResult, wasWritten } from './thread.js';

export interface AnswerParts {
  sessions: OpenSessions;
  store: WindowStore;
  routes: RouteParts;
  freshThread: () => string;
}

export async function answerInChat(
  { sessions, store, routes, freshThread }: AnswerParts,
  { request, context, stream, token }: ChatAsked,
): Promise<vscode.ChatResult> {
  const { key } = store.first;
  const before = threadOf(context, key);
  const delivery = before ?? threadDelivery(key, freshThread());
  const id = await routedSession(routes, { delivery });
  const said = chatOf(stream, id);
  if (before === undefined) said.begins();
  else if (wasWritten(context, delivery) && (await store.summary(id)) === undefined) said.isNew();
  const opened = await openFresh(sessions, id);
  const result = (): vscode.ChatResult => ({
    metadata: threadResult(delivery, opened.agent.log.position > 0 || wasWritten(context, delivery)),
  });
  const trouble = sessions.troubleOf(id);
  if (trouble) return { ...result(), errorDetails: { message: trouble.message } };
  const { agent } = opened;
  const stopping = new AbortController();
  const listening = [
    token.onCancellationRequested(() => stopping.abort()),
    tellTurn(agent, said),
    opened.hold(),
  ];
  if (token.isCancellationRequested) stopping.abort();
  try {
    const { mentions, left } = await readReferences(request.references, agent.log);
    if (left.length > 0) said.leaves(left);
    await prompt(agent, request.prompt, { signal: stopping.signal, route: { delivery } }, mentions);
    return result();
  } catch (error) {
    if (stopping.signal.aborted) return result();
    if (!isBoughError(error) && !isTurnError(error)) throw error;
    said.offersToOpen();
    return { ...result(), errorDetails: { message: refusalOf(error) } };
  } finally {
    listening.forEach((one) => void one.dispose());
  }
}

/** Where it is decided, for a person who is not in Bough. */
const refusalOf = (error: Error): string =>
  isBoughError(error, 'ResumeRequired')
    ? vscode.l10n.t('Something waits for you in this session. Answer it in Bough, then send this again.')
    : error.message;

const isTurnError = (error: unknown): error is TurnError =>
  error instanceof Error && error.name === 'TurnError';

/** As it is written, in one line, whatever it means in Markdown. */
const plain = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+\-.!~<>|&$]/g, '\\$&');

/** VS Code's chat, as far as a turn is told in it. Of what a model wrote, nothing becomes a command, nor is trusted. */
function chatOf(
  stream: vscode.ChatResponseStream,
  session: string,
): Told & {
  begins: () => void;
  isNew: () => void;
  leaves: (names: readonly string[]) => void;
  offersToOpen: () => void;
} {
  const offersToOpen = (): void =>
    stream.button({ command: OPEN_COMMAND, title: vscode.l10n.t('Open in Bough'), arguments: [session] });
  const own = (text: string): void => stream.markdown(`\n\n*${plain(text)}*\n\n`);
  return {
    offersToOpen,
    begins: () => {
      const link = new vscode.MarkdownString(
        `[${plain(vscode.l10n.t('Open in Bough'))}](${openLink(session)})\n\n`,
      );
      link.isTrusted = { enabledCommands: [OPEN_COMMAND] };
      stream.markdown(link);
    },
    isNew: () => own(vscode.l10n.t('The session of this chat is not there any more; a new one begins here.')),
    leaves: (names) => own(vscode.l10n.t('Not sent: {0}.', names.join(', '))),
    text: (markdown) => stream.markdown(markdown),
    progress: (line) => stream.progress(plain(line)),
    waits: (summary) => {
      own(vscode.l10n.t('Waits for you: {0}. Decide in Bough; it goes on here.', summary));
      offersToOpen();
    },
    brokeOff: () => own(vscode.l10n.t('The answer broke off; it is begun anew.')),
    retry: (seconds, reason) =>
      stream.progress(plain(vscode.l10n.t('Trying again in {0} s: {1}', String(seconds), reason))),
    continued: () => stream.progress(plain(vscode.l10n.t('Continued by itself'))),
  };
}
