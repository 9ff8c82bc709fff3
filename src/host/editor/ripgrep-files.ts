/** Names the files of a folder with the ripgrep that VS Code ships, ignored ones left out, in the order of their paths. */
import { spawn } from 'node:child_process';
import { cancelled, toolFailure, type Failure } from '../../shared/failure.js';
import { byLine } from './by-line.js';

export interface FileListing {
  /** Folder below the listed one, with `/`; empty for all of it. */
  target: string;
  /** Globs of what is left out beside what ignore files name. */
  exclude: readonly string[];
  /** Takes one file, below the listed folder; false when no more is wanted. */
  take: (relative: string) => boolean;
}

export function listArguments({ target, exclude }: Pick<FileListing, 'target' | 'exclude'>): string[] {
  const wantsModules = target.split('/').includes('node_modules');
  return [
    ...['--no-config', '--files', '--hidden', '--no-require-git', '--sort', 'path', '--glob', '!**/.git/**'],
    ...(wantsModules ? [] : ['--glob', '!**/node_modules/**']),
    ...exclude.flatMap((glob) => ['--glob', `!${glob}`]),
    ...['--', target === '' ? '.' : `./${target}`],
  ];
}

/** What could not be looked at, in a sentence; undefined when all was. */
export function listWithRipgrep(
  ripgrep: string,
  folder: string,
  listing: FileListing,
  signal: AbortSignal,
): Promise<{ note?: string } | Failure> {
  if (signal.aborted) return Promise.resolve(cancelled());
  const child = spawn(ripgrep, listArguments(listing), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let isEnough = false;
  let trouble = '';
  child.stdout.on(
    'data',
    byLine((line) => {
      if (isEnough) return;
      isEnough = !listing.take(line.replace(/\r$/, '').split('\\').join('/').replace(/^\.\//, ''));
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
      if (signal.aborted) resolve(cancelled());
      else resolve(code === 2 && !isEnough && trouble !== '' ? { note: noteOf(trouble.trim()) } : {});
    });
  });
}

function noteOf(trouble: string): string {
  const [first = '', ...others] = trouble.split('\n');
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return `Not everything could be looked at: ${first.replace(/^rg: /, '')}${rest}.`;
}
