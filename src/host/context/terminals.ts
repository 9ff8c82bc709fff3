/**
 * What the person's terminals printed last. VS Code tells of it where shell integration works; each command's output is
 * kept from its start on, its end when it is long, and forgotten with the terminal.
 */
import * as vscode from 'vscode';
import type { Mention } from '../../shared/protocol.js';
import { stripper } from '../editor/printable.js';
import { Refusal } from '../errors.js';
import { cap } from './cap.js';
import { MOST_CHARS } from './shown-path.js';

interface Ran {
  command: string;
  output: string;
  /** Characters that came, kept or not. */
  chars: number;
  exitCode: number | undefined;
  isOver: boolean;
}

export interface Terminals extends vscode.Disposable {
  /** There is one to ask. */
  has(): boolean;
  /** The last command of this terminal, else of the one that was used last. */
  lastCommand(terminal?: vscode.Terminal): Promise<Mention>;
  /**
   * What is selected in the one that was used last, else its last command. In a browser only that: reading a selection
   * would ask the person for the clipboard, whether anything is selected or not.
   */
  selectionOrLast(): Promise<Mention>;
}

export function watchTerminals(onError: (error: unknown) => void): Terminals {
  const last = new WeakMap<vscode.Terminal, Ran>();
  const running = new WeakMap<vscode.TerminalShellExecution, Ran>();
  const watching = vscode.Disposable.from(
    vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      const ran: Ran = {
        ...{ command: execution.commandLine.value, output: '', chars: 0 },
        ...{ exitCode: undefined, isOver: false },
      };
      last.set(terminal, ran);
      running.set(execution, ran);
      follow(execution, ran).catch(onError);
    }),
    vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
      const ran = running.get(execution);
      if (ran) Object.assign(ran, { exitCode, isOver: true });
    }),
  );
  const lastCommand = async (terminal = vscode.window.activeTerminal): Promise<Mention> => {
    const ran = terminal && last.get(terminal);
    if (terminal === undefined || ran === undefined) throw new Refusal(nothingSeen);
    return mentionOf(terminal, (await readMissed(terminal, ran)) ?? ran);
  };
  return {
    has: () => vscode.window.terminals.length > 0,
    lastCommand,
    async selectionOrLast() {
      const isDesktop = vscode.env.uiKind === vscode.UIKind.Desktop;
      const selected = isDesktop ? await readSelection() : undefined;
      return selected ?? lastCommand();
    },
    dispose: () => void watching.dispose(),
  };
}

async function follow(execution: vscode.TerminalShellExecution, ran: Ran): Promise<void> {
  const plain = stripper();
  for await (const data of execution.read()) {
    const text = plain(data);
    ran.chars += text.length;
    ran.output = (ran.output + text).slice(-MOST_CHARS);
  }
}

function mentionOf({ name }: vscode.Terminal, { command, output, chars, exitCode, isOver }: Ran): Mention {
  const left = chars - output.length;
  const mark = left > 0 ? `[… ${left} of ${chars} characters are left out here …]\n` : '';
  const end = isOver
    ? `It ended${exitCode === undefined ? '' : ` with exit code ${exitCode}`}.`
    : 'It is still running.';
  const printed = output.trim() === '' ? '[Nothing was seen of what it printed.]' : output.trimEnd();
  const short = command.length > 40 ? `${command.slice(0, 40)}…` : command;
  return {
    kind: 'terminal',
    label: `${name}: ${short.replace(/\s+/g, ' ')}`.toWellFormed(),
    text: `$ ${command}\n${mark}${printed}\n[${end}]`.toWellFormed(),
  };
}

/**
 * Over a connection VS Code tells of a command and of what it printed in one go when it ends at once: then that is gone
 * before anybody can read along, and only the terminal itself still has it. A browser would ask the person before it let
 * the clipboard be read. undefined when nothing can be had.
 */
async function readMissed(terminal: vscode.Terminal, ran: Ran): Promise<Ran | undefined> {
  if (!ran.isOver || ran.chars > 0 || terminal !== vscode.window.activeTerminal) return undefined;
  if (vscode.env.uiKind !== vscode.UIKind.Desktop) return undefined;
  const output = await copiedBy('workbench.action.terminal.copyLastCommandOutput');
  return { ...ran, output: output.slice(-MOST_CHARS), chars: output.length };
}

async function readSelection(): Promise<Mention | undefined> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return undefined;
  const selected = await copiedBy('workbench.action.terminal.copySelection');
  if (selected.trim() === '') return undefined;
  return { kind: 'terminal', label: `Selection in ${terminal.name}`, text: cap(selected, MOST_CHARS, 'end') };
}

/**
 * What a command of the terminal copies. There is no other way to it than over the clipboard, which gets back what it held.
 * Where it holds no text it may hold a picture or files, which cannot be read here and so not be put back: then nothing is
 * written before, so that they stay when nothing is copied; nor after: it is in the clipboard then, as after any copying.
 */
async function copiedBy(command: string): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    if (before !== '') await clipboard.writeText('');
    await vscode.commands.executeCommand(command);
    return await clipboard.readText();
  } finally {
    if (before !== '') await clipboard.writeText(before);
  }
}

const nothingSeen = {
  kind: 'refused' as const,
  message:
    'No command was seen in the terminal since Bough started. Run one in a terminal with shell integration, or copy its text into the message.',
  transient: false,
};
