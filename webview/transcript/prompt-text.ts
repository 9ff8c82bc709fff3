/**
 * A message as text: what was typed, what was attached to it, and what is copied. A part that is too long for a line of
 * the log is only its beginning here; `whole` fetches the rest, so that nothing is cut where it matters.
 */
import type { FilePart, Message, TextPart } from '../../src/shared/entry.js';
import type { Mention } from '../../src/shared/protocol.js';

/** Gives the text of a blob. */
export type Whole = (hash: string) => Promise<string>;

/** Something attached to a prompt: a named file or a pasted text. */
export interface Attachment {
  kind: Mention['kind'];
  label: string;
  path?: string;
  part: TextPart;
}

/** A message of the person's, or one that waits to become one. */
export type Prompted = Pick<Message, 'parts' | 'role' | 'origin'>;

export interface Prompt {
  /** What was typed. */
  typed: TextPart[];
  attachments: Attachment[];
  files: FilePart[];
}

const isText = (part: Message['parts'][number]): part is TextPart => part.type === 'text';
const isFile = (part: Message['parts'][number]): part is FilePart =>
  part.type === 'file' || part.type === 'image';

export const textOf = (part: TextPart): string => part.text || (part.preview ?? '');

export const textParts = (message: Pick<Message, 'parts'>): TextPart[] => message.parts.filter(isText);

export const messageText = (message: Message): string => textParts(message).map(textOf).join('\n\n');

/** The first text of a prompt is what was typed; each other one begins with a line that names what it holds. */
export function promptOf(message: Prompted): Prompt {
  const texts = textParts(message);
  const files = message.parts.filter(isFile);
  if (message.role !== 'user' || message.origin === 'import') return { typed: texts, attachments: [], files };
  return { typed: texts.slice(0, 1), attachments: texts.slice(1).map(attachmentOf), files };
}

const heading =
  /^\[The person named this (file|folder|selection|problems|terminal): (.+?)(?: \((.+)\))?\](?:\n|$)/;

function attachmentOf(part: TextPart): Attachment {
  const [, kind, label, path] = heading.exec(textOf(part)) ?? [];
  return {
    kind: isKind(kind) ? kind : 'file',
    label: label ?? 'Attached text',
    ...(path === undefined ? {} : { path }),
    part,
  };
}

const isKind = (kind: string | undefined): kind is Mention['kind'] =>
  kind === 'file' || kind === 'folder' || kind === 'selection' || kind === 'problems' || kind === 'terminal';

async function wholeText(parts: readonly TextPart[], whole: Whole): Promise<string> {
  const texts = await Promise.all(
    parts.map(async (part) => (part.blob === undefined ? textOf(part) : whole(part.blob))),
  );
  return texts.join('\n\n');
}

/** All of it, for the clipboard. */
export const wholeMessage = (message: Message, whole: Whole): Promise<string> =>
  wholeText(textParts(message), whole);

/** A prompt as it goes back into the composer. Its images and files travel with it by themselves. */
export async function promptToEdit(
  message: Prompted,
  whole: Whole,
): Promise<{ text: string; mentions: Mention[] }> {
  const { typed, attachments } = promptOf(message);
  const mentions = attachments.map(async ({ kind, label, path, part }): Promise<Mention> => {
    const text = (await wholeText([part], whole)).replace(heading, '');
    return { kind, label, ...(path === undefined ? {} : { path }), ...(text === '' ? {} : { text }) };
  });
  return { text: await wholeText(typed, whole), mentions: await Promise.all(mentions) };
}
