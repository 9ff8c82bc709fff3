/**
 * A process of its own between the extension host and one command, or one program that the host talks with. It lives as
 * long as its standard input is open: when the host closes it – or dies, even by `kill -9` – every process of the command
 * is ended, first asked, then forced.
 *
 * In: one line of JSON, a {@link SupervisorRequest}, then nothing until the end of file.
 * Out: the command's stdout and stderr are this process's stdout, unread; {@link SupervisorReport}s go to descriptor 3.
 * A program reads from descriptor 4, and its stderr is this process's stderr.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { commandEnvironment, windowsProgram, type Shell } from './editor/shell.js';
import { MARK, members, outputOf, signalTree, type ProcessTree } from './process-tree.js';

export interface SupervisorRequest {
  command: string;
  cwd: string;
  /** The first that exists is used. */
  shells: Shell[];
  /** Value of {@link MARK} in the environment of all that the command starts; random. */
  mark: string;
  /** Runs this instead of the command, with an environment of its own. */
  program?: { file: string; args: string[]; env: Record<string, string> };
}

export type SupervisorReport =
  | { type: 'started'; pid: number }
  | { type: 'failed'; code: string; message: string }
  /** `left`: processes that were still running when the command ended; `survivors`: those that could not be ended. */
  | { type: 'ended'; code: number | null; signal: string | null; left: number; survivors: number };

/** Time for what still prints (`tee` in a process substitution) to end by itself after the command. */
const DRAIN_MS = 200;
/** Time between being asked to end and being forced. */
const GRACE_MS = 400;
/** After this nobody waits any longer for processes that cannot be killed. */
const GIVE_UP_MS = 1500;
const POLL_MS = 20;

const isWindows = process.platform === 'win32';
const reports = new Socket({ fd: 3, readable: false, writable: true });
// A host that died does not read reports; the end of standard input says so already.
reports.on('error', () => undefined);

let child: ChildProcess | undefined;
let mark = '';
/** Of a command alone: a program's may be what the host writes its log to. */
let output: string | undefined;
let isEnding = false;
let ended: { code: number | null; signal: string | null } | undefined;

const report = (message: SupervisorReport, then: () => void = () => undefined): void => {
  reports.write(`${JSON.stringify(message)}\n`, then);
};
const leave = (): void => process.exit(0);

let request = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  request += chunk;
  if (child === undefined && request.endsWith('\n')) start(JSON.parse(request) as SupervisorRequest, 0);
});
for (const event of ['end', 'close', 'error'] as const) process.stdin.on(event, hostIsGone);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, hostIsGone);

function start(wanted: SupervisorRequest, index: number): void {
  const started =
    wanted.program === undefined ? spawnCommand(wanted, index) : spawnProgram(wanted, wanted.program);
  if (started === undefined) {
    report({ type: 'failed', code: 'ENOENT', message: 'no shell was found' }, leave);
    return;
  }
  child = started;
  mark = wanted.mark;
  output = wanted.program === undefined ? outputOf('self', 1) : undefined;
  if (started.pid !== undefined) report({ type: 'started', pid: started.pid });
  started.on('error', (error) => {
    if (started.pid !== undefined) return;
    const code = 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT' && index + 1 < wanted.shells.length) start(wanted, index + 1);
    else report({ type: 'failed', code, message: error.message }, leave);
  });
  started.on('exit', (code, signal) => {
    ended = { code, signal };
    if (!isEnding) commandEnded(started.pid ?? 0);
  });
}

function spawnCommand(
  { shells, command, cwd, mark }: SupervisorRequest,
  index: number,
): ChildProcess | undefined {
  const shell = shells[index];
  if (shell === undefined) return undefined;
  const isCmd = isWindows && /cmd(\.exe)?$/i.test(shell.file);
  return spawn(shell.file, [...shell.args, isCmd ? `"${command}"` : command], {
    cwd,
    env: { ...commandEnvironment(process.env), [MARK]: mark },
    // One pipe for both, so that their order is kept; nothing to read.
    stdio: ['ignore', 1, 1],
    // Leads a process group of its own.
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: isCmd,
  });
}

function spawnProgram(
  { cwd, mark }: SupervisorRequest,
  program: NonNullable<SupervisorRequest['program']>,
): ChildProcess {
  const { file, args } = isWindows ? windowsProgram(program) : program;
  return spawn(file, args, {
    cwd,
    env: { ...program.env, [MARK]: mark },
    stdio: [4, 1, 2],
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: file !== program.file,
  });
}

function hostIsGone(): void {
  if (isEnding) return;
  isEnding = true;
  const pid = child?.pid;
  if (pid === undefined) leave();
  else endAll(pid, 0);
}

/** The command itself has ended; what it left behind gets a moment to finish and is then ended too. */
function commandEnded(pid: number): void {
  isEnding = true;
  if (isWindows) {
    finish(0, 0);
    return;
  }
  const tree = treeOf(pid);
  until(
    () => members(tree).length === 0,
    DRAIN_MS,
    () => {
      const left = members(tree).length;
      if (left === 0) finish(0, 0);
      else endAll(pid, left);
    },
  );
}

function endAll(pid: number, left: number): void {
  if (isWindows) {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true });
    until(
      () => ended !== undefined,
      GIVE_UP_MS,
      () => finish(left, ended === undefined ? 1 : 0),
    );
    return;
  }
  const tree = treeOf(pid);
  const isOver = (): boolean => members(tree).length === 0;
  signalTree(tree, 'SIGTERM');
  until(isOver, GRACE_MS, () => {
    // Again and again: a process that forks while it is being killed leaves a new one behind.
    const force = (): boolean => {
      if (isOver()) return true;
      signalTree(tree, 'SIGKILL');
      return false;
    };
    until(force, GIVE_UP_MS, () => finish(left, members(tree).length));
  });
}

const treeOf = (leader: number): ProcessTree => ({ leader, mark, output });

function finish(left: number, survivors: number): void {
  const { code = null, signal = null } = ended ?? {};
  report({ type: 'ended', code, signal, left, survivors }, leave);
}

/** Calls `then` once `isTrue` or after `limit` ms. */
function until(isTrue: () => boolean, limit: number, then: () => void): void {
  const begin = performance.now();
  const look = (): void => {
    if (isTrue() || performance.now() - begin >= limit) then();
    else setTimeout(look, POLL_MS);
  };
  look();
}
