/**
 * Records of a version-3 log in our format, for an imported copy: calls get ids of our own, images become blobs, texts
 * beyond a line's limit too. What was text stays the same text.
 */
import type { Ids } from '../ports.js';
import { MAX_ENTRY_BYTES, PREVIEW_CHARS, type Message, type Part } from '../shared/entry.js';
import type { KnownEntry } from '../shared/notes.js';
import { serialiseBatch } from './codec.js';
import { imagesOf } from './kit-v3.js';
import { withField } from './record-text.js';
import type { Blobs, PlacedRecord, SessionLog } from './store.js';

/** A part's text stays in the line up to this, also where the line as a whole is too long. */
const INLINE_CHARS = 32 * 1024;

export interface ImportPlace {
  ids: Ids;
  /** Of the copy. */
  blobs: Blobs;
}

/** Undefined for a log whose records can be copied as they are. */
export function importRecords(
  source: Pick<SessionLog, 'access'>,
  { ids, blobs }: ImportPlace,
): ((record: PlacedRecord) => Promise<string>) | undefined {
  const { access } = source;
  if (access.mode !== 'read-only' || access.reason !== 'version-3') return undefined;
  const calls = new CallIds(ids);
  return async ({ entry, text }) => {
    if (entry.type === 'unknown') return withField(text, 'parent_id', entry.parent_id);
    if (entry.type !== 'message') return lineOf(entry);
    const parts = await withImages(entry.parts, text, blobs);
    const message: Message = { ...entry, origin: 'import', parts: parts.map((part) => calls.own(part)) };
    return lineOf(await fit(message, blobs));
  };
}

const lineOf = (entry: KnownEntry): string => serialiseBatch([entry]).trimEnd();

/** Version 3 repeats the ids of its providers, or leaves them empty. */
class CallIds {
  readonly #ids: Ids;
  /** By the id as it was: ours of calls that are not answered yet, the oldest first. */
  readonly #open = new Map<string, { call_id: string; name: string }[]>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  own(part: Part): Part {
    if (part.type === 'tool_call') {
      const call_id = this.#ids.entry();
      const { name } = part;
      this.#open.set(part.call_id, [...(this.#open.get(part.call_id) ?? []), { call_id, name }]);
      return { ...part, call_id };
    }
    if (part.type !== 'tool_result') return part;
    // Version 3 leaves out what the tool is called; a provider may ask for it.
    const { call_id, name } = this.#open.get(part.call_id)?.shift() ?? {
      call_id: this.#ids.entry(),
      name: '',
    };
    return { ...part, call_id, name: part.name || name };
  }
}

async function withImages(parts: readonly Part[], text: string, blobs: Blobs): Promise<Part[]> {
  const images = imagesOf(JSON.parse(text));
  return Promise.all(
    parts.map(async (part, index): Promise<Part> => {
      const image = images.get(index);
      if (image === undefined) return part;
      return { type: 'image', blob: await blobs.put(image.bytes), mime: image.mime, name: image.name };
    }),
  );
}

async function fit(message: Message, blobs: Blobs): Promise<Message> {
  if (Buffer.byteLength(JSON.stringify(message)) <= MAX_ENTRY_BYTES) return message;
  return { ...message, parts: await Promise.all(message.parts.map((part) => fitPart(part, blobs))) };
}

async function fitPart(part: Part, blobs: Blobs): Promise<Part> {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      if (part.text.length <= INLINE_CHARS) return part;
      return { ...part, text: '', blob: await blobs.put(part.text), preview: headOf(part.text) };
    case 'tool_result':
      if (part.content.length <= INLINE_CHARS) return part;
      return {
        ...part,
        content: headOf(part.content),
        blob: await blobs.put(part.content),
        preview: headOf(part.content),
        logical_chars: part.content.length,
      };
    case 'tool_call': {
      const json = part.raw_input ?? JSON.stringify(part.input);
      if (json.length <= INLINE_CHARS) return part;
      const input = part.raw_input === undefined ? {} : { raw_input: '' };
      return { ...part, input: {}, ...input, blob: await blobs.put(json), preview: headOf(json) };
    }
    case 'image':
    case 'file':
      return part;
  }
}

/** The beginning, never half a character. */
const headOf = (text: string): string => text.slice(0, PREVIEW_CHARS).replace(/[\uD800-\uDBFF]$/, '');
