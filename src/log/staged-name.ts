/** Names of files that are not complete yet. They say which process makes them, so that what a dead one left can be told. */
import { createHash, randomBytes } from 'node:crypto';
import os from 'node:os';

const staged = /\.([0-9]+)-([0-9a-f]{8})-[0-9a-f]{16}\.tmp$/;

const markOf = (host: string): string => createHash('sha256').update(host).digest('hex').slice(0, 8);

/** Where the bytes of `target` are put together before they take its place. No two are ever the same. */
export const stagedName = (target: string): string =>
  `${target}.${String(process.pid)}-${markOf(os.hostname())}-${randomBytes(8).toString('hex')}.tmp`;

/** Who makes a staged file; undefined for any other name. The pid is 0 when it is on another machine. */
export function stagedBy(name: string, host: string): { pid: number; host: string } | undefined {
  const match = name.endsWith('.tmp') ? staged.exec(name) : null;
  if (match === null) return undefined;
  return match[2] === markOf(host) ? { pid: Number(match[1]), host } : { pid: 0, host: 'elsewhere' };
}
