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
  info: (text: string, buttons?: Buttons) => void;
  warn: (text: string, buttons?: Buttons) => void;
}

type Buttons = Readonly<Record<string, () => unknown>>;

export function createTeller(output: Output, run: (command: UiCommand) => Promise<unknown>): Teller {
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
    info(text, buttons = {}) {
      follow(vscode.window.showInformationMessage(text, ...Object.keys(buttons)), text, buttons);
    },
    warn(text, buttons = {}) {
      follow(vscode.window.showWarningMessage(text, ...Object.keys(buttons)), text, buttons);
    },
  };
  const follow = (chosen: Thenable<string | undefined>, text: string, buttons: Buttons): void => {
    chosen
      .then((label) => (label === undefined ? undefined : buttons[label]?.()))
      .then(undefined, (error: unknown) => teller.error(error, text));
  };
  return teller;
}
