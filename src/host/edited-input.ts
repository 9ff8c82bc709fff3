/** The input by which a proposed call makes what the person left of it in the editor's own diff. */
import { minimalChange } from './editor/minimal-change.js';

type Input = Readonly<Record<string, unknown>>;

/** Of a file as it is shown: with one kind of line end. */
const flat = (text: string): string => text.replaceAll('\r\n', '\n');

export const isSameText = (one: string, other: string): boolean => flat(one) === flat(other);

/** Undefined when it cannot be said, or nothing would change: then nothing is to run. */
export function editedInput(
  { tool, input }: { tool: string; input: unknown },
  before: string | null,
  after: string,
): Input | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  if (before !== null && isSameText(before, after)) return undefined;
  if (tool === 'write') return { ...input, content: after };
  if (tool !== 'edit' || before === null || before === '') return undefined;
  return { ...input, edits: [editBetween(flat(before), flat(after))] };
}

/** Whole lines, as many as it takes for the file to have them once. */
function editBetween(before: string, after: string): { old_text: string; new_text: string } {
  const { start, end, text } = minimalChange(before, after);
  for (let around = 0; ; around = around * 2 + 1) {
    const from = lineStart(before, start, around);
    const to = lineEnd(before, end, around);
    const old_text = before.slice(from, to);
    const isWhole = from === 0 && to === before.length;
    if (!isWhole && (old_text === '' || before.indexOf(old_text) !== before.lastIndexOf(old_text))) continue;
    return { old_text, new_text: before.slice(from, start) + text + before.slice(end, to) };
  }
}

/** Of the line that `at` is in, or of one so many lines above. */
function lineStart(text: string, at: number, lines: number): number {
  let start = text.lastIndexOf('\n', at - 1) + 1;
  if (at === 0) start = 0;
  for (let line = 0; line < lines && start > 0; line += 1)
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
}

function lineEnd(text: string, at: number, lines: number): number {
  let end = at;
  for (let line = 0; line <= lines && end < text.length; line += 1) {
    const found = text.indexOf('\n', end);
    end = found === -1 ? text.length : found + 1;
  }
  return end;
}
