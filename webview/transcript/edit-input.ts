/** What of a proposed call the person can change before it runs: its own texts, and nothing of where it acts. */
import { structuredPatch } from 'diff';

type Input = Readonly<Record<string, unknown>>;

export interface EditableText {
  label: string;
  text: string;
}

const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The field of a tool's input that holds what it does. */
const fields: Readonly<Record<string, { field: string; label: string }>> = {
  run: { field: 'command', label: 'Command' },
  write: { field: 'content', label: 'Text to write' },
};

/** Empty when nothing can be changed here: such a call is denied with words instead. */
export function editableTexts(tool: string, input: Input): EditableText[] {
  const known = Object.hasOwn(fields, tool) ? fields[tool] : undefined;
  if (known !== undefined) {
    const text = input[known.field];
    return typeof text === 'string' ? [{ label: known.label, text: shown(text) }] : [];
  }
  const { edits } = input;
  if (tool !== 'edit' || !Array.isArray(edits)) return [];
  const texts = edits.flatMap((edit: unknown) =>
    isInput(edit) && typeof edit['new_text'] === 'string' ? [edit['new_text']] : [],
  );
  if (texts.length !== edits.length) return [];
  return texts.map((text, index) => ({
    label: texts.length === 1 ? 'New text' : `New text ${index + 1} of ${texts.length}`,
    text: shown(text),
  }));
}

/** The input with these texts in place of its own; undefined when they are the same. */
export function withTexts(tool: string, input: Input, texts: readonly string[]): Input | undefined {
  const before = editableTexts(tool, input);
  if (before.every(({ text }, index) => text === texts[index])) return undefined;
  const known = Object.hasOwn(fields, tool) ? fields[tool] : undefined;
  if (known !== undefined) {
    return { ...input, [known.field]: likeBefore(input[known.field], texts[0] ?? '') };
  }
  const edits = (Array.isArray(input['edits']) ? input['edits'] : []).filter(isInput);
  return {
    ...input,
    edits: edits.map((edit, index) => ({
      ...edit,
      new_text: likeBefore(edit['new_text'], texts[index] ?? ''),
    })),
  };
}

/** A text field knows only one kind of line end. */
const shown = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');

const likeBefore = (before: unknown, text: string): string =>
  typeof before === 'string' && before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;

/** Lines around a change that name its place, from few to all there are: the first that names it alone is taken. */
const CONTEXTS = [0, 1, 3, 10, 40, Number.MAX_SAFE_INTEGER];

/**
 * The input that makes `after` of the file that now is `before`. Undefined when nothing would change, or when it cannot be
 * said: then nothing is to run.
 */
export function inputFor(
  tool: string,
  input: Input,
  { before, after }: { before: string | null; after: string },
): Input | undefined {
  if (tool === 'write') return before === after ? undefined : { ...input, content: after };
  if (tool !== 'edit' || before === null) return undefined;
  const [old, wanted] = [flat(before), flat(after)];
  if (old === wanted) return undefined;
  for (const context of CONTEXTS) {
    const edits = editsBetween(old, wanted, context);
    if (edits?.every(({ old_text }) => occursOnce(old, old_text)) === true) return { ...input, edits };
  }
  return undefined;
}

function editsBetween(
  before: string,
  after: string,
  context: number,
): { old_text: string; new_text: string }[] | undefined {
  const [old, wanted] = [linesOf(before), linesOf(after)];
  const patch = structuredPatch('', '', before, after, '', '', {
    context: Math.min(context, old.length + wanted.length),
    timeout: TIMEOUT_MS,
  });
  // Too different to compare in time: the whole is one change.
  if (patch === undefined) return [{ old_text: before, new_text: after }];
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({
    old_text: partOf(old, oldStart, oldLines),
    new_text: partOf(wanted, newStart, newLines),
  }));
}

const TIMEOUT_MS = 1_000;

/** As the tool compares them. */
const flat = (text: string): string => text.replaceAll('\r\n', '\n');

/** Each with its line break. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const partOf = (lines: readonly string[], start: number, count: number): string =>
  lines.slice(start - 1, start - 1 + count).join('');

function occursOnce(text: string, part: string): boolean {
  const first = text.indexOf(part);
  return part !== '' && first !== -1 && text.indexOf(part, first + 1) === -1;
}
