// The processes a server under test has started, found by their parent or by a mark in their environment.
import { allProcesses, kill, type ProcessRow, processTree, readProc } from '../../../scripts/tree.mjs';
import { eventually } from './eventually.js';

export { kill, type ProcessRow };

/** In the environment of everything the server starts, so that what lost its parent is found too. */
export const markVariable = 'BOUGH_BENCH_MARK';

export function processesOf(serverPid: number, mark: string): ProcessRow[] {
  const all = allProcesses();
  const found = new Map(processTree(serverPid, all).map((row) => [row.pid, row]));
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

/** What any server of a test run has left behind. */
export function leftOvers(run: string): ProcessRow[] {
  return allProcesses().filter(({ pid }) => isMarked(pid, run));
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(`${pid}/environ`)
    .split('\0')
    .some((line) => line.startsWith(`${markVariable}=${mark}`));
}
