/**
 * Waits until the language service of a file has looked at it. No service says when it is done: it is when its problems have
 * come and nothing more comes for a moment. One that finds nothing new says nothing, so each wait has an end of its own; a
 * language that never had anything to say is not waited for.
 */
import * as vscode from 'vscode';
import type { WorkspacePath } from '../../ports.js';
import { openDocument } from './read-text.js';

/** A service may have to start first. */
const FIRST_MS = 4000;
const AGAIN_MS = 1500;
/** Problems of one look come in several pieces. */
const QUIET_MS = 300;
/** Those for which nobody looks for problems. */
const plain = new Set(['plaintext', 'markdown', 'log', 'ignore', 'properties', 'ini', 'dotenv']);

export interface FreshProblems {
  /** False when the service did not answer in time. */
  settle(path: WorkspacePath, signal: AbortSignal): Promise<boolean>;
}

export function createFreshProblems(open: (path: WorkspacePath) => Promise<unknown>): FreshProblems {
  const silent = new Set<string>();
  return {
    async settle(path, signal) {
      const uri = vscode.Uri.parse(path.uri, true);
      const isFirst = openDocument(uri) === undefined;
      const quiet = untilQuiet(uri, isFirst ? FIRST_MS : AGAIN_MS, signal);
      await open(path);
      const language = openDocument(uri)?.languageId;
      if (language === undefined || plain.has(language) || silent.has(language)) {
        quiet.dispose();
        return true;
      }
      const answered = await quiet.done;
      const hasAny = answered || vscode.languages.getDiagnostics(uri).length > 0;
      if (isFirst && !hasAny && !signal.aborted) silent.add(language);
      return answered || !isFirst;
    },
  };
}

function untilQuiet(uri: vscode.Uri, limitMs: number, signal: AbortSignal) {
  let finish: (answered: boolean) => void = () => undefined;
  const done = new Promise<boolean>((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    const limit = setTimeout(() => finish(quiet !== undefined), limitMs);
    const heard = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((changed) => changed.toString() === uri.toString())) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => finish(true), QUIET_MS);
    });
    const stop = (): void => finish(false);
    signal.addEventListener('abort', stop, { once: true });
    finish = (answered) => {
      clearTimeout(limit);
      clearTimeout(quiet);
      heard.dispose();
      signal.removeEventListener('abort', stop);
      resolve(answered);
    };
    if (signal.aborted) finish(false);
  });
  return { done, dispose: () => finish(false) };
}
