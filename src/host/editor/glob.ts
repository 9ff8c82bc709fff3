/** Globs over paths below a folder, written with `/`: `*`, `**`, `?`, `[…]` and `{a,b}`, as VS Code has them. */
import picomatch from 'picomatch';
import { toolFailure, type Failure } from '../../shared/failure.js';

/** One without `/` is of the file's name, in whatever folder it lies. */
export function globMatcher(glob: string): ((relative: string) => boolean) | Failure {
  const pattern = glob.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  if (pattern.startsWith('/') || /^[A-Za-z]:\//.test(pattern) || pattern.split('/').includes('..')) {
    return toolFailure(
      'outside',
      `The pattern ${glob} would leave the folder. Give one below the workspace folder, such as src/**/*.ts.`,
    );
  }
  try {
    return picomatch(pattern, { dot: true, basename: !pattern.includes('/') });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toolFailure('bad-pattern', `The pattern ${glob} is not a glob: ${reason}`);
  }
}
