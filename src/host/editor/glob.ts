/** Globs over paths below a folder, written with `/`: `*`, `**`, `?`, `[…]` and `{a,b}`, as VS Code has them. */
import picomatch from 'picomatch';
import { toolFailure, type Failure } from '../../shared/failure.js';
import { globStates } from '../glob-states.js';

/** One without `/` is of the file's name, in whatever folder it lies. */
export function globMatcher(glob: string): ((relative: string) => boolean) | Failure {
  const pattern = glob.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  if (pattern.startsWith('/') || /^[A-Za-z]:\//.test(pattern) || pattern.split('/').includes('..')) {
    return toolFailure(
      'outside',
      `The pattern ${glob} would leave the folder. Give one below the workspace folder, such as src/**/*.ts.`,
    );
  }
  const heavy = heavySegment(pattern);
  if (heavy !== undefined) return plainMatcher(pattern) ?? tooMany(glob, heavy);
  try {
    return picomatch(pattern, { dot: true, basename: !pattern.includes('/') });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toolFailure('bad-pattern', `The pattern ${glob} is not a glob: ${reason}`);
  }
}

/** Of more stars than these in one segment each tries all places for each place of the others: seconds for one long name. */
const MOST_STARS = 3;
const MOST_PLAIN_STARS = 6;
const MOST_GLOBSTARS = 5;

const tooMany = (glob: string, segment: string): Failure =>
  toolFailure(
    'bad-pattern',
    `The pattern ${glob} has too many wildcards in "${segment}": at most ${String(MOST_PLAIN_STARS)} * in one segment, ${String(MOST_STARS)} where it has braces or brackets of choice, none that is repeated, and at most ${String(MOST_GLOBSTARS)} **. Give a simpler pattern.`,
  );

const starsIn = (segment: string): number => segment.match(/\*+|[+!]\(/g)?.length ?? 0;

/** The part of it that picomatch might not come to an end with. */
function heavySegment(pattern: string): string | undefined {
  const segments = pattern.split('/');
  if (segments.filter((segment) => segment.includes('**')).length > MOST_GLOBSTARS) return pattern;
  // A star in what is repeated; and what is in braces or parentheses may go on over a `/`.
  if (/[+*]\([^)]*[*+!?]/.test(pattern)) return pattern;
  if (/[({].*\/.*[)}]/.test(pattern) && starsIn(pattern.replace(/\*\*\//g, '')) > MOST_STARS) return pattern;
  return segments.find((segment) => starsIn(segment) > MOST_STARS);
}

/** For many stars and nothing else that is special. Stars that are not all of a segment stay within it. */
function plainMatcher(pattern: string): ((relative: string) => boolean) | undefined {
  const segments = pattern.split('/');
  const globstars = segments.filter((segment) => segment.includes('**')).length;
  const isPlain = !/[[\](){}!+@|]/.test(pattern) && globstars <= MOST_GLOBSTARS;
  if (!isPlain || segments.some((segment) => starsIn(segment) > MOST_PLAIN_STARS)) return undefined;
  const within = segments.map((segment) => (segment === '**' ? segment : segment.replace(/\*+/g, '*')));
  const isMatch = globStates(within.join('/'));
  const isOfName = segments.length === 1;
  return (relative) => isMatch(isOfName ? relative.slice(relative.lastIndexOf('/') + 1) : relative);
}
