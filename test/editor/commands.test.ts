// Commands as they are in life: none hangs a turn, each end is told, and none outlives Stop or the window.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { eventually } from './bench/index.js';
import { told, withScriptedModel } from './scripted.js';

interface Case {
  command: string;
  /** Of its call. */
  limit?: number;
  /** What the model is told of its end. */
  result: RegExp;
  /** As it lives on until it is ended; prints READY when all of it runs, which its text does not hold. */
  living: string;
}

const cases: Record<string, Case> = {
  'closes stdout but lives': {
    command: 'echo before; exec >&- 2>&-; sleep 1; echo unheard; exit 7',
    result: /^before\n\n\[Exit code 7 after [\d.]+ s\.\]$/,
    living: 'echo REA"DY"; exec >&- 2>&-; sleep 999; true',
  },
  'lives past its limit with stdout closed': {
    command: 'echo before; exec >&- 2>&-; sleep 999; true',
    limit: 2_000,
    result: /^before\n\n\[The command was ended after [\d.]+ s: its time limit was 2 s\./,
    living: 'echo REA"DY"; (exec >&- 2>&-; sleep 999; true) & exec >&- 2>&-; wait',
  },
  'prints 50 MB': {
    command: `echo first; head -c ${String(50 * 1024 * 1024)} /dev/zero | tr '\\0' x; echo; echo last`,
    result:
      /^first\nx+\n\[… [\d,]{10} bytes of output are left out here …\]\nx+\nlast\n\n\[Exit code 0 after /,
    living: 'yes REA"DY" with more than anyone reads',
  },
  'waits for stdin': {
    command: 'read answer; echo "got <$answer>"; read answer </dev/tty && echo asked; cat; echo read',
    result: /^got <>\n.*\/dev\/tty.*\nread\n\n\[Exit code 0 after /,
    // Whoever reads what never comes: standard input itself is at its end at once.
    living: 'mkfifo never-$$; echo REA"DY"; read answer <never-$$',
  },
  'forks a child that outlives it': {
    command: '(setsid sh -c "sleep 999; true" >/dev/null 2>&1 &); sleep 999 & echo parent',
    result: /^parent\n\n\[Exit code 0 after .*\]\n\[It left \d+ processes running; they were ended\.\]$/,
    living: '(setsid sh -c "sleep 999; true" >/dev/null 2>&1 &); echo REA"DY"; sleep 999; true',
  },
  'ignores SIGTERM': {
    command: `trap '' TERM INT HUP; echo before; while :; do sleep 0.1; done`,
    limit: 2_000,
    result: /^before\n\n\[The command was ended after [\d.]+ s: its time limit was 2 s\./,
    living: `trap '' TERM INT HUP; echo REA"DY"; while :; do sleep 1; done`,
  },
  'prints control sequences': {
    command: `printf '\\033]0;title\\007\\033[2J\\033[1;1H\\033[?1049h\\033]633;D;0\\007\\033[31mred\\033[0m \\007\\b\\n'`,
    result: /^red [^\p{Cc}]*\n\n\[Exit code 0 after [^\p{Cc}]*\]$/u,
    living: `while :; do printf '\\033[2J\\033[31mRE''ADY\\033[0m\\r'; sleep 0.05; done`,
  },
};

test('F9 D15: whatever a command does, its turn ends, its end is told, and Stop or the close of the window leaves none of it', () =>
  withScriptedModel({ env: { SHELL: '/bin/bash' } }, async ({ editor, server, person }) => {
    /** All that commands have started, and those who watch over them. */
    const alive = () =>
      editor
        .processes()
        .filter(({ pid, command }) => command.includes('supervisor.js') || isOfCommand(pid))
        .map(({ pid, command }) => `${String(pid)} ${command}`);
    const noneLeft = async (what: string) => {
      await eventually(() => alive().length === 0, {
        what: `${what}: nothing is left of it`,
        timeout: 5_000,
      });
    };
    const begin = async (command: string, args: object, prompt: string, after?: string) => {
      server.enqueue(reply.calls([{ name: 'run', args: { command, ...args } }]));
      // Some commands end at once.
      if (after !== undefined) server.enqueue(reply.text(after));
      await person.send(prompt);
      await person.decide('approve');
    };
    const ready = (count: number) =>
      eventually(
        async () => (await person.tool('run', 'running').filter({ hasText: 'READY' }).count()) === count,
        {
          what: `${String(count)} commands run`,
        },
      );

    for (const [name, { command, limit, result }] of Object.entries(cases)) {
      const said = `So it ${name}.`;
      await begin(command, limit === undefined ? {} : { timeout_ms: limit }, `Run what ${name}`, said);
      await person.says(said, 60_000);
      await person.run('idle');
      expect(told(server, server.requests.length).at(-1)?.text, name).toMatch(result);
      await noneLeft(name);
    }
    await editor.screenshot('ended');

    for (const [name, { living }] of Object.entries(cases)) {
      await begin(living, {}, `Stop what ${name}`);
      await ready(1);
      expect(alive(), name).not.toEqual([]);
      await person.at('stop').click();
      await person.run('idle');
      await noneLeft(`${name}, stopped`);
    }
    await editor.screenshot('stopped');

    // All at once, each beside a turn that has ended, but the last: its turn still waits for it.
    const names = Object.keys(cases);
    for (const [index, [name, { living }]] of Object.entries(cases).entries()) {
      await begin(living, {}, `Close over what ${name}`);
      await ready(1);
      if (index === names.length - 1) break;
      server.enqueue(reply.text(`It goes on: ${name}.`));
      await person.at('continue-in-background').click();
      await person.says(`It goes on: ${name}.`);
      await person.run('idle');
    }
    expect(alive().length).toBeGreaterThan(2 * names.length);
    await editor.screenshot('before-the-window-closes');
    await editor.page.goto('about:blank');
    await noneLeft('the window, closed');
  }));

function isOfCommand(pid: number): boolean {
  try {
    return readFileSync(`/proc/${String(pid)}/environ`, 'latin1').includes('\0BOUGH_COMMAND=');
  } catch (error) {
    // Gone since it was listed.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
