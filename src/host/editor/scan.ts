/** The search over single texts that stands in where VS Code's ripgrep is not to be found. */
import { toolFailure, type Failure } from '../../shared/failure.js';
import type { FoundLine } from './ripgrep.js';

export function patternOf(pattern: string, regex: boolean): RegExp | Failure {
  const source = regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  try {
    return new RegExp(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return toolFailure('bad-pattern', `The pattern is not a regular expression: ${error.message}`);
  }
}

export function scanText(relative: string, text: string, pattern: RegExp, max: number): FoundLine[] {
  const hits: FoundLine[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (hits.length === max) break;
    if (pattern.test(line)) hits.push({ relative, line: index + 1, text: line });
  }
  return hits;
}
