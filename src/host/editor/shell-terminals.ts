/**
 * The person's terminals, for commands they want to run there: one in which a command was seen to end and that stands in
 * the same folder, else a new one. Never one that may be busy: what is typed into it would end what runs there.
 */
import * as vscode from 'vscode';
import type { Clock, Disposable } from '../../ports.js';
import { cancelled, isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { createBag } from '../disposables.js';
import type { OpenTerminal, ShellTerminal, TerminalEnd } from './terminal-run.js';

/** A shell on a busy machine takes a few seconds to begin. */
const INTEGRATION_MS = 20_000;

interface Ready {
  terminal: vscode.Terminal;
  shell: vscode.TerminalShellIntegration;
}

export interface ShellTerminals extends Disposable {
  open: OpenTerminal;
}

export function createShellTerminals(clock: Clock): ShellTerminals {
  const idle = new Set<vscode.Terminal>();
  const bag = createBag();
  bag.add(vscode.window.onDidStartTerminalShellExecution(({ terminal }) => void idle.delete(terminal)));
  bag.add(vscode.window.onDidEndTerminalShellExecution(({ terminal }) => void idle.add(terminal)));
  bag.add(vscode.window.onDidCloseTerminal((terminal) => void idle.delete(terminal)));
  return {
    open: async (cwd, signal) => {
      const ready = idleIn(idle, cwd) ?? (await begin(clock, cwd, signal));
      if (isFailure(ready)) return ready;
      // Two sessions may ask at the same time.
      idle.delete(ready.terminal);
      ready.terminal.show(true);
      return shellTerminal(ready);
    },
    dispose: () => bag.dispose(),
  };
}

function idleIn(idle: ReadonlySet<vscode.Terminal>, cwd: string): Ready | undefined {
  const { activeTerminal } = vscode.window;
  const all = activeTerminal === undefined ? [...idle] : [activeTerminal, ...idle];
  for (const terminal of all) {
    const shell = terminal.shellIntegration;
    if (idle.has(terminal) && shell?.cwd?.scheme === 'file' && shell.cwd.fsPath === cwd)
      return { terminal, shell };
  }
  return undefined;
}

async function begin(clock: Clock, cwd: string, signal: AbortSignal): Promise<Ready | Failure> {
  const terminal = vscode.window.createTerminal({ name: 'Bough', cwd });
  terminal.show(true);
  const shell = await integrationOf(terminal, clock, signal);
  if (!isFailure(shell)) return { terminal, shell };
  terminal.dispose();
  return shell;
}

function integrationOf(
  terminal: vscode.Terminal,
  clock: Clock,
  signal: AbortSignal,
): Promise<vscode.TerminalShellIntegration | Failure> {
  return new Promise((resolve) => {
    const bag = createBag();
    const finish = (result: vscode.TerminalShellIntegration | Failure): void => {
      bag.dispose();
      resolve(result);
    };
    bag.add(
      vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) finish(event.shellIntegration);
      }),
    );
    bag.add(
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) finish(noTerminal('was closed before the command began'));
      }),
    );
    bag.add(clock.after(INTEGRATION_MS, () => finish(noTerminal(NO_INTEGRATION))));
    const stop = (): void => finish(cancelled('Stopped before the command began.'));
    signal.addEventListener('abort', stop, { once: true });
    bag.add({ dispose: () => signal.removeEventListener('abort', stop) });
    if (terminal.shellIntegration !== undefined) finish(terminal.shellIntegration);
    else if (signal.aborted) stop();
  });
}

const NO_INTEGRATION = `gave no shell integration within ${String(INTEGRATION_MS / 1000)} s, so that nothing could be read of what a command prints`;

const noTerminal = (why: string): Failure =>
  toolFailure(
    'no-terminal',
    `The command was not run: the terminal ${why}. Ask again; the person can approve it without the terminal, or look at the setting "terminal.integrated.shellIntegration.enabled".`,
  );

function shellTerminal({ terminal, shell }: Ready): ShellTerminal {
  return {
    name: terminal.name,
    execute: (command) => {
      const execution = shell.executeCommand(command);
      // Asked for at once: what is printed before is lost.
      const output = execution.read();
      return { output, ended: endOf(terminal, execution) };
    },
    interrupt: () => terminal.sendText('\x03', false),
  };
}

function endOf(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<TerminalEnd> {
  return new Promise((resolve) => {
    const bag = createBag();
    const finish = (end: TerminalEnd): void => {
      bag.dispose();
      resolve(end);
    };
    let hasBegun = false;
    bag.add(
      vscode.window.onDidStartTerminalShellExecution((event) => {
        if (event.terminal !== terminal) return;
        // Another command in the same terminal: ours is over, or never was.
        if (event.execution === execution) hasBegun = true;
        else if (hasBegun) finish({ type: 'ended', code: undefined });
      }),
    );
    bag.add(
      vscode.window.onDidEndTerminalShellExecution((event) => {
        if (event.execution === execution) finish({ type: 'ended', code: event.exitCode });
      }),
    );
    bag.add(
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) finish({ type: 'closed' });
      }),
    );
  });
}
