// VS Code's server under test: started on a free port in its own folders, ended with everything it started.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Folders } from './folders.js';
import { kill, killAll, markVariable, processesOf, type ProcessRow } from './processes.js';
import type { Target } from './target.js';

export interface ServerOptions {
  /** Names the test run, so that what it leaves behind can be found. */
  readonly run: string;
  readonly target: Target;
  readonly folders: Folders;
  readonly log: string;
  readonly port?: number;
  readonly restricted?: boolean;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  /** Everything the server has started and that is alive, the server itself included. */
  processes(): ProcessRow[];
  close(): Promise<void>;
}

const listening = /Extension host agent listening on (\d+)/;

export async function startServer({
  run,
  target,
  folders,
  log,
  port = 0,
  restricted = false,
  args = [],
  env = {},
}: ServerOptions): Promise<Server> {
  mkdirSync(path.dirname(log), { recursive: true });
  writeFileSync(log, '');
  const mark = `${run}/${randomUUID()}`;
  const child = spawn(
    target.node,
    [
      target.server,
      ...[
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--without-connection-token',
        '--accept-server-license-terms',
      ],
      ...['--telemetry-level', 'off', '--reconnection-grace-time', '1', ...profile(folders)],
      ...(restricted ? [] : ['--disable-workspace-trust']),
      ...args,
    ],
    {
      env: { ...environment(target, folders), ...env, [markVariable]: mark },
      cwd: folders.home,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${target.node} did not start`);
  const processes = () => processesOf(pid, mark);
  const killNow = () => processes().forEach((row) => kill(row.pid));
  // Vitest replaces process.exit, and a worker whose parent is gone has nobody to end it.
  const killAndLeave = () => {
    killNow();
    kill(process.pid);
  };
  process
    .once('exit', killNow)
    .once('SIGTERM', killAndLeave)
    .once('SIGINT', killAndLeave)
    .once('disconnect', killAndLeave);
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer) => {
      text += chunk.toString();
      appendFileSync(log, chunk);
      const found = listening.exec(text)?.[1];
      if (found) resolve(`http://127.0.0.1:${found}`);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(`VS Code's server ended with ${code}: ${text}`)));
  });
  return {
    url,
    pid,
    processes,
    async close() {
      await killAll(processes);
      process
        .off('exit', killNow)
        .off('SIGTERM', killAndLeave)
        .off('SIGINT', killAndLeave)
        .off('disconnect', killAndLeave);
    },
  };
}

/** Installs a packed extension the way a person would. */
export function installVsix(target: Target, folders: Folders, vsix: string): void {
  const args = [
    target.server,
    '--accept-server-license-terms',
    ...profile(folders),
    '--install-extension',
    vsix,
    '--force',
  ];
  const { stdout, stderr } = spawnSync(target.node, args, {
    env: environment(target, folders),
    encoding: 'utf8',
  });
  if (!stdout.includes('successfully installed'))
    throw new Error(`VS Code ${target.version} did not install ${vsix}: ${stdout}${stderr}`);
}

function profile({ userData, extensions }: Folders): string[] {
  return ['--user-data-dir', userData, '--extensions-dir', extensions];
}

/** Nothing of the test runner or of a VS Code around us reaches the one under test. */
function environment(target: Target, folders: Folders): NodeJS.ProcessEnv {
  const foreign =
    /^(VSCODE_|XDG_|VITEST|npm_|NODE_OPTIONS$|NODE_ENV$|NODE_CHANNEL|NODE_PATH$|ELECTRON_|TEST$|DEV$|PROD$|MODE$|SSR$|BASE_URL$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: folders.home,
    EXTENSIONS_GALLERY: '{}',
    PATH: `${path.dirname(target.node)}:${process.env['PATH'] ?? ''}`,
  };
}
