/** Keeps an entry within the size one line may have: what is too long goes to a blob, with a preview in its place. */
import { MAX_ENTRY_BYTES, PREVIEW_CHARS, type Part, type ToolResultPart } from '../shared/entry.js';
import type { Blobs } from '../log/store.js';
import type { Draft, QueueItem } from '../shared/notes.js';
import { headOf } from './context/clean.js';
import { LOGGED_BYTES, READ_RESULT, loggedPart } from './context/results.js';
import type { DraftOfType } from './entries.js';

/** What the parts of a queued prompt take beyond this is in blobs; not parts that a preview would hardly shorten. */
const QUEUED_BYTES = 16_000;
const PREVIEW_BYTES = 4_000;

const encoder = new TextEncoder();

/** Leaves room for what the log adds to a draft. */
const ROOM = MAX_ENTRY_BYTES * 0.9;

/** Bytes of a value as the log writes it: JSON in UTF-8, with the two line separators escaped. */
function bytesOf(value: unknown): number {
  const json = JSON.stringify(value);
  return encoder.encode(json).byteLength + 3 * (json.match(/[\u2028\u2029]/g)?.length ?? 0);
}

/** Whether a draft fits one line as it is. */
export const fitsLine = (draft: Draft): boolean => bytesOf(draft) <= ROOM;

/** Long results of tools as the log keeps them; what reads a long result again is not cut again. */
async function fitResults(blobs: Blobs, message: DraftOfType<'message'>): Promise<DraftOfType<'message'>> {
  if (message.role !== 'tool') return message;
  const parts: Part[] = [];
  for (const part of message.parts) {
    const isLong =
      part.type === 'tool_result' &&
      part.blob === undefined &&
      part.name !== READ_RESULT &&
      encoder.encode(part.content).byteLength > LOGGED_BYTES;
    parts.push(isLong ? await headAndTail(blobs, part) : part);
  }
  return { ...message, parts };
}

async function headAndTail(blobs: Blobs, part: ToolResultPart): Promise<ToolResultPart> {
  const whole = part.content.toWellFormed();
  return { ...part, blob: await blobs.put(whole), ...loggedPart(whole) };
}

/** A batch with its long results as the log keeps them; what no line could hold, the log keeps in blobs by itself. */
export async function fitBatch(blobs: Blobs, batch: readonly Draft[]): Promise<Draft[]> {
  const fitted: Draft[] = [];
  for (const draft of batch) fitted.push(draft.type === 'message' ? await fitResults(blobs, draft) : draft);
  return fitted;
}

/** What is queued is written again with each change of the list, so that only its beginning stays inline. */
export async function fitQueueItem(blobs: Blobs, item: QueueItem): Promise<QueueItem> {
  const parts: Part[] = [];
  let inline = 0;
  for (const part of item.parts ?? []) {
    const bytes = bytesOf(part);
    const fits = inline + bytes <= QUEUED_BYTES || bytes <= PREVIEW_BYTES;
    parts.push(fits ? part : await offloadPart(blobs, part));
    inline += fits ? bytes : 0;
  }
  return { ...item, text: headOf(item.text, PREVIEW_CHARS), parts };
}

async function offloadPart(blobs: Blobs, part: Part): Promise<Part> {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const text = part.text.toWellFormed();
      return { ...part, text: '', blob: await blobs.put(text), preview: headOf(text, PREVIEW_CHARS) };
    }
    case 'tool_call': {
      if (part.raw_input !== undefined) {
        const raw = part.raw_input.toWellFormed();
        // Empty, not left out: that it is there says that the arguments did not parse.
        return { ...part, raw_input: '', blob: await blobs.put(raw), preview: headOf(raw, PREVIEW_CHARS) };
      }
      const json = (JSON.stringify(part.input) ?? 'null').toWellFormed();
      return { ...part, input: {}, blob: await blobs.put(json), preview: headOf(json, PREVIEW_CHARS) };
    }
    case 'tool_result':
      return part.blob === undefined && part.content.length > LOGGED_BYTES ? headAndTail(blobs, part) : part;
    case 'image':
    case 'file':
      return part;
  }
}
