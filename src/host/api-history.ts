/** The messages of a session's line for other extensions: copies, with their texts whole. */
import type { Blobs, SessionLog } from '../log/store.js';
import { messageSchema, partSchema, type Message, type Part } from '../shared/entry.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import type { GivenMessage } from '../agent/history.js';

/** Deep copies, root first. Text, reasoning and input that were too long for a line are in their places again. */
export async function readHistory(log: Pick<SessionLog, 'path' | 'blobs'>): Promise<Message[]> {
  const copies: Message[] = [];
  for (const entry of await log.path()) {
    if (entry.type !== 'message') continue;
    const parts: Part[] = [];
    for (const part of entry.parts) parts.push(await whole(log.blobs, part));
    copies.push(structuredClone({ ...entry, parts }));
  }
  return copies;
}

async function whole(blobs: Blobs, part: Part): Promise<Part> {
  switch (part.type) {
    // A long result is kept as head and tail on purpose, and a file by its blob alone.
    case 'tool_result':
    case 'image':
    case 'file':
      return part;
    case 'text':
    case 'reasoning':
      return part.blob === undefined ? part : { ...inline(part), text: await readableText(blobs, part) };
    case 'tool_call': {
      if (part.blob === undefined) return part;
      const text = await orDamage(wholeText(blobs, { text: '', blob: part.blob }));
      // It stays as its line has it: a beginning is no input.
      if (typeof text !== 'string') return part;
      return part.raw_input === undefined
        ? { ...inline(part), input: JSON.parse(text) as unknown }
        : { ...inline(part), raw_input: text };
    }
  }
}

/** One damaged text keeps nobody from the rest of a history: its beginning is in its place, and says so. */
async function readableText(
  blobs: Blobs,
  part: { text: string; blob?: string | undefined; preview?: string | undefined },
): Promise<string> {
  const text = await orDamage(wholeText(blobs, part));
  if (typeof text === 'string') return text;
  return `${part.preview ?? part.text}\n[The rest of this text could not be read: ${text.message}]`;
}

async function orDamage(text: Promise<string>): Promise<string | BoughError> {
  try {
    return await text;
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return error;
  }
}

function inline<T extends { blob?: string | undefined; preview?: string | undefined }>(part: T): T {
  const copy = { ...part };
  delete copy.blob;
  delete copy.preview;
  return copy;
}

/** A text that was too long for its line is in a blob. */
export const wholeText = async (
  blobs: Blobs,
  { text, blob }: { text: string; blob?: string | undefined },
): Promise<string> => (blob === undefined ? text : new TextDecoder().decode(await blobs.get(blob)));

export async function textOf(blobs: Blobs, message: Message | undefined): Promise<string> {
  let text = '';
  for (const part of message?.parts ?? []) if (part.type === 'text') text += await wholeText(blobs, part);
  return text;
}

/**
 * What another extension hands over as a history. Empty places (from rows that were put together wrongly) are dropped.
 *
 * @throws BoughError InvalidArgument that names the first message that is none
 */
export function givenHistory(given: unknown): GivenMessage[] {
  if (!Array.isArray(given)) throw wrong('A history is an array of messages.');
  return given.flatMap((one: unknown, index): GivenMessage[] => {
    if (one === null || one === undefined) return [];
    if (typeof one !== 'object') throw wrong(`Message ${String(index + 1)} of the history is no object.`);
    const { parts, ...rest } = one as { parts?: unknown };
    if (!Array.isArray(parts)) throw wrong(`Message ${String(index + 1)} of the history has no parts.`);
    const present = parts.filter((part) => part !== null && part !== undefined);
    const read = givenSchema.safeParse({ ...rest, type: 'message', parts: present });
    if (read.success) return [structuredClone(read.data)];
    const [issue] = read.error.issues;
    throw wrong(
      `Message ${String(index + 1)} of the history cannot be read: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
    );
  });
}

const givenSchema = messageSchema
  .partial({ id: true, parent_id: true, timestamp: true })
  .extend({ parts: partSchema.array() });

const wrong = (message: string): BoughError => new BoughError('InvalidArgument', message);
