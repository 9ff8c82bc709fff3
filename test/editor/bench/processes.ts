// The processes a server under test has started, found in /proc by their parent or by a mark in their environment.
import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from './eventually.js';

export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly command: string;
}

/** `mark` is in the environment of everything the server starts, so that what lost its parent is found too. */
export const markVariable = 'BOUGH_BENCH_MARK';

export function processesOf(serverPid: number, mark: string): ProcessRow[] {
  const all = allProcesses();
  const found = new Map<number, ProcessRow>();
  const queue = [serverPid];
  for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
    for (const row of all) {
      if (row.ppid !== parent || found.has(row.pid)) continue;
      found.set(row.pid, row);
      queue.push(row.pid);
    }
  }
  for (const row of all) if (isMarked(row.pid, mark)) found.set(row.pid, row);
  return [...found.values()].sort((a, b) => a.pid - b.pid);
}

/** Kills what `list` still finds until it finds nothing; throws when something survives. */
export async function killAll(list: () => ProcessRow[]): Promise<void> {
  await eventually(
    () => {
      const rows = list();
      for (const { pid } of rows) kill(pid);
      return rows.length === 0;
    },
    { timeout: 10_000, what: 'every process of the server under test is gone' },
  );
}

export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function allProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readProc(`${name}/stat`);
      const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (!ppid || state === 'Z') return [];
      return [{ pid: Number(name), ppid: Number(ppid), command: readProc(`${name}/cmdline`).split('\0').join(' ').trim() }];
    });
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(`${pid}/environ`).split('\0').includes(`${markVariable}=${mark}`);
}

/** Empty for a process that has just ended. */
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return '';
    throw error;
  }
}
