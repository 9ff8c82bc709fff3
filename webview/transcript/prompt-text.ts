/**
 * A message as text: what is copied, and what goes back into the composer. A part that is too long for a line of the log
 * is only its beginning here; `whole` fetches the rest, so that nothing is cut where it matters.
 */
import type { Message, TextPart } from '../../src/shared/entry.js';
import { promptOf, textOf, textParts, withoutHeading, type Prompted } from '../../src/shared/prompt-parts.js';
import type { Mention } from '../../src/shared/protocol.js';

/** Gives the text of a blob. */
export type Whole = (hash: string) => Promise<string>;

export const messageText = (message: Message): string => textParts(message).map(textOf).join('\n\n');

async function wholeText(parts: readonly TextPart[], whole: Whole): Promise<string> {
  const texts = await Promise.all(
    parts.map(async (part) => (part.blob === undefined ? textOf(part) : whole(part.blob))),
  );
  return texts.join('\n\n');
}

/** All of it, for the clipboard. */
export const wholeMessage = (message: Message, whole: Whole): Promise<string> =>
  wholeText(textParts(message), whole);

/** A prompt as it goes back into the composer, with its images. Files of another kind travel with it by themselves. */
export async function promptToEdit(
  message: Prompted,
  whole: Whole,
): Promise<{ text: string; mentions: Mention[] }> {
  const { typed, attachments, files } = promptOf(message);
  const images = files.flatMap(({ type, blob, mime, name }): Mention[] =>
    type === 'image' ? [{ kind: 'image', label: name, blob, mime }] : [],
  );
  const mentions = attachments.map(async ({ kind, label, path, part }): Promise<Mention> => {
    const text = withoutHeading(await wholeText([part], whole));
    return { kind, label, ...(path === undefined ? {} : { path }), ...(text === '' ? {} : { text }) };
  });
  return { text: await wholeText(typed, whole), mentions: [...(await Promise.all(mentions)), ...images] };
}
