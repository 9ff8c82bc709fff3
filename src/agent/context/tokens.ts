/** How large a request is. Tokens are estimated, with a fifth in reserve: exact tokenizers differ by model and weigh megabytes. */
import { estimateTokenCount } from 'tokenx';
import type { ModelMessage, ToolSpec } from '../../ports.js';

const RESERVE = 1.2;
/** A protocol's own words around a message or a part. */
const FRAME = { tokens: 8, bytes: 64 };
const IMAGE_TOKENS = 1600;

export interface Size {
  tokens: number;
  bytes: number;
}

/** tokenx takes long unbroken runs (base64, hashes, minified code) for words of 7 characters a token; they have about 1.6. */
const RUN = /[A-Za-z0-9+/=_-]{80,}/g;
const RUN_SURPLUS = 1 / 1.6 - 1 / 7;

/** Longer texts are estimated from slices of this length, so that a huge one does not hold up the editor. */
const SLICE = 2048;
const SLICES = 6;

export function estimateTokens(text: string): number {
  if (text.length <= SLICE * SLICES) return Math.ceil(count(text) * RESERVE);
  const step = (text.length - SLICE) / (SLICES - 1);
  let counted = 0;
  for (let at = 0; at < SLICES; at++) {
    const start = Math.floor(at * step);
    counted += count(text.slice(start, start + SLICE));
  }
  return Math.ceil((counted / (SLICE * SLICES)) * text.length * RESERVE);
}

function count(text: string): number {
  let runs = 0;
  for (const [run] of text.matchAll(RUN)) runs += run.length;
  return estimateTokenCount(text) + runs * RUN_SURPLUS;
}

const sizeOfText = (text: string): Size => ({
  tokens: estimateTokens(text),
  bytes: Buffer.byteLength(JSON.stringify(text)),
});

export function sizeOfMessage(message: ModelMessage): Size {
  const size = { ...FRAME };
  for (const part of message.parts) {
    const own = sizeOfPart(part);
    size.tokens += own.tokens + FRAME.tokens;
    size.bytes += own.bytes + FRAME.bytes;
  }
  return size;
}

function sizeOfPart(part: ModelMessage['parts'][number]): Size {
  if ('content' in part) return sizeOfText(part.content);
  switch (part.type) {
    case 'text':
      return sizeOfText(part.text);
    case 'image':
    case 'file':
      return { tokens: IMAGE_TOKENS, bytes: Math.ceil(part.bytes.length / 3) * 4 };
    case 'reasoning':
      return sizeOfText(part.text + (part.signature ?? '') + JSON.stringify(part.provider_metadata ?? {}));
    case 'tool_call':
      return sizeOfText(
        part.name + JSON.stringify(part.input) + JSON.stringify(part.provider_metadata ?? {}),
      );
  }
}

export const sizeOfFrame = (system: string, tools: readonly ToolSpec[]): Size =>
  sizeOfText(system + (tools.length === 0 ? '' : JSON.stringify(tools)));

export const add = (a: Size, b: Size): Size => ({ tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes });
