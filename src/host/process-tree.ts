/**
 * Finds and ends every process that a command started: its group, what left the group (`setsid`), and on Linux also what
 * was handed to another parent – by a mark in the environment that children inherit, and by the output that they write to.
 * What has none of them left (`env -i setsid x >/dev/null 2>&1 &`) is not known to belong to it.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Variable of the environment by which what belongs to one command is known. */
export const MARK = 'BOUGH_COMMAND';

export interface ProcessTree {
  /** Process id of the command, which leads its own group; undefined when it is not known. */
  leader: number | undefined;
  /** Value of {@link MARK} in the environment of everything it starts. */
  mark: string;
  /** What {@link outputOf} said of the descriptor that the command's output goes to. */
  output?: string | undefined;
}

interface Row {
  pid: number;
  parent: number;
  group: number;
  isZombie: boolean;
}

/** The living processes of a command, the leader included. */
export function members({ leader, mark, output }: ProcessTree): { pid: number; group: number }[] {
  const rows = process.platform === 'linux' ? rowsOfProc() : rowsOfPs();
  const alive = rows.filter((row) => !row.isZombie && row.pid !== process.pid);
  const found = new Set(
    alive.filter((row) => row.pid === leader || row.group === leader).map((row) => row.pid),
  );
  if (process.platform === 'linux') {
    for (const { pid } of alive)
      if (!found.has(pid) && (hasMark(pid, mark) || writesTo(pid, output))) found.add(pid);
  }
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const row of alive) if (found.has(row.parent)) found.add(row.pid);
  }
  return alive.filter((row) => found.has(row.pid));
}

/** Signals the group at once, then each process that is not in it. */
export function signalTree(tree: ProcessTree, signal: 'SIGTERM' | 'SIGKILL'): void {
  const found = members(tree);
  if (tree.leader !== undefined) send(-tree.leader, signal);
  for (const { pid, group } of found) if (group !== tree.leader) send(pid, signal);
}

/** Kills at once, and again what was started meanwhile. For when there is no time to ask. */
export function killTree(tree: ProcessTree): void {
  for (let round = 0; round < 5; round += 1) {
    signalTree(tree, 'SIGKILL');
    if (members(tree).length === 0) return;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It may be gone since it was listed, or belong to another user; what survives is counted by the caller.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')))
      throw error;
  }
}

function rowsOfProc(): Row[] {
  const rows: Row[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProc(`/proc/${name}/stat`);
    if (stat === undefined) continue;
    // The name in parentheses may hold anything, spaces and parentheses included.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    rows.push({
      pid: Number(name),
      parent: Number(parent),
      group: Number(group),
      isZombie: state === 'Z' || state === 'X',
    });
  }
  return rows;
}

function rowsOfPs(): Row[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state = ''] = line.trim().split(/\s+/);
    if (pid === undefined || pid === '') return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), isZombie: state.startsWith('Z') },
    ];
  });
}

const hasMark = (pid: number, mark: string): boolean =>
  readProc(`/proc/${pid}/environ`)?.split('\0').includes(`${MARK}=${mark}`) ?? false;

/**
 * The pipe or socket that a descriptor of a process is, by the name that all have for it who inherited it. Undefined
 * where it is another kind of file, which others may have opened, and off Linux.
 */
export function outputOf(pid: number | 'self', descriptor: number): string | undefined {
  try {
    const name = readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    return /^(?:pipe|socket):\[/.test(name) ? name : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Whoever started this process may have given it the output that it has itself: that is no part of the command. */
const writesTo = (pid: number, output: string | undefined): boolean =>
  output !== undefined &&
  pid !== process.ppid &&
  [1, 2].some((descriptor) => outputOf(pid, descriptor) === output);

/** undefined for a process that is gone or belongs to somebody else. */
function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
