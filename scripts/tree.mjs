// Process trees on Linux, read from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {{ pid: number, ppid: number, command: string }} ProcessRow
 */

/** Empty for a process that has just ended. */
export function readProc(file) {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code)) return '';
    throw error;
  }
}

/** @returns {ProcessRow[]} every process that has not ended */
export function allProcesses() {
  const rows = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProc(`${name}/stat`);
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!ppid || state === 'Z') continue;
    rows.push({
      pid: Number(name),
      ppid: Number(ppid),
      command: readProc(`${name}/cmdline`).split('\0').join(' ').trim(),
    });
  }
  return rows;
}

/**
 * What `pid` has started, directly or not, and `pid` itself.
 * @param {number} pid
 * @returns {ProcessRow[]}
 */
export function processTree(pid, all = allProcesses()) {
  const found = all.filter((row) => row.pid === pid);
  for (const { pid: parent } of found)
    found.push(...all.filter((row) => row.ppid === parent && !found.includes(row)));
  return found;
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} [signal]
 */
export function kill(pid, signal = 'SIGKILL') {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Asks the whole tree to end and after `patience` ms makes it. */
export function endTree(pid, patience = 2000) {
  return process.platform === 'linux'
    ? end(processTree(pid), patience)
    : Promise.resolve(kill(pid, 'SIGTERM'));
}

/** Ends everything this process has started. */
export function endChildren(patience = 2000) {
  return process.platform === 'linux' ? end(processTree(process.pid).slice(1), patience) : Promise.resolve();
}

async function end(rows, patience) {
  for (const row of rows) kill(row.pid, 'SIGTERM');
  const deadline = Date.now() + patience;
  while (rows.some(isLeft) && Date.now() < deadline) await delay(50);
  for (const row of rows.filter(isLeft)) kill(row.pid);
}

function isLeft({ pid }) {
  const stat = readProc(`${pid}/stat`);
  return stat !== '' && !/^\d+ \(.*\) Z/.test(stat);
}
