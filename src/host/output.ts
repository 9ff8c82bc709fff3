/** The output channel "Bough": what happened, one line an event, without secrets. */
import * as vscode from 'vscode';
import type { Redact } from '../agent/secrets.js';
import { begunWord, excerpt, redact, withoutTokens, withoutWords } from '../models/redact.js';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface Output extends vscode.Disposable {
  log: (level: Level, text: string) => void;
  /** For errors nobody waits for. */
  bug: (error: unknown) => void;
  show: () => void;
  /** The last warnings and errors, with their time, as the channel has them. */
  recent: () => readonly string[];
  /** What is kept elsewhere goes through this. */
  redact: Redact;
  /** Takes everything out that has the shape of a key: for what may be given to others. */
  clean: (text: string) => string;
  /** These words never appear in the channel, or in what went through `redact`, from now on. */
  hide: (secrets: Iterable<string>) => void;
}

/** What is kept of them for who looks for a fault. */
const MOST_RECENT = 30;

export function createOutput(): Output {
  const channel = vscode.window.createOutputChannel('Bough', { log: true });
  const secrets = new Set<string>();
  const clean = (text: string) => redact(text, [...secrets]);
  const recent: string[] = [];
  const log = (level: Level, text: string): void => {
    const line = clean(text);
    channel[level](line);
    if (level !== 'warn' && level !== 'error') return;
    recent.push(`${new Date().toISOString()} ${level}: ${excerpt(line)}`);
    if (recent.length > MOST_RECENT) recent.shift();
  };
  return {
    clean,
    log,
    bug: (error) => log('error', error instanceof Error ? (error.stack ?? error.message) : String(error)),
    show: () => channel.show(true),
    recent: () => [...recent],
    redact: {
      keys: (text) => withoutWords(text, secrets),
      tokens: (text) => withoutTokens(text, secrets),
      begun: (text) => begunWord(text, secrets),
    },
    hide: (words) => {
      for (const word of words) secrets.add(word);
    },
    dispose: () => channel.dispose(),
  };
}
