/** What of a proposed call the person can change before it runs: its own texts, and nothing of where it acts. */

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
