// Fresh processes in turn: ours, the peer's, ours again; what came of the work is compared before its time counts.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Measured } from './measured.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const execute = promisify(execFile);

export interface Sides {
  node: string;
  scripts: string;
  /** The peer's module, if it could be fetched. */
  peer: string | undefined;
}

export async function buildSides(out: string, node: string, peer: string | undefined): Promise<Sides> {
  await mkdir(out, { recursive: true });
  await build({
    entryPoints: {
      ours: path.join(here, 'ours-process.ts'),
      peer: path.join(here, 'peer-process.ts'),
      'text-worker': path.join(here, '../../../src/host/text-worker.ts'),
    },
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return { node, scripts: out, peer };
}

async function run(
  { node, scripts }: Sides,
  side: 'ours' | 'peer',
  args: readonly string[],
): Promise<Measured> {
  const script = path.join(scripts, `${side}.mjs`);
  const { stdout } = await execute(
    node,
    ['--no-warnings', '--expose-gc', '--max-old-space-size=6000', script, ...args],
    {
      maxBuffer: 1024 * 1024,
    },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured;
}

export const runOurs = (sides: Sides, ...args: readonly string[]): Promise<Measured> =>
  run(sides, 'ours', args);

export interface Samples {
  ours: Measured[];
  peer: Measured[];
}

export interface Task {
  work: string;
  folder: string;
  /** Of the n-th sample. */
  id: (sample: number) => string;
  samples: number;
  hasPeer?: boolean;
  /** Before each of ours. */
  prepare?: (sample: number) => Promise<void>;
}

export async function sample(sides: Sides, task: Task): Promise<Samples> {
  const samples: Samples = { ours: [], peer: [] };
  for (let index = 0; index < task.samples; index++) {
    const id = task.id(index);
    await task.prepare?.(index);
    const ours = await run(sides, 'ours', [task.work, task.folder, id]);
    samples.ours.push(ours);
    if (sides.peer === undefined || task.hasPeer === false) continue;
    const head = ours.outcome?.['head'];
    const args = [task.work, task.folder, id, sides.peer, ...(typeof head === 'string' ? [head] : [])];
    const peer = await run(sides, 'peer', args);
    samples.peer.push(peer);
    compare(`${task.work} of ${id}`, ours, peer);
  }
  return samples;
}

function compare(what: string, ours: Measured, peer: Measured): void {
  for (const [name, value] of Object.entries(ours.outcome ?? {})) {
    const other = peer.outcome?.[name];
    if (other !== undefined && other !== value)
      throw new Error(
        `${what}: ${name} is ${JSON.stringify(value)} with us and ${JSON.stringify(other)} with the peer`,
      );
  }
}
