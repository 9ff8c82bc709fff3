/** Problems that the editor knows of, as lines for the model. */
import type { Language, Problem, WorkspacePath } from '../ports.js';
import { count, oneLine } from './text.js';

const MAX_LINE = 400;

export const problemLine = ({ path, line, severity, message, source }: Problem): string =>
  `${path.shown}:${String(line)}: ${severity}: ${oneLine(message, MAX_LINE)}${source === undefined ? '' : ` (${source})`}`;

export const matters = ({ severity }: Problem): boolean => severity === 'error' || severity === 'warning';

/** "2 errors, 1 warning". */
export function problemCount(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  const rest = problems.length - errors - warnings;
  const parts = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
    ...(rest > 0 ? [count(rest, 'hint')] : []),
  ];
  return parts.length === 0 ? 'no problems' : parts.join(', ');
}

/** Those of `now` that were not there before, however the lines moved meanwhile. */
export function newProblems(before: readonly Problem[], now: readonly Problem[]): Problem[] {
  const keyOf = ({ severity, message, source }: Problem): string => [severity, source, message].join('\n');
  const known = new Map<string, number>();
  for (const problem of before) known.set(keyOf(problem), (known.get(keyOf(problem)) ?? 0) + 1);
  return now.filter((problem) => {
    const left = known.get(keyOf(problem)) ?? 0;
    if (left > 0) known.set(keyOf(problem), left - 1);
    return left === 0;
  });
}

export interface ProblemWatch {
  /** What a change brought, to be told behind its result; empty when it brought nothing. */
  after(signal: AbortSignal): Promise<{ lines: string[]; outcome: string }>;
}

const MAX_NEW = 20;

/** Looks at the problems of a file before and after it is changed. `isNew`: there is no such file yet. */
export async function watchProblems(
  language: Language,
  path: WorkspacePath,
  { isNew, signal }: { isNew: boolean; signal: AbortSignal },
): Promise<ProblemWatch> {
  const before = isNew ? { problems: [], isSure: true } : await language.freshProblems(path, signal);
  return {
    async after(later) {
      const { problems } = await language.freshProblems(path, later);
      const found = newProblems(before.problems, problems).filter(matters);
      if (found.length === 0) return { lines: [], outcome: '' };
      const more = found.length - MAX_NEW;
      const head = before.isSure
        ? 'Problems that this change brought:'
        : 'Problems of the file as it stands (some may have been there before):';
      return {
        lines: [
          head,
          ...found.slice(0, MAX_NEW).map(problemLine),
          ...(more > 0 ? [`[and ${String(more)} more]`] : []),
        ],
        outcome: ` · ${problemCount(found)}`,
      };
    },
  };
}
