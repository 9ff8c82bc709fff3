/**
 * Keeps an entry within the size one line may have. What is too long – a text, an input, a result, what a provider wants
 * back – is a blob, with its first characters as a preview in its place: nothing that was said is ever cut, and no append
 * fails for being long.
 */
import { MAX_ENTRY_BYTES, PREVIEW_CHARS, type EarlierTry, type Part } from '../shared/entry.js';
import { entrySchemas, isKnownType, type Draft, type KnownEntry } from '../shared/notes.js';
import type { AppendRequest } from './append-queue.js';
import type { Blobs } from './store.js';
import { loneHighSurrogate } from './torn-text.js';

/** Where what is too long goes. */
type Put = Pick<Blobs, 'put'>;

type DraftOf<T extends Draft['type']> = Extract<Draft, { type: T }>;

/** Leaves room for id, parent and time, which the log adds. */
const ROOM = MAX_ENTRY_BYTES - 1_024;

/** A character takes at most six bytes of JSON (`\u0000`). */
const BYTES_PER_CHARACTER = 6;

/** What a blob's hash and a preview take at most; a part that is shorter is left as it is. */
const WORTH_CHARS = 4 * PREVIEW_CHARS;

/** Those whose batch could be made to fit; one that cannot be kept is refused alone. */
export async function fitRequests(blobs: Put, requests: readonly AppendRequest[]): Promise<AppendRequest[]> {
  const fitted: AppendRequest[] = [];
  for (const request of requests) {
    try {
      fitted.push({ ...request, batch: await fitBatch(blobs, request.batch) });
    } catch (error) {
      request.reject(error);
    }
  }
  return fitted;
}

/** The batch with what is too long in blobs; the same batch when nothing is. @throws BoughError StorageFailure */
async function fitBatch(blobs: Put, batch: readonly Draft[]): Promise<readonly Draft[]> {
  if (batch.every(isSmall)) return batch;
  const fitted: Draft[] = [];
  for (const draft of batch) fitted.push(isSmall(draft) ? draft : await fitDraft(blobs, draft));
  return fitted;
}

/** One entry that is not made by an append. */
export const fitEntry = async (blobs: Put, entry: KnownEntry): Promise<KnownEntry> =>
  isSmall(entry) ? entry : ({ ...entry, ...(await fitDraft(blobs, entry)) } as KnownEntry);

/** Told without serialising it: whether all its text and keys together are short. */
function isSmall(draft: Draft): boolean {
  let room = ROOM / BYTES_PER_CHARACTER;
  const open: unknown[] = [draft];
  for (let value = open.pop(); room >= 0; value = open.pop()) {
    if (typeof value === 'string') room -= value.length;
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        room -= key.length + 4;
        open.push(item);
      }
    } else if (open.length === 0) return true;
  }
  return false;
}

/** Bytes of a value as the codec writes it: JSON in UTF-8, with the two line separators escaped. */
function bytesOf(value: unknown): number {
  const json = JSON.stringify(value) ?? '';
  return Buffer.byteLength(json) + 3 * (json.match(/[\u2028\u2029]/g)?.length ?? 0);
}

function fits(draft: Draft): boolean {
  return bytesOf(draft) <= ROOM;
}

/** Of a draft that the log would refuse anyway, the log says what is wrong. */
function isValid(draft: Draft): boolean {
  const filledIn = { ...draft, id: 'id', parent_id: null, timestamp: '' };
  return isKnownType(draft.type) && entrySchemas[draft.type].safeParse(filledIn).success && isJson(draft);
}

function isJson(draft: Draft): boolean {
  try {
    JSON.stringify(draft);
    return true;
  } catch {
    return false; // a cycle, a BigInt, a depth beyond all measure
  }
}

async function fitDraft(blobs: Put, draft: Draft): Promise<Draft> {
  if (!isValid(draft) || fits(draft)) return draft;
  switch (draft.type) {
    case 'message':
      return fitMessage(blobs, draft);
    case 'incomplete_output':
      return fitIncomplete(blobs, draft);
    case 'skill_load':
      return { ...draft, body: '', ...(await putText(blobs, draft.body)) };
    default:
      return draft; // too large as it is: the codec says so
  }
}

/** The longest parts first, until the rest fits; when there are too many for their previews, without those. */
async function fitMessage(blobs: Put, given: DraftOf<'message'>): Promise<Draft> {
  // How long it is for the model cannot be seen from what stays in its line.
  const message = given.role === 'tool' ? given : { ...given, logical_chars: charsOf(given.parts) };
  const parts = [...message.parts];
  const sizes = parts.map(bytesOf);
  const order = [...parts.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  let bytes = bytesOf(message);
  for (const shorten of [offload, withoutPreview]) {
    for (const index of order) {
      const part = parts[index];
      if (part === undefined || bytes <= ROOM) break;
      const shorter = await shorten(blobs, part);
      bytes += bytesOf(shorter) - bytesOf(part);
      parts[index] = shorter;
    }
  }
  return { ...message, parts };
}

/** Characters of text, reasoning and input; of what is a blob already, the beginning. */
function charsOf(parts: readonly Part[]): number {
  let chars = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning')
      chars += part.text.length || (part.preview?.length ?? 0);
    else if (part.type === 'tool_call') chars += (part.raw_input ?? JSON.stringify(part.input) ?? '').length;
  }
  return chars;
}

async function offload(blobs: Put, part: Part): Promise<Part> {
  const light = await offloadMetadata(blobs, part);
  if (bytesOf(light) < WORTH_CHARS) return light;
  switch (light.type) {
    case 'text':
    case 'reasoning':
      return light.blob === undefined ? { ...light, text: '', ...(await putText(blobs, light.text)) } : light;
    case 'tool_call': {
      if (light.blob !== undefined) return light;
      // Empty, not left out: that it is there says that the arguments did not parse.
      if (light.raw_input !== undefined)
        return { ...light, raw_input: '', ...(await putText(blobs, light.raw_input)) };
      return { ...light, input: {}, ...(await putText(blobs, JSON.stringify(light.input) ?? 'null')) };
    }
    case 'tool_result': {
      if (light.blob !== undefined) return light;
      const whole = light.content;
      return { ...light, content: '', ...(await putText(blobs, whole)), logical_chars: whole.length };
    }
    case 'image':
    case 'file':
      return light;
  }
}

/** Signatures and metadata are opaque: they go back to their provider whole or not at all. */
async function offloadMetadata(blobs: Put, part: Part): Promise<Part> {
  if (part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'tool_call') return part;
  const { provider_metadata, ...rest } = part;
  const signature = rest.type === 'reasoning' ? rest.signature : undefined;
  if (bytesOf(provider_metadata) + (signature?.length ?? 0) < WORTH_CHARS) return part;
  const metadata_blob = await blobs.put(JSON.stringify({ signature, provider_metadata }));
  if (rest.type !== 'reasoning') return { ...rest, metadata_blob };
  const { signature: _moved, ...reasoning } = rest;
  return { ...reasoning, metadata_blob };
}

function withoutPreview(_: Put, part: Part): Promise<Part> {
  return Promise.resolve('blob' in part && 'preview' in part ? { ...part, preview: '' } : part);
}

/** What earlier attempts streamed goes first; then the longer of text and reasoning, the other when that is not enough. */
async function fitIncomplete(blobs: Put, draft: DraftOf<'incomplete_output'>): Promise<Draft> {
  const earlier = [...(draft.earlier ?? [])];
  const withTries = (): DraftOf<'incomplete_output'> =>
    earlier.length === 0 ? draft : { ...draft, earlier: [...earlier] };
  const sizes = earlier.map(bytesOf);
  const order = [...earlier.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  let bytes = bytesOf(draft);
  for (const index of order) {
    const tried = earlier[index];
    if (tried === undefined || bytes <= ROOM) break;
    const shorter = await offloadTexts(blobs, tried, (now) => bytesOf(now) < WORTH_CHARS);
    bytes += bytesOf(shorter) - bytesOf(tried);
    earlier[index] = shorter;
  }
  const fitted = await offloadTexts(blobs, withTries(), fits);
  return fits(fitted) ? fitted : { ...fitted, earlier: earlier.map(withoutBeginnings) };
}

/** Of a text that is a blob. */
const withoutBeginnings = (tried: EarlierTry): EarlierTry => ({
  ...tried,
  ...(tried.blob === undefined ? {} : { preview: '' }),
  ...(tried.reasoning_blob === undefined ? {} : { reasoning: '' }),
});

interface Texts {
  text: string;
  reasoning?: string | undefined;
  reasoning_blob?: string | undefined;
  blob?: string | undefined;
  preview?: string | undefined;
}

async function offloadTexts<T extends Texts>(blobs: Put, of: T, isDone: (now: T) => boolean): Promise<T> {
  let fitted = of;
  const { text, reasoning = '' } = of;
  const order =
    reasoning.length > text.length ? (['reasoning', 'text'] as const) : (['text', 'reasoning'] as const);
  for (const field of order) {
    if (isDone(fitted)) break;
    // What was not said has no blob.
    if ((field === 'text' ? text : reasoning) === '') continue;
    if (field === 'text') fitted = { ...fitted, text: '', ...(await putText(blobs, text)) };
    else {
      fitted = { ...fitted, reasoning: beginningOf(reasoning), reasoning_blob: await blobs.put(reasoning) };
    }
  }
  return fitted;
}

async function putText(blobs: Put, text: string): Promise<{ blob: string; preview: string }> {
  return { blob: await blobs.put(text), preview: beginningOf(text) };
}

/** Never half a character. */
const beginningOf = (text: string): string =>
  text.slice(0, PREVIEW_CHARS).replace(loneHighSurrogate, '').toWellFormed();
