/** What a call was given, as far as it is known what it means. */
import type { ToolCard } from '../../src/shared/fold/types.js';

export type Input = Readonly<Record<string, unknown>>;

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const firstLine = (value: string | undefined): string =>
  /^[^\n]*/.exec(value?.trim() ?? '')?.[0] ?? '';

const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What ran, or is to run: as the person changed it, if they did. */
export function inputOf({ call, edited_input }: ToolCard): Input {
  if (isInput(edited_input)) return edited_input;
  return isInput(call.input) ? call.input : {};
}

/** The pieces an edit replaces, as the call names them. */
export function editsOf(card: ToolCard): { before: string; after: string }[] {
  const edits = inputOf(card)['edits'];
  if (card.call.name !== 'edit' || !Array.isArray(edits)) return [];
  return edits
    .filter(isInput)
    .map((edit) => ({ before: text(edit['old_text']), after: text(edit['new_text']) }));
}
