/** What the person is told outside the chat: one short sentence, with the button that helps. */
import * as vscode from 'vscode';
import type { Failure } from '../shared/failure.js';
import type { UiCommand } from '../shared/protocol.js';
import { troubleOf } from './errors.js';
import { actionButton } from './notices.js';
import type { Output } from './output.js';

export interface Teller {
  /** An error that ended a command: nothing for a cancellation, a sentence for the rest; bugs go to the log with stack. */
  error: (error: unknown, doing: string) => void;
  failure: (failure: Failure) => void;
  /** `apart` tells it from one of the same text that stands: VS Code takes those for one and drops the buttons of the first. */
  info: (text: string, buttons?: Buttons, apart?: string) => void;
  warn: (text: string, buttons?: Buttons) => void;
}

type Buttons = Readonly<Record<string, () => unknown>>;

export function createTeller(output: Output, run: (command: UiCommand) => Promise<unknown>): Teller {
  const standing = new Set<string>();
  const teller: Teller = {
    error(error, doing) {
      const trouble = troubleOf(error, doing);
      if (trouble.kind === 'cancelled') return;
      if (trouble.kind === 'bug') output.log('error', trouble.text);
      teller.failure(trouble.failure);
    },
    failure(failure) {
      output.log(
        'warn',
        failure.detail === undefined ? failure.message : `${failure.message} (${failure.detail})`,
      );
      const button = failure.action === undefined ? undefined : actionButton(failure.action);
      const chosen = vscode.window.showErrorMessage(failure.message, ...(button ? [button.label] : []));
      chosen
        .then((label) => (label !== undefined && button ? run(button.command) : undefined))
        .then(undefined, output.bug);
    },
    info(text, buttons = {}, apart = '') {
      follow(vscode.window.showInformationMessage, text, buttons, apart);
    },
    warn(text, buttons = {}) {
      follow(vscode.window.showWarningMessage, text, buttons);
    },
  };
  const follow = (
    show: (text: string, ...labels: string[]) => Thenable<string | undefined>,
    text: string,
    buttons: Buttons,
    apart = '',
  ): void => {
    const labels = Object.keys(buttons);
    const words = labels.length === 0 ? text : unlike(standing, text, apart);
    standing.add(words);
    const chosen = show(words, ...labels);
    const isOver = (): boolean => standing.delete(words);
    chosen.then(isOver, isOver);
    chosen
      .then((label) => (label === undefined ? undefined : buttons[label]?.()))
      .then(undefined, (error: unknown) => teller.error(error, text));
  };
  return teller;
}

/** The text, or what makes it another than those that stand. */
export function unlike(standing: ReadonlySet<string>, text: string, apart = ''): string {
  const told = !standing.has(text) || apart === '' ? text : `${text} ${apart}`;
  let words = told;
  for (let number = 2; standing.has(words); number += 1) words = `${told} (${number})`;
  return words;
}
