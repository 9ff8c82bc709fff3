/** Compares two texts by lines: how many were added and removed, and how the changed places read now. */
import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { endLastLines } from '../shared/last-line.js';
import { head, linesOf } from './text.js';

/** Beyond this many differing lines the comparison is not worth its time. */
const MAX_DISTANCE = 4000;
const MAX_SHOWN_LINES = 200;
const MAX_SHOWN_CHARS = 16_000;

export function countChanges(before: string, after: string): { added: number; removed: number } {
  const hunks = hunksOf(before, after, 0);
  if (hunks === undefined) return { added: linesOf(after).length, removed: linesOf(before).length };
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** "+12 −3". */
export function changeSummary(before: string, after: string): string {
  const { added, removed } = countChanges(before, after);
  return `+${added} −${removed}`;
}

/** The changed places of `now` with two lines around each, without prefixes, so that they can be copied. */
export function showChanged(before: string, now: string): string {
  const hunks = hunksOf(before, now, 2);
  if (hunks === undefined) return '[Most of the file changed; read it to see how it stands.]';
  const parts: string[] = [];
  let lines = 0;
  let chars = 0;
  for (const [index, hunk] of hunks.entries()) {
    const kept = hunk.lines
      .filter((line) => line.startsWith('+') || line.startsWith(' '))
      .map((line) => line.slice(1));
    lines += kept.length;
    chars += kept.reduce((sum, line) => sum + line.length + 1, 0);
    if (lines > MAX_SHOWN_LINES || chars > MAX_SHOWN_CHARS) {
      if (index === 0) parts.push(excerpt(hunk, kept));
      parts.push('[The rest of the changed lines is not shown; read the file to see it.]');
      break;
    }
    parts.push(
      kept.length === 0
        ? `[Nothing is left at line ${hunk.newStart}.]`
        : `${title(hunk, kept.length)}\n${kept.join('\n')}`,
    );
  }
  return parts.join('\n');
}

function hunksOf(before: string, after: string, context: number): StructuredPatchHunk[] | undefined {
  const options = { context, maxEditLength: MAX_DISTANCE };
  return structuredPatch('', '', ...endLastLines(before, after), undefined, undefined, options)?.hunks;
}

function excerpt(hunk: StructuredPatchHunk, kept: readonly string[]): string {
  const lines = kept.slice(0, MAX_SHOWN_LINES);
  return head(`${title(hunk, lines.length)}\n${lines.join('\n')}`, MAX_SHOWN_CHARS);
}

const title = ({ newStart }: StructuredPatchHunk, length: number): string =>
  length === 1 ? `Line ${newStart} now:` : `Lines ${newStart}–${newStart + length - 1} now:`;
