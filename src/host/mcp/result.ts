/** What a server's tool gives, as a result of ours: text for the model, pictures beside it, and what cannot be shown named. */
import type { ToolOutcome } from '../../ports.js';

/** Kinds of pictures that every provider takes. */
const PICTURE = /^image\/(png|jpeg|gif|webp)$/;
const MOST_PICTURES = 8;
const MOST_PICTURE_BYTES = 8 * 1024 * 1024;

/** As the protocol has it; everything may be missing, and more kinds may come. */
export interface CallResult {
  content?: readonly unknown[] | undefined;
  structuredContent?: unknown;
  isError?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
type Picture = NonNullable<ToolOutcome['pictures']>[number];

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function outcomeOf({ content = [], structuredContent, isError }: CallResult): ToolOutcome {
  const pictures: Picture[] = [];
  const texts = content.map((block) => (isFields(block) ? blockText(block, pictures) : ''));
  // Servers give the same as text beside it; one that does not would have given nothing.
  if (texts.every((text) => text.trim() === '') && structuredContent !== undefined)
    texts.push(JSON.stringify(structuredContent, null, 2));
  const text = texts.filter((part) => part !== '').join('\n\n');
  return {
    content: text === '' ? '[The tool gave no output.]' : text,
    is_error: isError === true,
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

function blockText(block: Fields, pictures: Picture[]): string {
  const mime = textOf(block['mimeType']);
  switch (block['type']) {
    case 'text':
      return textOf(block['text']);
    case 'image':
      return takePicture(pictures, {
        mime,
        data: textOf(block['data']),
        name: `picture ${pictures.length + 1}`,
      });
    case 'audio':
      return `[Audio (${mime}) is left out: it cannot be told to the model.]`;
    case 'resource_link':
      return `[Resource ${textOf(block['uri'])}${label(block)}]`;
    case 'resource':
      return isFields(block['resource']) ? resourceText(block['resource'], pictures) : '';
    default:
      return `[A part of the kind ${JSON.stringify(block['type'])} is left out: Bough does not know it.]`;
  }
}

function label(block: Fields): string {
  const said = [textOf(block['title']) || textOf(block['name']), textOf(block['description'])];
  const words = said.filter((word) => word !== '').join(' – ');
  return words === '' ? '' : `: ${words}`;
}

function resourceText(resource: Fields, pictures: Picture[]): string {
  const uri = textOf(resource['uri']);
  const mime = textOf(resource['mimeType']);
  if (typeof resource['text'] === 'string') return `[${uri}]\n${resource['text']}`;
  const data = textOf(resource['blob']);
  if (PICTURE.test(mime)) return takePicture(pictures, { mime, data, name: uri });
  return `[${uri} is left out: it is binary (${mime === '' ? 'of an unknown kind' : mime}).]`;
}

/** Keeps it, or says in its place why not. */
function takePicture(
  pictures: Picture[],
  { mime, data, name }: { mime: string; data: string; name: string },
): string {
  if (!PICTURE.test(mime)) return `[A picture is left out: its kind is ${JSON.stringify(mime)}.]`;
  if (pictures.length >= MOST_PICTURES) return '[A further picture is left out.]';
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  if (bytes.length === 0) return '[A picture is left out: it has no bytes.]';
  if (bytes.length > MOST_PICTURE_BYTES)
    return `[A picture is left out: it has ${String(bytes.length)} bytes, more than ${String(MOST_PICTURE_BYTES)}.]`;
  pictures.push({ mime, name, bytes });
  return `[${name} (${mime}) goes with this result.]`;
}
