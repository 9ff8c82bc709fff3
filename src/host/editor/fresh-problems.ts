/**
 * Waits until the language service of a file has looked at it. No service says when it is done: it is when its problems have
 * come and nothing more comes for a moment. One that finds nothing new says nothing, so each wait has an end of its own; a
 * language that never had anything to say is not waited for.
 */
import * as vscode from 'vscode';
import type { WorkspacePath } from '../../ports.js';
import { openDocument } from './read-text.js';

/** A service may have to start first. */
const FIRST_MS = 2500;
/** Until it has answered something else, which tells that it knows of the change; and then. */
const MOST_MS = 4000;
const AGAIN_MS = 1000;
/** Problems of one look come in several pieces. */
const QUIET_MS = 300;
/** A service that is slow to start must not count as none. */
const MOST_MISSES = 2;
/** Those for which nobody looks for problems. */
const plain = new Set(['plaintext', 'markdown', 'log', 'ignore', 'properties', 'ini', 'dotenv']);

export interface FreshProblems {
  /** False when the service did not answer in time. */
  settle(path: WorkspacePath, signal: AbortSignal): Promise<boolean>;
}

export function createFreshProblems(open: (path: WorkspacePath) => Promise<unknown>): FreshProblems {
  /** How many files of a language were opened in vain. */
  const misses = new Map<string, number>();
  const isSilent = (language: string): boolean => (misses.get(language) ?? 0) >= MOST_MISSES;
  return {
    async settle(path, signal) {
      const uri = vscode.Uri.parse(path.uri, true);
      const isFirst = openDocument(uri) === undefined;
      const quiet = untilQuiet(uri, signal);
      await open(path);
      const language = openDocument(uri)?.languageId;
      if (language === undefined || plain.has(language) || isSilent(language)) {
        quiet.dispose();
        return true;
      }
      quiet.endAfter(isFirst ? FIRST_MS : MOST_MS);
      if (!isFirst) void hasLooked(uri).then(() => quiet.endAfter(AGAIN_MS));
      const answered = await quiet.done;
      const hasAny = answered || vscode.languages.getDiagnostics(uri).length > 0;
      if (hasAny) misses.delete(language);
      else if (isFirst && !signal.aborted) misses.set(language, (misses.get(language) ?? 0) + 1);
      return answered || !isFirst;
    },
  };
}

/** Requests are answered in order: one that is sent after a change is answered when the change is known. */
async function hasLooked(uri: vscode.Uri): Promise<void> {
  const ask = vscode.commands.executeCommand('vscode.executeHoverProvider', uri, new vscode.Position(0, 0));
  await Promise.allSettled([ask]);
}

function untilQuiet(uri: vscode.Uri, signal: AbortSignal) {
  let endAfter: (ms: number) => void = () => undefined;
  let finish: (answered: boolean) => void = () => undefined;
  const done = new Promise<boolean>((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    let limit: NodeJS.Timeout | undefined;
    let isOver = false;
    endAfter = (ms) => {
      clearTimeout(limit);
      if (!isOver) limit = setTimeout(() => finish(quiet !== undefined), ms);
    };
    const heard = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((changed) => changed.toString() === uri.toString())) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => finish(true), QUIET_MS);
    });
    const stop = (): void => finish(false);
    signal.addEventListener('abort', stop, { once: true });
    finish = (answered) => {
      isOver = true;
      clearTimeout(limit);
      clearTimeout(quiet);
      heard.dispose();
      signal.removeEventListener('abort', stop);
      resolve(answered);
    };
    if (signal.aborted) finish(false);
  });
  return { done, endAfter: (ms: number) => endAfter(ms), dispose: () => finish(false) };
}
