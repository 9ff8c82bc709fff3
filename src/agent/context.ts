/**
 * What the model is told: a pure, total function of the line that the view shows too. Whatever the log holds, the request
 * is one that a strict provider accepts; the log itself is never changed for it.
 */
import type { ModelInfo, ModelRequest, ToolSpec } from '../ports.js';
import type { CallState } from '../shared/fold/types.js';
import { Attachments, blobsOf, type SentImage } from './context/attachments.js';
import { dialectOf } from './context/dialect.js';
import { Drafts } from './context/drafts.js';
import { CallFacts } from './context/facts.js';
import { fit, type Trimmed } from './context/fit.js';
import { selectPath, type Line } from './context/select.js';
import { sequence } from './context/sequence.js';
import { sizeOfFrame, type Size } from './context/tokens.js';

/** Below what the common providers take in one request body, images as base64 included. */
export const MAX_REQUEST_BYTES = 18 * 1024 * 1024;

/** Kept free for the answer when the model does not say how long it may be; never more than a quarter of the window. */
const ANSWER_TOKENS = 8192;

/** No text is estimated at more tokens or takes more bytes of JSON than this per UTF-16 unit: small requests need no estimate. */
const MOST_TOKENS_PER_UNIT = 1.3;
const MOST_BYTES_PER_UNIT = 6;

export interface ContextOptions {
  system: string;
  tools: readonly ToolSpec[];
  /** Bytes of {@link wantedBlobs} by hash. Those that are missing are told by a hint. */
  blobs?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Blobs of images that are told by a hint although there is room for them. */
  withoutImages?: ReadonlySet<string> | undefined;
  /** Bytes of a tool's result that is told whole; a longer one by head, tail and id. */
  toldBytes?: number | undefined;
  /** `open_calls` of the path's state: what is known of calls without a result. Else the line's own notes say it. */
  openCalls?: readonly CallState[] | undefined;
  maxBytes?: number | undefined;
  /** The server's count divided by our estimate of earlier requests. Default 1. */
  tokenScale?: number | undefined;
}

export interface Context {
  request: ModelRequest;
  /** False when the request is larger than the model's window or the byte limit though all that may go is gone. */
  fits: boolean;
  /** What was shortened or left out, each with a mark in the request. */
  trimmed: Trimmed;
  /** Those in the request, oldest first. */
  images: SentImage[];
}

export type { Line } from './context/select.js';

/** Hashes of the blobs that {@link buildContext} would use. */
export const wantedBlobs = (line: Line, model: ModelInfo): string[] => blobsOf(selectPath(line), model);

export const buildRequest = (line: Line, model: ModelInfo, options: ContextOptions): ModelRequest =>
  buildContext(line, model, options).request;

export function buildContext(line: Line, model: ModelInfo, options: ContextOptions): Context {
  const attachments = new Attachments(options.blobs ?? new Map(), model, options);
  const facts = new CallFacts(line, options.openCalls);
  const drafts = new Drafts(selectPath(line), model, facts, attachments);
  const tools = model.tools === false ? [] : options.tools.map((tool) => ({ ...tool }));
  const request: ModelRequest = {
    system: options.system.toWellFormed(),
    messages: sequence(drafts, dialectOf(model), tools.length > 0),
    tools,
  };
  const limit = limitOf(model, options);
  if (isSmall(request, limit)) {
    const { images } = attachments;
    return { request, fits: true, trimmed: { results: 0, images: 0, messages: 0 }, images };
  }
  const frame = sizeOfFrame(request.system, tools);
  const room = { tokens: limit.tokens - frame.tokens, bytes: limit.bytes - frame.bytes };
  const { messages, fits, trimmed } = fit(request.messages, room);
  // Those that go to make it fit are the oldest.
  const images = attachments.images.slice(trimmed.images);
  return { request: { ...request, messages }, fits, trimmed, images };
}

function limitOf(model: ModelInfo, options: ContextOptions): Size {
  const bytes = options.maxBytes ?? MAX_REQUEST_BYTES;
  const window = model.contextWindow;
  if (window === undefined || window <= 0) return { tokens: Infinity, bytes };
  const answer = Math.min(model.maxOutput ?? ANSWER_TOKENS, window / 4);
  const scale = options.tokenScale ?? 1;
  return { tokens: Math.floor((window - answer) / (scale > 0 ? scale : 1)), bytes };
}

function isSmall(request: ModelRequest, limit: Size): boolean {
  let units = request.system.length + JSON.stringify(request.tools).length + 1024;
  let hasFiles = false;
  for (const message of request.messages) {
    for (const part of message.parts) {
      units += 64;
      if ('content' in part) units += part.content.length;
      else if (part.type === 'text') units += part.text.length;
      else if (part.type === 'image' || part.type === 'file') hasFiles = true;
      else units += JSON.stringify(part).length;
    }
  }
  return (
    !hasFiles && units * MOST_TOKENS_PER_UNIT <= limit.tokens && units * MOST_BYTES_PER_UNIT <= limit.bytes
  );
}
