/**
 * Runs one command in a terminal of the person's and resolves in any case: at its end, at its time limit or the signal
 * (with Ctrl+C, and a moment for it to take effect), when the terminal is closed or something else begins in it. What the
 * shell did not say is said to be unknown. The terminal and what runs in it stay the person's: nothing is killed.
 */
import type { Clock, Disposable, TerminalResult } from '../../ports.js';
import { cancelled, isFailure, type Failure } from '../../shared/failure.js';
import { readStyled } from '../../shared/styled-text.js';
import { cappedOutput } from './capped-output.js';
import type { CommandOptions } from './command.js';
import { stripper } from './printable.js';

/** How a command in a terminal ended. An exit code is missing when the shell did not say it. */
export type TerminalEnd = { type: 'ended'; code: number | undefined } | { type: 'closed' };

export interface TerminalExecution {
  /** As the shell integration hands it on: with all control sequences. */
  output: AsyncIterable<string>;
  ended: Promise<TerminalEnd>;
}

export interface ShellTerminal {
  name: string;
  execute(command: string): TerminalExecution;
  /** Ctrl+C. */
  interrupt(): void;
}

/** Gives a terminal in which nothing runs, in this folder and in sight, or why there is none. */
export type OpenTerminal = (cwd: string, signal: AbortSignal) => Promise<ShellTerminal | Failure>;

export interface TerminalParts {
  clock: Clock;
  open: OpenTerminal;
}

/** A stopped call is left after two seconds: what is known must be said before. */
const INTERRUPT_MS = 1_500;
/** How long output that is already printed may take to arrive after the command has ended. */
const DRAIN_MS = 500;

export async function runInTerminal(
  { clock, open }: TerminalParts,
  command: string,
  options: CommandOptions,
): Promise<TerminalResult | Failure> {
  const { signal } = options;
  const terminal = signal.aborted ? stoppedBefore() : await open(options.cwd, signal);
  if (isFailure(terminal)) return terminal;
  if (signal.aborted) return stoppedBefore();
  const begin = clock.elapsed();
  const execution = terminal.execute(command);
  const collected = collect(execution.output, options.onOutput);
  const { end, isTimedOut } = await endOf(
    { execution, terminal, read: collected.read },
    { clock, ...options },
  );
  if (end.type === 'ended') await Promise.race([collected.read, after(clock, DRAIN_MS)]);
  const { text: styled, dropped_bytes, overwritten } = collected.output();
  const { text, styles } = readStyled(styled);
  return {
    terminal: terminal.name,
    end: end.type,
    exit_code: end.type === 'ended' ? (end.code ?? null) : null,
    output: text,
    dropped_bytes,
    timed_out: isTimedOut,
    elapsed_ms: clock.elapsed() - begin,
    ...(styles.length === 0 ? {} : { styles }),
    ...(overwritten === 0 ? {} : { overwritten }),
  };
}

const stoppedBefore = (): Failure => cancelled('Stopped before the command began.');

type End = TerminalEnd | { type: 'running' };

function endOf(
  {
    execution,
    terminal,
    read,
  }: { execution: TerminalExecution; terminal: ShellTerminal; read: Promise<void> },
  { clock, timeoutMs, signal, lifted }: CommandOptions & { clock: Clock },
): Promise<{ end: End; isTimedOut: boolean }> {
  return new Promise((resolve, reject) => {
    let isTimedOut = false;
    let grace: Disposable | undefined;
    const finish = (end: End): void => {
      limit.dispose();
      grace?.dispose();
      signal.removeEventListener('abort', interrupt);
      lifted?.removeEventListener('abort', lift);
      resolve({ end, isTimedOut });
    };
    const interrupt = (): void => {
      if (grace !== undefined) return;
      grace = clock.after(INTERRUPT_MS, () => finish({ type: 'running' }));
      terminal.interrupt();
    };
    const limit = clock.after(timeoutMs, () => {
      isTimedOut = true;
      interrupt();
    });
    const lift = (): void => limit.dispose();
    signal.addEventListener('abort', interrupt, { once: true });
    lifted?.addEventListener('abort', lift, { once: true });
    if (lifted?.aborted === true) lift();
    if (signal.aborted) interrupt();
    execution.ended.then(finish, reject);
    read.catch(reject);
  });
}

/** Reads to the end, however long it takes: what comes after the result is only the person's to see. */
function collect(pieces: AsyncIterable<string>, onOutput: (chunk: string) => void) {
  const plain = stripper({ styles: true });
  const output = cappedOutput();
  let isOpen = true;
  const follow = async (): Promise<void> => {
    for await (const piece of pieces) {
      const text = plain(piece);
      if (!isOpen || text === '') continue;
      output.add(text);
      onOutput(text);
    }
  };
  return {
    read: follow(),
    output: () => {
      isOpen = false;
      return output.read();
    },
  };
}

const after = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });
