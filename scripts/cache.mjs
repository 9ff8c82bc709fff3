// The cache outside the clone (VS Code, its Node, profiles) and the lock that guards each part of it.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export function cacheFolder() {
  if (process.env.BOUGH_CACHE) return path.resolve(process.env.BOUGH_CACHE);
  if (process.env.XDG_CACHE_HOME) return path.join(process.env.XDG_CACHE_HOME, 'bough');
  return path.join(os.homedir(), '.cache', 'bough');
}

export async function readIfThere(file) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Runs `work` while holding `<name>.lock`; a lock whose process is gone is taken over.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {() => void} [onWait]
 * @returns {Promise<T>}
 */
export async function withLock(name, work, onWait = () => undefined) {
  const lock = `${name}.lock`;
  await mkdir(path.dirname(lock), { recursive: true });
  for (let waits = 0; !(await take(lock)); waits++) {
    if (await isStale(lock)) {
      await discard(lock);
      continue;
    }
    if (waits === 0) onWait();
    await delay(300);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function take(lock) {
  try {
    await mkdir(lock);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  await writeFile(path.join(lock, 'pid'), String(process.pid));
  return true;
}

async function isStale(lock) {
  const text = await readIfThere(path.join(lock, 'pid'));
  if (text) return !isAlive(Number(text));
  await delay(2000); // between mkdir and the pid file the holder may still be writing
  const again = await readIfThere(path.join(lock, 'pid'));
  return again ? !isAlive(Number(again)) : true;
}

/** Moving it away first lets only one of several waiters remove what was found stale. */
async function discard(lock) {
  const gone = `${lock}.${process.pid}.stale`;
  try {
    await rename(lock, gone);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  await rm(gone, { recursive: true, force: true });
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
