import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, type CommandOptions } from '../../../../src/host/editor/command.js';
import type { Clock, CommandResult } from '../../../../src/ports.js';
import { isFailure } from '../../../../src/shared/failure.js';
import { systemClock } from '../../../../src/host/clock.js';
import { buildBench, eventually, processesWith, runningWith, type Bench } from './supervised.js';

const isLinux = process.platform === 'linux';
const env = { ...process.env, SHELL: '/bin/sh' };

describe.skipIf(process.platform === 'win32')('a command', { timeout: 60_000 }, () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await buildBench();
  });
  afterAll(() => bench.dispose());

  async function run(
    command: string,
    over: Partial<CommandOptions> = {},
    clock: Clock = systemClock,
  ): Promise<CommandResult> {
    const result = await tryRun(command, over, clock);
    if (isFailure(result)) throw new Error(result.message);
    return result;
  }

  const tryRun = (
    command: string,
    over: Partial<CommandOptions> = {},
    clock: Clock = systemClock,
    environment = env,
  ) =>
    runCommand({ supervisor: bench.supervisor, clock, env: environment }, command, {
      cwd: bench.folder,
      timeoutMs: 600_000,
      signal: new AbortController().signal,
      onOutput: () => undefined,
      ...over,
    });

  it('gives output of both streams in order, the exit code and live chunks', async () => {
    const chunks: string[] = [];
    const result = await run('echo one; echo two >&2; echo three; exit 3', {
      onOutput: (chunk) => chunks.push(chunk),
    });
    expect(result).toMatchObject({
      exit_code: 3,
      output: 'one\ntwo\nthree\n',
      dropped_bytes: 0,
      timed_out: false,
    });
    expect(chunks.join('')).toBe('one\ntwo\nthree\n');
    expect(result).not.toHaveProperty('left_running');
  });

  it('H11: inherits neither VS Code’s variables nor the supervisor’s own', async () => {
    const dirty = {
      ...env,
      NODE_OPTIONS: '--no-warnings',
      VSCODE_PID: '1',
      ELECTRON_RUN_AS_NODE: '1',
      KEPT: 'yes',
    };
    const result = await tryRun('env', {}, systemClock, dirty);
    expect(result).toMatchObject({ output: expect.stringContaining('KEPT=yes') });
    expect(result).toMatchObject({
      output: expect.not.stringMatching(/^(NODE_OPTIONS|VSCODE_|ELECTRON_RUN_AS_NODE)/m),
    });
  });

  it.skipIf(!isLinux)('gets no descriptor of ours but one pipe for its output', async () => {
    const { output } = await run('ls -l /proc/$$/fd');
    expect(output.match(/ [0-9] -> (socket|pipe|\/dev\/null)/g)).toEqual([
      ' 0 -> /dev/null',
      ' 1 -> pipe',
      ' 2 -> pipe',
    ]);
  });

  it('can write to /dev/stdout and /dev/stderr by name', async () => {
    expect((await run('echo one > /dev/stdout; echo two > /dev/stderr')).output).toBe('one\ntwo\n');
  });

  it('F9: reads an empty input instead of waiting for one', async () => {
    expect(await run('cat; echo read', {})).toMatchObject({ output: 'read\n', exit_code: 0 });
  });

  it('F9: has ended when its process has, not when its output is closed', async () => {
    const result = await run('echo before; exec >&- 2>&-; sleep 0.3; exit 7');
    expect(result).toMatchObject({ exit_code: 7, output: 'before\n' });
  });

  it('F9: prints terminal sequences as plain text', async () => {
    const result = await run(`printf '\\033]633;C\\007\\033[31mred\\033[0m \\303\\244\\n'`);
    expect(result.output).toBe('red ä\n');
    expect(result.styles).toEqual([[0, 3, '31']]);
  });

  it('F9: of a line that is written over keeps what it was last', async () => {
    const chunks: string[] = [];
    const result = await run(`printf '10%%\\r20%%\\r30%%\\nend\\n'`, {
      onOutput: (chunk) => chunks.push(chunk),
    });
    expect(result).toMatchObject({ output: '30%\nend\n', overwritten: 2 });
    expect(chunks.join('')).toBe('10%\r20%\r30%\nend\n');
  });

  it(
    'F9: prints 200 MB without keeping it; the middle is dropped and counted',
    { timeout: 60_000 },
    async () => {
      const megabytes = 200;
      let live = 0;
      global.gc?.();
      const before = process.memoryUsage().rss;
      const result = await run(
        `echo first; head -c ${megabytes * 1024 * 1024} /dev/zero | tr '\\0' 'x'; echo; echo last`,
        {
          onOutput: (chunk) => (live += chunk.length),
        },
      );
      expect(live).toBe(megabytes * 1024 * 1024 + 'first\n\nlast\n'.length);
      expect(result.output.length).toBeLessThan(50_000);
      expect(result.output).toMatch(
        /^first\nx+\n\[… [\d,]+ bytes of output are left out here …\]\nx+\nlast\n$/,
      );
      expect(result.dropped_bytes).toBe(live - (result.output.length - gapLength(result.output)));
      // Chunks that wait for the collector come and go; what was printed as a whole must never be there.
      expect(process.memoryUsage().rss - before).toBeLessThan((megabytes / 2) * 1024 * 1024);
    },
  );

  it('B5: a full disk that it reports is text like any other', async () => {
    expect(await run('echo "ENOSPC: no space left on device" >&2; exit 1')).toMatchObject({
      exit_code: 1,
      output: 'ENOSPC: no space left on device\n',
    });
  });

  it('says which signal ended it', async () => {
    expect(await run('kill -TERM $$')).toMatchObject({ exit_code: null, signal: 'SIGTERM' });
  });

  it('is not started without its folder, and that is said', async () => {
    expect(await tryRun('true', { cwd: '/no/such/folder' })).toMatchObject({ kind: 'tool', code: 'ENOENT' });
  });

  it('uses /bin/sh when the shell of the person is not there or runs nothing', async () => {
    for (const shell of ['/no/such/shell', '/usr/sbin/nologin']) {
      expect(await tryRun('echo ok', {}, systemClock, { ...env, SHELL: shell })).toMatchObject({
        output: 'ok\n',
      });
    }
  });

  it('is ended by its time limit', async () => {
    let expire: () => void = () => undefined;
    const clock: Clock = {
      ...systemClock,
      after: (ms, fire) => {
        if (ms !== 1234) return systemClock.after(ms, fire);
        expire = fire;
        return { dispose: () => undefined };
      },
    };
    const result = await run('echo started; sleep 999', { timeoutMs: 1234, onOutput: () => expire() }, clock);
    expect(result).toMatchObject({ timed_out: true, exit_code: null, output: 'started\n' });
  });

  it('has no time limit any more once it is lifted', async () => {
    const limits = new Set<() => void>();
    const clock: Clock = {
      ...systemClock,
      after: (ms, fire) => {
        if (ms !== 1234) return systemClock.after(ms, fire);
        limits.add(fire);
        return { dispose: () => limits.delete(fire) };
      },
    };
    const lifted = new AbortController();
    const over = { timeoutMs: 1234, lifted: lifted.signal, onOutput: () => lifted.abort() };
    const result = await run('echo one; read x; echo two', over, clock);
    expect(result).toMatchObject({ timed_out: false, exit_code: 0, output: 'one\ntwo\n' });
    expect(limits.size).toBe(0);
  });

  it('does not begin after Stop', async () => {
    expect(await tryRun('echo ran', { signal: AbortSignal.abort() })).toMatchObject({ kind: 'cancelled' });
  });

  it.skipIf(!isLinux)('ends what it left in the background, and counts it', async () => {
    const mark = nextMark();
    const result = await tryRun('sleep 999 & echo done', {}, systemClock, { ...env, [mark]: '' });
    expect(result).toMatchObject({ exit_code: 0, output: 'done\n', left_running: 1 });
    expect(await processesWith(mark)).toEqual([]);
  });

  it('waits for a background process that only has to finish printing', async () => {
    expect(await run('(sleep 0.05; echo late) & echo early')).toMatchObject({ output: 'early\nlate\n' });
  });

  /** Each leaves something that is hard to end. `READY` is printed when all of it runs. */
  const stubborn = {
    'a background process': 'sleep 999 & echo READY; wait',
    'grandchildren in the same group': `sh -c 'sh -c "sleep 999; true" & sleep 999; true' & echo READY; wait`,
    'a child that ignores SIGTERM': `sh -c 'trap "" TERM; echo READY; while :; do sleep 1; done'; true`,
    'a child with a session of its own': `setsid sh -c 'echo READY; sleep 999; true'; true`,
    'a daemon whose parent is gone': `(setsid sh -c 'sh -c "echo READY; sleep 999; true" &' &); sleep 999`,
    'a process that starts others while it is ended': `sh -c 'trap "sleep 999 & sleep 998" TERM; echo READY; while :; do sleep 0.1; done'; true`,
  };

  it.skipIf(!isLinux).each(Object.entries(stubborn))('D15: Stop ends %s', async (_, command) => {
    const mark = nextMark();
    const controller = new AbortController();
    const stopWhenReady = (chunk: string): void => {
      if (chunk.includes('READY')) controller.abort();
    };
    const over = { signal: controller.signal, onOutput: stopWhenReady };
    const result = await tryRun(command, over, systemClock, { ...env, [mark]: '' });
    expect(await processesWith(mark)).toEqual([]);
    expect(result).toMatchObject({ output: expect.stringContaining('READY'), exit_code: null });
  });

  it.skipIf(!isLinux).each(Object.entries(stubborn))(
    'D15: kill -9 of the host ends %s',
    async (name, command) => {
      const mark = nextMark();
      const host = spawn(process.execPath, [bench.host, bench.supervisor, command], {
        env: { ...env, [mark]: '' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await printed(host, 'READY');
      // The host, the supervisor, the shell and what it started.
      expect((await processesWith(mark)).length).toBeGreaterThanOrEqual(4);
      const begin = performance.now();
      host.kill('SIGKILL');
      await eventually(async () => (await processesWith(mark)).length === 0);
      if (process.env['BOUGH_TIMES'] !== undefined)
        console.log(`${name}: gone after ${Math.round(performance.now() - begin)} ms`);
    },
  );

  it.skipIf(!isLinux).each([
    ['Stop', '; sleep 999'],
    ['its end', ''],
  ])('ends at %s what left group, parent and environment, and still prints', async (_, last) => {
    // Known by how long it would sleep: it has nothing else that is its own.
    const length = `99999.${String(process.pid)}${String((marks += 1))}`;
    const controller = new AbortController();
    const stopWhenReady = (chunk: string): void => {
      if (chunk.includes('READY') && last !== '') controller.abort();
    };
    const child = `env -i setsid sh -c 'echo READY; : > ran-${length}; exec sleep ${length}'`;
    const escape = `(${child} &); until [ -e ran-${length} ]; do sleep 0.01; done${last}`;
    const result = await tryRun(escape, { signal: controller.signal, onOutput: stopWhenReady });
    expect(result).toMatchObject({ output: expect.stringContaining('READY') as unknown });
    expect(await runningWith(length)).toEqual([]);
    if (last === '') expect(result).toMatchObject({ exit_code: 0, left_running: 1 });
  });

  it('ends the command and says so when the supervisor itself is killed', async () => {
    const mark = nextMark();
    // At once, perhaps before the supervisor could tell that the command began.
    const command = 'kill -KILL $PPID; (setsid sleep 999 &); sleep 999';
    const result = await tryRun(command, {}, systemClock, { ...env, [mark]: '' });
    expect(result).toMatchObject({ kind: 'tool', code: 'lost-supervisor' });
    if (isLinux) await eventually(async () => (await processesWith(mark)).length === 0);
  });
});

const gapLength = (output: string): number => (/\n\[….*…\]\n/.exec(output)?.[0] ?? '').length;

/** A name no other process has in its environment. */
let marks = 0;
const nextMark = (): string => `BOUGH_TEST_${process.pid}_${(marks += 1)}_`;

function printed(process: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = '';
    process.stdout?.on('data', (bytes: Uint8Array) => {
      seen += Buffer.from(bytes).toString();
      if (seen.includes(text)) resolve();
    });
    process.once('exit', () => reject(new Error(`ended before it printed ${text}: ${seen}`)));
  });
}
