/** A message as text: what a prompt said, and what is copied of an answer. */
import type { Message, TextPart } from '../../src/shared/entry.js';
import type { Mention } from '../../src/shared/protocol.js';

const textOf = (part: TextPart): string => part.text || (part.preview ?? '');

export function messageText(message: Message): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [textOf(part)] : [])).join('\n\n');
}

/** The prompt as it was typed and what was attached to it. */
export function promptText(message: Message): { text: string; chips: Mention[] } {
  const chips = message.parts.flatMap((part): Mention[] =>
    part.type === 'file' || part.type === 'image'
      ? [{ kind: 'file', label: part.name, ...(part.source === undefined ? {} : { path: part.source }) }]
      : [],
  );
  return { text: messageText(message), chips };
}
