/**
 * Runs one shell command under the supervisor and resolves when it has ended: by itself, by its time limit, by the signal.
 * The end is the exit of the command, never the end of its output. Whatever it prints, memory stays bounded.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock, CommandResult, Disposable } from '../../ports.js';
import { cancelled, toolFailure, type Failure } from '../../shared/failure.js';
import { readStyled } from '../../shared/styled-text.js';
import { killTree } from '../process-tree.js';
import type { SupervisorReport, SupervisorRequest } from '../supervisor.js';
import { byLine } from './by-line.js';
import { cappedOutput } from './capped-output.js';
import { printableText } from './printable.js';
import { commandEnvironment, shellsFor, type Environment } from './shell.js';

export interface CommandParts {
  /** The supervisor's script. */
  supervisor: string;
  clock: Clock;
  env: Environment;
}

export interface CommandOptions {
  /** Absolute path of an existing folder. */
  cwd: string;
  timeoutMs: number;
  /** Lifts the time limit when it aborts. */
  lifted?: AbortSignal;
  signal: AbortSignal;
  onOutput: (chunk: string) => void;
}

const isWindows = process.platform === 'win32';

/** How long output that is already printed may take to arrive after the command has ended. */
const DRAIN_MS = 500;
/** The supervisor forces its end within two seconds; if it does not, it is itself forced. */
const FORCE_MS = 5000;

export async function runCommand(
  parts: CommandParts,
  command: string,
  options: CommandOptions,
): Promise<CommandResult | Failure> {
  if (options.signal.aborted) return cancelled('Stopped before the command began.');
  const begin = parts.clock.elapsed();
  const supervisor = startSupervisor(parts);
  const output = collectOutput(supervisor.stdout, options.onOutput);
  const reports = collectReports(supervisor);
  const request: SupervisorRequest = {
    command,
    cwd: options.cwd,
    shells: shellsFor(process.platform, parts.env),
    mark: randomBytes(12).toString('hex'),
  };
  supervisor.stdin?.write(`${JSON.stringify(request)}\n`);

  const ending = endInTime(supervisor, parts.clock, options);
  const failed = await exitOf(supervisor, reports, parts.clock);
  ending.dispose();
  const ended = resultOf(failed, reports, request);
  if ('kind' in ended) return ended;
  const { text: styled, dropped_bytes, overwritten } = output();
  const { text, styles } = readStyled(styled);
  return {
    exit_code: ending.isTimedOut() ? null : ended.code,
    ...(ended.signal === null ? {} : { signal: ended.signal }),
    output:
      ended.survivors === 0 ? text : `${text}\n[${ended.survivors} of its processes could not be ended.]`,
    dropped_bytes,
    ...(styles.length === 0 ? {} : { styles }),
    ...(overwritten === 0 ? {} : { overwritten }),
    timed_out: ending.isTimedOut(),
    elapsed_ms: parts.clock.elapsed() - begin,
    ...(ended.left === 0 ? {} : { left_running: ended.left }),
  };
}

/** Closes the supervisor's input, which ends the command, at the time limit or the signal. */
function endInTime(supervisor: ChildProcess, clock: Clock, { timeoutMs, signal, lifted }: CommandOptions) {
  let isTimedOut = false;
  let force: Disposable | undefined;
  const end = (): void => {
    supervisor.stdin?.end();
    force ??= clock.after(FORCE_MS, () => killGroup(supervisor.pid));
  };
  const limit = clock.after(timeoutMs, () => {
    isTimedOut = true;
    end();
  });
  const lift = (): void => limit.dispose();
  signal.addEventListener('abort', end, { once: true });
  lifted?.addEventListener('abort', lift, { once: true });
  return {
    isTimedOut: () => isTimedOut,
    dispose: () => {
      limit.dispose();
      force?.dispose();
      signal.removeEventListener('abort', end);
      lifted?.removeEventListener('abort', lift);
    },
  };
}

/**
 * Node gives children sockets for pipes, and on Linux nothing can open `/dev/stderr` when that is a socket. So a shell
 * puts a real pipe between the command, which inherits it from the supervisor, and us. It also says when the supervisor is
 * gone, for the command it watched may still hold the pipe then.
 */
const THROUGH_PIPE = `{ "$0" "$1"; echo '{"type":"gone"}' >&3; } | cat 3>&-`;

function startSupervisor({ supervisor, env }: CommandParts): ChildProcess {
  const [file, args] = isWindows
    ? [process.execPath, [supervisor]]
    : ['/bin/sh', ['-c', THROUGH_PIPE, process.execPath, supervisor]];
  return spawn(file, args, {
    env: { ...commandEnvironment(env), ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // A signal to the host's group must not take the supervisor before it has done its work.
    detached: !isWindows,
    windowsHide: true,
  });
}

function collectOutput(stdout: Readable | null, onOutput: (chunk: string) => void) {
  const printable = printableText({ styles: true });
  const output = cappedOutput();
  const take = (text: string): void => {
    if (text === '') return;
    output.add(text);
    onOutput(text);
  };
  stdout?.on('data', (bytes: Uint8Array) => take(printable.push(bytes)));
  return () => {
    take(printable.end());
    return output.read();
  };
}

type Report = SupervisorReport | { type: 'gone' };

interface Reports {
  all: Report[];
  /** What the supervisor itself complained about; it says nothing when all is well. */
  trouble: string;
  /** Called at each report. */
  notify: () => void;
}

function collectReports(supervisor: ChildProcess): Reports {
  const reports: Reports = { all: [], trouble: '', notify: () => undefined };
  const take = byLine((line) => {
    reports.all.push(JSON.parse(line) as Report);
    reports.notify();
  });
  const channel = supervisor.stdio[3];
  if (channel instanceof Readable) channel.on('data', take);
  supervisor.stderr?.on('data', (bytes: Buffer) => {
    reports.trouble = (reports.trouble + bytes.toString('utf8')).slice(-2000);
  });
  // Writing to a supervisor that is gone; its exit tells what happened.
  supervisor.stdin?.on('error', () => undefined);
  return reports;
}

/** Resolves when the command has ended and its output is here, with the reason when it could not begin. */
function exitOf(supervisor: ChildProcess, reports: Reports, clock: Clock): Promise<Error | null> {
  return new Promise((resolve) => {
    let drain: Disposable | undefined;
    const done = (failed: Error | null): void => {
      drain?.dispose();
      supervisor.stdout?.destroy();
      resolve(failed);
    };
    supervisor.once('error', done);
    supervisor.once('close', () => done(null));
    // A process that cannot be killed may hold the pipe open for ever.
    const startDrain = (): void => {
      drain ??= clock.after(DRAIN_MS, () => done(null));
    };
    supervisor.once('exit', startDrain);
    reports.notify = () => {
      if (reports.all.some((report) => report.type !== 'started')) startDrain();
    };
  });
}

type Ended = Extract<SupervisorReport, { type: 'ended' }>;

function resultOf(
  failed: Error | null,
  { all, trouble }: Reports,
  request: SupervisorRequest,
): Ended | Failure {
  if (failed !== null) {
    return toolFailure(
      'no-supervisor',
      `The command was not started: the process that watches over it could not begin (${failed.message}).`,
    );
  }
  const ended = all.find((report) => report.type === 'ended');
  if (ended !== undefined) return ended;
  const refused = all.find((report) => report.type === 'failed');
  if (refused !== undefined) {
    return toolFailure(
      refused.code,
      `The command was not started (${refused.message}). Check its folder and your shell.`,
    );
  }
  const started = all.find((report) => report.type === 'started');
  if (isWindows) killGroup(started?.pid);
  else killTree({ leader: started?.pid, mark: request.mark });
  const message =
    started === undefined
      ? 'The process that watches over commands ended at once; it is not known whether the command ran.'
      : `The process that watched over "${request.command.slice(0, 80)}" was ended from outside, so the command was ended too; how far it came is unknown.`;
  return { ...toolFailure('lost-supervisor', message), detail: trouble.slice(-500) };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, 'SIGKILL');
  } catch (error) {
    // Gone already.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')))
      throw error;
  }
}
