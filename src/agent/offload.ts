/** Keeps an entry within the size one line may have: what is too long goes to a blob, with a preview in its place. */
import { MAX_ENTRY_BYTES, PREVIEW_CHARS, type Part } from '../shared/entry.js';
import type { Blobs } from '../log/store.js';
import type { Draft, QueueItem } from '../shared/notes.js';
import { headOf, tailOf } from './context/clean.js';
import type { DraftOfType } from './entries.js';

/** A result beyond this keeps its head and tail in the log; the whole is a blob. */
const RESULT_BYTES = 50_000;
const RESULT_HEAD = 16_000;
const RESULT_TAIL = 8_000;

/** A part of a queued prompt beyond this is a blob. */
const QUEUED_BYTES = 16_000;

const encoder = new TextEncoder();

/** UTF-8 bytes of the JSON of a value. */
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).byteLength;

/** A long tool result: head, how much is left out, tail, and the whole as a blob. */
export async function fitResult(
  blobs: Blobs,
  message: DraftOfType<'message'>,
): Promise<DraftOfType<'message'>> {
  const parts: Part[] = [];
  for (const part of message.parts) {
    if (part.type !== 'tool_result' || encoder.encode(part.content).byteLength <= RESULT_BYTES) {
      parts.push(part);
      continue;
    }
    const whole = part.content.toWellFormed();
    const blob = await blobs.put(whole);
    const head = headOf(whole, RESULT_HEAD);
    const tail = tailOf(whole, RESULT_TAIL);
    const left = whole.length - head.length - tail.length;
    const content = `${head}\n[… ${String(left)} characters left out of ${String(whole.length)} …]\n${tail}`;
    parts.push({ ...part, content, blob, logical_chars: whole.length });
  }
  return { ...message, parts };
}

/** Makes every entry of a batch fit. */
export async function fitBatch(blobs: Blobs, batch: readonly Draft[]): Promise<Draft[]> {
  const fitted: Draft[] = [];
  for (const draft of batch) {
    if (draft.type === 'message') fitted.push(await fitMessage(blobs, draft));
    else if (draft.type === 'incomplete_output') fitted.push(await fitIncomplete(blobs, draft));
    else fitted.push(draft);
  }
  return fitted;
}

/** A message whose texts or inputs would not fit one line carries them as blobs. */
async function fitMessage(blobs: Blobs, message: DraftOfType<'message'>): Promise<DraftOfType<'message'>> {
  const room = MAX_ENTRY_BYTES * 0.9;
  if (bytesOf(message) <= room) return message;
  const parts = [...message.parts];
  // The longest first, until the rest fits.
  const order = [...parts.keys()].sort((a, b) => bytesOf(parts[b]) - bytesOf(parts[a]));
  for (const index of order) {
    const part = parts[index];
    if (part === undefined || bytesOf({ ...message, parts }) <= room) break;
    parts[index] = await offloadPart(blobs, part);
  }
  return { ...message, parts };
}

/** What is queued is written again with each change of the list, so that only its beginning stays inline. */
export async function fitQueueItem(blobs: Blobs, item: QueueItem): Promise<QueueItem> {
  const parts: Part[] = [];
  for (const part of item.parts ?? []) {
    parts.push(bytesOf(part) > QUEUED_BYTES ? await offloadPart(blobs, part) : part);
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
      const json = (JSON.stringify(part.input) ?? 'null').toWellFormed();
      return { ...part, input: {}, blob: await blobs.put(json), preview: headOf(json, PREVIEW_CHARS) };
    }
    case 'tool_result': {
      const text = part.content.toWellFormed();
      return { ...part, content: '', blob: await blobs.put(text), preview: headOf(text, PREVIEW_CHARS) };
    }
    case 'image':
    case 'file':
      return part;
  }
}

/** The same for text that never got finished. */
async function fitIncomplete(
  blobs: Blobs,
  draft: DraftOfType<'incomplete_output'>,
): Promise<DraftOfType<'incomplete_output'>> {
  if (bytesOf(draft) <= MAX_ENTRY_BYTES * 0.9) return draft;
  const text = draft.text.toWellFormed();
  const reasoning =
    draft.reasoning === undefined ? {} : { reasoning: headOf(draft.reasoning, PREVIEW_CHARS) };
  return {
    ...draft,
    ...reasoning,
    text: '',
    blob: await blobs.put(text),
    preview: headOf(text, PREVIEW_CHARS),
  };
}
