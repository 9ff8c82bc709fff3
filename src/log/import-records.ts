/**
 * Records of a version-3 log in our format, for an imported copy: calls get ids of our own, images become blobs, texts
 * beyond a line's limit too. What was text stays the same text. What fits into no entry is told, and named in the
 * conversation where it stood in it.
 */
import type { Ids } from '../ports.js';
import type { Part } from '../shared/entry.js';
import { BoughError, isBoughError } from '../shared/failure.js';
import { isConversation, type KnownEntry } from '../shared/notes.js';
import { serialiseBatch } from './codec.js';
import { fitEntry } from './fit.js';
import { imagesOf } from './kit-v3.js';
import { withField } from './record-text.js';
import type { Blobs, PlacedRecord, SessionLog } from './store.js';

export interface ImportPlace {
  ids: Ids;
  /** Of the copy. */
  blobs: Blobs;
  /** A record was left out. */
  onTrouble: (error: BoughError) => void;
}

/** Undefined for a log whose records can be copied as they are; of a record, for one that is left out. */
export function importRecords(
  source: Pick<SessionLog, 'access' | 'id'>,
  place: ImportPlace,
): ((record: PlacedRecord) => Promise<string | undefined>) | undefined {
  const { access } = source;
  if (access.mode !== 'read-only' || access.reason !== 'version-3') return undefined;
  const { ids, blobs } = place;
  const calls = new CallIds(ids);
  return async ({ entry, text }) => {
    if (entry.type === 'unknown') return withField(text, 'parent_id', entry.parent_id);
    if (entry.type !== 'message') return fittedLine(entry, source.id, place);
    const parts = calls.own(await withImages(entry.parts, text, blobs));
    return fittedLine({ ...entry, origin: 'import', parts }, source.id, place);
  };
}

/** What was said hangs on what is left out: that it was is said in its place. */
async function fittedLine(
  entry: KnownEntry,
  source: string,
  { blobs, onTrouble }: ImportPlace,
): Promise<string | undefined> {
  try {
    return lineOf(await fitEntry(blobs, entry));
  } catch (error) {
    if (!isBoughError(error, 'TooLarge')) throw error;
    const { type, id, parent_id, timestamp } = entry;
    const message = `The ${type} ${id} was not copied from session ${source}, where it still is: ${error.message}`;
    onTrouble(new BoughError('TooLarge', message, { ...error.data, session: source, entry: id }));
    if (!isConversation(entry)) return undefined;
    const parts: Part[] = [{ type: 'text', text: message }];
    return lineOf({ type: 'message', id, parent_id, timestamp, role: 'user', origin: 'import', parts });
  }
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

  /** Of one message: those of its calls that have the same id are answered in their order. */
  own(parts: readonly Part[]): Part[] {
    const begun = new Set<string>();
    return parts.map((part) => {
      if (part.type === 'tool_call') return this.#begin(part, begun);
      return part.type === 'tool_result' ? this.#answer(part) : part;
    });
  }

  /** A call of an earlier message that is still open was stopped: no result that comes now is its own. */
  #begin(part: ToolCall, begun: Set<string>): Part {
    const { name, call_id: old } = part;
    const call_id = this.#ids.entry();
    const before = begun.has(old) ? (this.#open.get(old) ?? []) : [];
    this.#open.set(old, [...before, { call_id, name }]);
    begun.add(old);
    return { ...part, call_id };
  }

  /** Version 3 leaves out what the tool is called; a provider may ask for it. */
  #answer(part: ToolResult): Part {
    const { call_id, name } = this.#open.get(part.call_id)?.shift() ?? {
      call_id: this.#ids.entry(),
      name: '',
    };
    return { ...part, call_id, name: part.name || name };
  }
}

type ToolCall = Extract<Part, { type: 'tool_call' }>;
type ToolResult = Extract<Part, { type: 'tool_result' }>;

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
