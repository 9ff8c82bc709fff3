/** Runs the ripgrep that VS Code ships, line by line, until it ends, enough has come, or it is stopped. */
import { spawn } from 'node:child_process';
import { cancelled, toolFailure, type Failure } from '../../shared/failure.js';
import { byLine } from './by-line.js';

export interface RipgrepRun {
  ripgrep: string;
  /** Where it looks. */
  folder: string;
  args: readonly string[];
  /** False when no more is wanted: it is ended then. */
  take: (line: string) => boolean;
}

/** How it ended, with what it complained of (at most 8 000 characters). */
export interface RipgrepEnd {
  code: number | null;
  trouble: string;
}

export function runRipgrep(
  { ripgrep, folder, args, take }: RipgrepRun,
  signal: AbortSignal,
): Promise<RipgrepEnd | Failure> {
  if (signal.aborted) return Promise.resolve(cancelled());
  const child = spawn(ripgrep, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let isEnough = false;
  let trouble = '';
  child.stdout.on(
    'data',
    byLine((line) => {
      if (isEnough) return;
      isEnough = !take(line);
      if (isEnough) child.kill();
    }),
  );
  child.stderr.on('data', (bytes: Buffer) => (trouble = (trouble + bytes.toString('utf8')).slice(0, 8000)));
  const stop = (): boolean => child.kill();
  signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(toolFailure('no-search', `The search could not begin: ${error.message} (${ripgrep}).`));
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve(signal.aborted ? cancelled() : { code, trouble: trouble.trim() });
    });
  });
}
