/** What tests of commands share: the supervisor as it is shipped, and ways to wait for processes. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const source = (file: string): string => path.join(here, '../../../../', file);

export interface Bench {
  folder: string;
  supervisor: string;
  /** A script that plays the extension host: runs one command and waits. */
  host: string;
  dispose(): Promise<void>;
}

export async function buildBench(): Promise<Bench> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bough-command-'));
  await esbuild.build({
    entryPoints: { supervisor: source('src/host/supervisor.ts'), host: path.join(here, 'host-process.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  return {
    folder,
    supervisor: path.join(folder, 'supervisor.mjs'),
    host: path.join(folder, 'host.mjs'),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Waits until `isTrue`; the test's own time limit is the only one. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Ids of living processes whose environment holds this text (Linux). */
export const processesWith = (text: string): Promise<number[]> => living('environ', text);

/** The same of processes that were started with words that hold this text. */
export const runningWith = (text: string): Promise<number[]> => living('cmdline', text);

async function living(file: 'environ' | 'cmdline', text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const [said, stat] = await Promise.all([
      readProc(`/proc/${name}/${file}`),
      readProc(`/proc/${name}/stat`),
    ]);
    const isZombie = /\) [ZX] /.test(stat);
    if (!isZombie && said.includes(text)) found.push(Number(name));
  }
  return found;
}

async function readProc(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch {
    return '';
  }
}
