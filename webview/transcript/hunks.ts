/** Two texts → the lines that differ, with a few around them, as a diff is shown. */
import { structuredPatch } from 'diff';
import { endLastLines } from '../../src/shared/last-line.js';

export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'gap';
  text: string;
  /** 1-based, on the side the line is on (the new one for lines that stay). */
  number?: number;
}

export interface Diff {
  lines: DiffLine[];
  added: number;
  removed: number;
}

/** Comparing is given up after this; the editor's own diff shows such a change. */
const TIMEOUT_MS = 300;
const CONTEXT = 3;
/** Lines before the first change: where there is little room, the change itself is to be seen. */
const LEAD = 1;

export function diffOf(before: string, after: string, numbered = true): Diff | undefined {
  const options = { context: CONTEXT, timeout: TIMEOUT_MS };
  const patch = structuredPatch('', '', ...endLastLines(before, after), '', '', options);
  if (patch === undefined) return undefined;
  const diff: Diff = { lines: [], added: 0, removed: 0 };
  for (const hunk of patch.hunks) {
    if (diff.lines.length > 0 || hunk.newStart > CONTEXT + 1) diff.lines.push({ kind: 'gap', text: '' });
    addHunk(diff, hunk, numbered);
  }
  if (diff.lines.length === 1 && diff.lines[0]?.kind === 'gap') diff.lines = [];
  return { ...diff, lines: fromFirstChange(diff.lines) };
}

function fromFirstChange(lines: DiffLine[]): DiffLine[] {
  const isContext = ({ kind }: DiffLine): boolean => kind === 'same' || kind === 'gap';
  const from = lines.findIndex((line) => !isContext(line)) - LEAD;
  return from <= 0 ? lines : [{ kind: 'gap', text: '' }, ...lines.slice(from).filter(isNoGapAtStart)];
}

const isNoGapAtStart = ({ kind }: DiffLine, index: number): boolean => index > 0 || kind !== 'gap';

function addHunk(
  diff: Diff,
  hunk: { oldStart: number; newStart: number; lines: string[] },
  numbered: boolean,
): void {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  for (const line of hunk.lines) {
    const text = line.slice(1);
    if (line.startsWith('\\')) continue;
    if (line.startsWith('-')) {
      diff.removed++;
      diff.lines.push({ kind: 'removed', text, ...(numbered ? { number: oldLine } : {}) });
      oldLine++;
    } else if (line.startsWith('+')) {
      diff.added++;
      diff.lines.push({ kind: 'added', text, ...(numbered ? { number: newLine } : {}) });
      newLine++;
    } else {
      diff.lines.push({ kind: 'same', text, ...(numbered ? { number: newLine } : {}) });
      oldLine++;
      newLine++;
    }
  }
}
