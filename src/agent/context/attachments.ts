/** Bytes that lie beside the log: images of the newest prompt and of the current tool batch, and texts too long for a line. */
import type { FilePart, Message, ToolCallPart, ToolResultPart } from '../../shared/entry.js';
import type { ModelInfo, ModelMessage } from '../../ports.js';
import { toldPart } from './results.js';
import type { Said } from './select.js';

/** All images of one request together. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

export type UserPart = Extract<ModelMessage, { role: 'user' }>['parts'][number];

/** The messages whose images are sent: the newest user message, and the results after the last assistant message. */
export function messagesWithImages(said: readonly Said[]): Set<Message> {
  const found = new Set<Message>();
  let inBatch = true;
  for (let index = said.length - 1; index >= 0; index--) {
    const item = said[index];
    if (item?.kind !== 'message') continue;
    const { entry } = item;
    if (entry.role === 'assistant') inBatch = false;
    if (entry.role === 'tool' && inBatch) found.add(entry);
    if (entry.role === 'user') {
      found.add(entry);
      return found;
    }
  }
  return found;
}

/** The blob of a call holds its input; that of arguments that did not parse is never sent. */
const hasLongInput = (part: ToolCallPart): part is ToolCallPart & { blob: string } =>
  part.blob !== undefined && part.raw_input === undefined;

/** Hashes of the blobs a request would use, for whoever fetches them before it is built. */
export function blobsOf(said: readonly Said[], model: ModelInfo): string[] {
  const hashes = new Set<string>();
  const withImages = model.images === false ? new Set<Message>() : messagesWithImages(said);
  for (const item of said) {
    if (item.kind === 'skill' && item.entry.blob !== undefined) hashes.add(item.entry.blob);
    if (item.kind !== 'message') continue;
    for (const part of item.entry.parts) {
      if (part.type === 'image') {
        if (withImages.has(item.entry)) hashes.add(part.blob);
      } else if (part.type === 'text' || part.type === 'reasoning') {
        if (part.blob !== undefined) hashes.add(part.blob);
      } else if (part.type === 'tool_call' && hasLongInput(part)) hashes.add(part.blob);
      else if (part.type === 'tool_result' && part.blob !== undefined) hashes.add(part.blob);
    }
  }
  return [...hashes];
}

/** An image as it goes out. */
export interface SentImage {
  blob: string;
  name: string;
  bytes: number;
}

/** What Anthropic, OpenAI and Google all publish that they take. A log that was damaged may say anything else. */
const TAKEN = /^image\/(png|jpeg|gif|webp)$/;

/** Hands out bytes until {@link MAX_IMAGE_BYTES} are used; a hint stands for what is not sent. */
export class Attachments {
  readonly #blobs: ReadonlyMap<string, Uint8Array>;
  readonly #takesImages: boolean;
  readonly #without: ReadonlySet<string>;
  readonly #toldBytes: number | undefined;
  /** What was handed out, in the order of the conversation. */
  readonly images: SentImage[] = [];
  #left = MAX_IMAGE_BYTES;

  /** `withoutImages`: blobs of images that stay behind. `toldBytes`: of a result that is told whole. */
  constructor(
    blobs: ReadonlyMap<string, Uint8Array>,
    model: ModelInfo,
    options: { withoutImages?: ReadonlySet<string> | undefined; toldBytes?: number | undefined } = {},
  ) {
    this.#blobs = blobs;
    this.#without = options.withoutImages ?? new Set();
    this.#toldBytes = options.toldBytes;
    this.#takesImages = model.images !== false;
  }

  file(part: FilePart, isWanted: boolean): UserPart {
    const bytes = this.#blobs.get(part.blob);
    const isSent =
      isWanted &&
      this.#takesImages &&
      part.type === 'image' &&
      TAKEN.test(part.mime) &&
      !this.#without.has(part.blob) &&
      bytes !== undefined &&
      bytes.length <= this.#left;
    if (!isSent || bytes === undefined || bytes.length === 0) return hintOf(part);
    this.#left -= bytes.length;
    this.images.push({ blob: part.blob, name: part.name, bytes: bytes.length });
    return { type: 'image', mime: part.mime, name: part.name.toWellFormed(), bytes };
  }

  /** The whole of a text that may lie in a blob; its preview, marked, when the blob is not at hand. */
  text(part: { text: string; blob?: string | undefined; preview?: string | undefined }): string {
    if (part.blob === undefined) return part.text;
    const bytes = this.#blobs.get(part.blob);
    if (bytes !== undefined) return new TextDecoder().decode(bytes);
    return `${part.text || (part.preview ?? '')}\n[The rest of this text could not be read.]`;
  }

  /** What is told of a result: from its whole when that is at hand, else what the log keeps of it. */
  result(part: ToolResultPart): string {
    const bytes = part.blob === undefined ? undefined : this.#blobs.get(part.blob);
    if (bytes !== undefined) return toldPart(new TextDecoder().decode(bytes), part.call_id, this.#toldBytes);
    return part.content || (part.preview ?? '');
  }

  /** The whole of an input that may lie in a blob, or undefined when it cannot be had. */
  input(part: ToolCallPart): unknown {
    if (!hasLongInput(part)) return part.input;
    const bytes = this.#blobs.get(part.blob);
    if (bytes === undefined) return { unreadable: part.preview ?? '' };
    try {
      return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    } catch (error) {
      return { unreadable: `${String(error)}: ${part.preview ?? ''}` };
    }
  }
}

export function hintOf(part: { type: 'image' | 'file'; name: string; mime: string }): UserPart {
  const kind = part.type === 'image' ? 'Image' : 'File';
  return {
    type: 'text',
    text: `[${kind} "${part.name}" (${part.mime}) is not attached here.]`.toWellFormed(),
  };
}
