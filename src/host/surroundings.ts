/** Facts about this machine and workspace for the system prompt, read anew for each turn. */
import os from 'node:os';
import type { Surroundings } from '../agent/types.js';
import type { Workspace } from '../ports.js';
import { readInstructions } from './context/instructions.js';

export async function readSurroundings(
  shell: string,
  workspace: Pick<Workspace, 'resolve' | 'read'>,
): Promise<Surroundings> {
  return {
    system: `${os.type()} ${os.release()} (${os.arch()})`,
    shell,
    date: localDay(new Date()),
    ...(await readInstructions(workspace)),
  };
}

function localDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
