/** Names the files of a folder with the ripgrep that VS Code ships, ignored ones left out, in the order of their paths. */
import { isFailure, type Failure } from '../../shared/failure.js';
import { runRipgrep } from './ripgrep-run.js';

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
export async function listWithRipgrep(
  ripgrep: string,
  folder: string,
  listing: FileListing,
  signal: AbortSignal,
): Promise<{ note?: string } | Failure> {
  let isEnough = false;
  const take = (line: string): boolean => {
    isEnough = !listing.take(line.replace(/\r$/, '').split('\\').join('/').replace(/^\.\//, ''));
    return !isEnough;
  };
  const end = await runRipgrep({ ripgrep, folder, args: listArguments(listing), take }, signal);
  if (isFailure(end)) return end;
  return end.code === 2 && !isEnough && end.trouble !== '' ? { note: noteOf(end.trouble) } : {};
}

function noteOf(trouble: string): string {
  const [first = '', ...others] = trouble.split('\n');
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return `Not everything could be looked at: ${first.replace(/^rg: /, '')}${rest}.`;
}
