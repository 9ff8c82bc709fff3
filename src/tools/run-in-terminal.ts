/** A command that the person let run in their own terminal: what may, and how its result reads. */
import type { TerminalResult, ToolOutcome } from '../ports.js';
import { toolFailure, type Failure } from '../shared/failure.js';
import { isTypable } from '../shared/typable.js';
import { duration } from './text.js';

/** A terminal takes control characters for keys, and several lines for several commands. */
export function refuseTyping(command: string): Failure | null {
  if (isTypable(command)) return null;
  return toolFailure(
    'not-typable',
    'The command was not run: it has several lines or control characters, which cannot be typed into a terminal as one command. Ask again; the person can approve it without the terminal.',
  );
}

export function tellTerminal(
  result: TerminalResult,
  { timeoutMs, stopped }: { timeoutMs: number; stopped: boolean },
): ToolOutcome {
  const time = duration(result.elapsed_ms);
  const printed = result.output.trim() === '' ? '[Nothing was printed.]' : result.output.replace(/\n+$/, '');
  const { sentence, outcome } = endOf(result, time);
  const why = result.timed_out
    ? [`[Its time limit was ${duration(timeoutMs)}: Ctrl+C was sent.]`]
    : stopped
      ? ['[It was stopped: Ctrl+C was sent.]']
      : [];
  return {
    content: [
      printed,
      '',
      `[It ran in the person's terminal "${result.terminal}".]`,
      ...why,
      `[${sentence}]`,
    ].join('\n'),
    is_error: result.exit_code !== 0 || result.timed_out || stopped,
    outcome: `${outcome} · ${time} · in the terminal`,
    ...(result.styles === undefined ? {} : { styles: result.styles }),
  };
}

function endOf({ end, exit_code }: TerminalResult, time: string): { sentence: string; outcome: string } {
  switch (end) {
    case 'closed':
      return {
        sentence: `The terminal was closed after ${time}: how the command ended is not known.`,
        outcome: 'terminal closed',
      };
    case 'running':
      return {
        sentence: `The command may still run there after ${time}: how it ends will not be told.`,
        outcome: 'may still run',
      };
    case 'ended':
      return exit_code === null
        ? {
            sentence: `The command is over after ${time}: the shell did not tell its exit code.`,
            outcome: 'exit unknown',
          }
        : { sentence: `Exit code ${exit_code} after ${time}.`, outcome: `exit ${exit_code}` };
  }
}
