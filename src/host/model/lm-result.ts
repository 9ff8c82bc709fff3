/**
 * What a tool of `vscode.lm` gives, as a result of ours: text as it is, prompt-tsx as the text in it, data by its kind.
 * Parts are told apart by what they have, for VS Code may add kinds. Free of vscode, so that it can be tested.
 */
import type { ToolOutcome } from '../../ports.js';

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const PICTURE = /^image\/(png|jpeg|gif|webp)$/;
const TEXT = /^(text\/|application\/(json|xml|yaml)|[\w.-]+\/[\w.-]+\+(json|xml))/;

export function lmOutcome(content: readonly unknown[]): ToolOutcome {
  const pictures: NonNullable<ToolOutcome['pictures']> = [];
  const texts = content.map((part) => (isFields(part) ? partText(part, pictures) : ''));
  const text = texts.filter((part) => part !== '').join('\n');
  return {
    content: text === '' ? '[The tool gave no output.]' : text,
    is_error: false,
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

function partText(part: Fields, pictures: NonNullable<ToolOutcome['pictures']>): string {
  const { value, mimeType, data } = part;
  if (typeof value === 'string') return value;
  if (typeof mimeType === 'string' && data instanceof Uint8Array) {
    if (TEXT.test(mimeType)) return new TextDecoder().decode(data);
    if (!PICTURE.test(mimeType)) return `[Data of the kind ${mimeType} (${data.length} bytes) is left out.]`;
    const name = `picture ${pictures.length + 1}`;
    pictures.push({ mime: mimeType, name, bytes: data });
    return `[${name} (${mimeType}) goes with this result.]`;
  }
  return value === undefined ? '[A part that Bough does not know is left out.]' : tsxText(value);
}

/** Pieces of prompt-tsx: those with a text are texts, each perhaps on a line of its own; the others have children. */
function tsxText(value: unknown): string {
  const found: string[] = [];
  const walk = (piece: unknown): void => {
    if (!isFields(piece)) return;
    const { text, lineBreakBefore, children, node } = piece;
    if (typeof text === 'string') {
      const isNewLine =
        found.length > 0 &&
        lineBreakBefore !== undefined &&
        lineBreakBefore !== 0 &&
        lineBreakBefore !== false;
      found.push(isNewLine ? `\n${text}` : text);
    }
    walk(node);
    for (const child of Array.isArray(children) ? (children as unknown[]) : []) walk(child);
  };
  walk(value);
  return found.length > 0 ? found.join('') : JSON.stringify(value);
}
