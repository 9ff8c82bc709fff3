/**
 * A message taken apart: what was typed, what was attached to it. A part that is too long for a line of the log is only
 * its beginning here.
 */
import type { FilePart, Message, Part, TextPart } from './entry.js';
import { mentionKinds, type MentionKind } from './mention-kinds.js';

/** Something attached to a prompt: a named file or a pasted text. */
export interface Attachment {
  kind: MentionKind;
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

const isText = (part: Part): part is TextPart => part.type === 'text';
const isFile = (part: Part): part is FilePart => part.type === 'file' || part.type === 'image';

export const textOf = (part: TextPart): string => part.text || (part.preview ?? '');

export const textParts = (message: Pick<Message, 'parts'>): TextPart[] => message.parts.filter(isText);

/** The first text of a prompt is what was typed; each other one begins with a line that names what it holds. */
export function promptOf(message: Prompted): Prompt {
  const texts = textParts(message);
  const files = message.parts.filter(isFile);
  if (message.role !== 'user' || message.origin === 'import') return { typed: texts, attachments: [], files };
  return { typed: texts.slice(0, 1), attachments: texts.slice(1).map(attachmentOf), files };
}

const heading = new RegExp(
  String.raw`^\[The person named this (${mentionKinds.join('|')}): (.+?)(?: \((.+)\))?\](?:\n|$)`,
);

function attachmentOf(part: TextPart): Attachment {
  const [, kind, label, path] = heading.exec(textOf(part)) ?? [];
  return {
    kind: isKind(kind) ? kind : 'file',
    label: label ?? 'Attached text',
    ...(path === undefined ? {} : { path }),
    part,
  };
}

const kinds: readonly (string | undefined)[] = mentionKinds;
const isKind = (kind: string | undefined): kind is MentionKind => kinds.includes(kind);

/** What was attached, without the line that names it. */
export const withoutHeading = (text: string): string => text.replace(heading, '');
