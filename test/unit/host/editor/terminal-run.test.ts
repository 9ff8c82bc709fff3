import { describe, expect, it } from 'vitest';
import type { CommandOptions } from '../../../../src/host/editor/command.js';
import {
  runInTerminal,
  type ShellTerminal,
  type TerminalEnd,
} from '../../../../src/host/editor/terminal-run.js';
import { isFailure, toolFailure, type Failure } from '../../../../src/shared/failure.js';
import { FakeClock } from '../../agent/fake-clock.js';

/** A terminal of which a test says what it prints and when it ends. */
class FakeTerminal {
  readonly typed: string[] = [];
  interrupts = 0;
  onInterrupt = (): void => undefined;
  #pieces: string[] = [];
  #wake = (): void => undefined;
  #isOver = false;
  #end: (end: TerminalEnd) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  readonly shell: ShellTerminal = {
    name: 'bash',
    execute: (command) => {
      this.typed.push(command);
      const ended = new Promise<TerminalEnd>((resolve, reject) => {
        this.#end = resolve;
        this.#fail = reject;
      });
      return { output: this.#output(), ended };
    },
    interrupt: () => {
      this.interrupts += 1;
      this.onInterrupt();
    },
  };

  print(...pieces: string[]): void {
    this.#pieces.push(...pieces);
    this.#wake();
  }

  /** `holds`: its output goes on. */
  end(end: TerminalEnd, holds = false): void {
    this.#isOver = !holds;
    this.#wake();
    this.#end(end);
  }

  break(error: Error): void {
    this.#fail(error);
  }

  async *#output(): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const ended = (code?: number): TerminalEnd => ({ type: 'ended', code });
/** Lets everything run that waits for nothing but its turn. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function begin(over: Partial<CommandOptions> = {}, open?: () => Promise<ShellTerminal | Failure>) {
  const clock = new FakeClock();
  const terminal = new FakeTerminal();
  const shown: string[] = [];
  const parts = { clock, open: open ?? (() => Promise.resolve(terminal.shell)) };
  const result = runInTerminal(parts, 'npm test', {
    cwd: '/w',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onOutput: (text) => shown.push(text),
    ...over,
  });
  return { clock, terminal, shown, result };
}

describe('a command in a terminal', () => {
  it('gives what was printed without the sequences of the shell integration, its colours, and its exit code', async () => {
    const { terminal, shown, result } = begin();
    await settle();
    expect(terminal.typed).toEqual(['npm test']);
    terminal.print('\x1b]633;C\x07\x1b[?2004l\r', '\x1b[31mone\x1b[0m\r\n', 'two\r\n\x1b]633;D;0', '\x07');
    terminal.end(ended(0));
    expect(await result).toMatchObject({
      ...{ terminal: 'bash', end: 'ended', exit_code: 0, timed_out: false, dropped_bytes: 0 },
      output: 'one\ntwo\n',
      styles: [expect.objectContaining({ length: 3 })],
    });
    expect(shown.join('')).toContain('two\n');
    expect(terminal.interrupts).toBe(0);
  });

  it('keeps its result bounded, whatever is printed', async () => {
    const { terminal, result } = begin();
    for (let index = 0; index < 50; index++) terminal.print(`${'x'.repeat(9_999)}\n`);
    await settle();
    terminal.end(ended(0));
    const told = await result;
    if (isFailure(told)) throw new Error(told.message);
    expect(told.output.length).toBeLessThan(60_000);
    expect(told.dropped_bytes).toBeGreaterThan(400_000);
  });

  it('is over when the shell does not tell the exit code, or its output does not end', async () => {
    const { clock, terminal, result } = begin();
    await settle();
    terminal.print('half');
    terminal.end(ended(), true);
    await settle();
    await clock.advance(500);
    expect(await result).toMatchObject({ end: 'ended', exit_code: null, output: 'half' });
  });

  it('ends with its terminal', async () => {
    const { terminal, result } = begin();
    await settle();
    terminal.print('half');
    await settle();
    terminal.end({ type: 'closed' }, true);
    expect(await result).toMatchObject({ end: 'closed', exit_code: null, output: 'half', timed_out: false });
  });

  it('is told Ctrl+C by Stop and by its time limit, once; what does not heed it is left in the terminal', async () => {
    const stop = new AbortController();
    const heeds = begin({ signal: stop.signal });
    heeds.terminal.onInterrupt = () => heeds.terminal.end(ended(130));
    await settle();
    stop.abort();
    expect(await heeds.result).toMatchObject({ end: 'ended', exit_code: 130, timed_out: false });

    const again = new AbortController();
    const deaf = begin({ signal: again.signal });
    await settle();
    await deaf.clock.advance(60_000);
    again.abort();
    expect(deaf.terminal.interrupts).toBe(1);
    deaf.terminal.print('still here');
    await settle();
    await deaf.clock.advance(1_500);
    expect(await deaf.result).toMatchObject({ end: 'running', timed_out: true, output: 'still here' });
    // What it prints from now on belongs to the terminal alone.
    const before = deaf.shown.length;
    deaf.terminal.print('later');
    await settle();
    expect(deaf.shown).toHaveLength(before);
  });

  it('has no time limit any more when the person lets it go on beside the turn', async () => {
    const lifted = new AbortController();
    const { clock, terminal, result } = begin({ lifted: lifted.signal });
    await settle();
    lifted.abort();
    await clock.advance(3_600_000);
    expect(terminal.interrupts).toBe(0);
    terminal.end(ended(0));
    expect(await result).toMatchObject({ exit_code: 0, timed_out: false });
  });

  it('does not begin when there is no terminal, or after Stop', async () => {
    const none = begin({}, () => Promise.resolve(toolFailure('no-terminal', 'There is none.')));
    expect(await none.result).toMatchObject({ code: 'no-terminal' });
    const stop = new AbortController();
    const late = new FakeTerminal();
    const stopped = begin({ signal: stop.signal }, () => {
      stop.abort();
      return Promise.resolve(late.shell);
    });
    expect(await stopped.result).toMatchObject({ kind: 'cancelled' });
    expect(late.typed).toEqual([]);
    expect(await begin({ signal: AbortSignal.abort() }).result).toMatchObject({ kind: 'cancelled' });
  });

  it('passes on what goes wrong in the editor, rather than waiting for ever', async () => {
    const { terminal, result } = begin();
    await settle();
    terminal.break(new Error('no such terminal'));
    await expect(result).rejects.toThrow('no such terminal');
  });
});
