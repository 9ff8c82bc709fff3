/**
 * Entries as a view is sent them. A log from elsewhere may hold a line of many megabytes, which no view could draw: what is
 * too long for a line of ours is told by its beginning, and the view asks for the whole of it as it does of any blob.
 */
import { createHash } from 'node:crypto';
import { fitEntry } from '../../log/fit.js';
import type { PlacedEntry, SessionLog } from '../../log/store.js';
import { isKnownType, type Entry } from '../../shared/notes.js';

export class Fitted {
  /** By hash: the entry that has the text. */
  private readonly places = new Map<string, string>();
  /** Those that were too long, by id: entries never change. */
  private readonly known = new Map<string, Entry>();

  constructor(private readonly log: Pick<SessionLog, 'blobs' | 'entry'>) {}

  async all<T extends Pick<PlacedEntry, 'entry'>>(placed: readonly T[]): Promise<T[]> {
    const fitted: T[] = [];
    for (const one of placed) {
      const entry = await this.fit(one.entry);
      fitted.push(entry === one.entry ? one : { ...one, entry });
    }
    return fitted;
  }

  /** The bytes of a blob, or of what takes the place of one in an entry that was sent. */
  async bytes(hash: string): Promise<Uint8Array> {
    const id = this.places.get(hash);
    const entry = id === undefined ? undefined : await this.log.entry(id);
    let found: Uint8Array | undefined;
    if (entry !== undefined)
      await fitted(entry, (bytes, of) => {
        if (of === hash) found = bytes;
      });
    return found ?? this.log.blobs.get(hash);
  }

  private async fit(entry: Entry): Promise<Entry> {
    const known = this.known.get(entry.id);
    if (known !== undefined) return known;
    const short = await fitted(entry, (_, hash) => this.places.set(hash, entry.id));
    if (short !== entry) this.known.set(entry.id, short);
    return short;
  }
}

async function fitted(entry: Entry, onBlob: (bytes: Uint8Array, hash: string) => void): Promise<Entry> {
  if (!isKnown(entry)) return entry;
  return fitEntry(
    {
      put: (value) => {
        const bytes = Buffer.from(value);
        const hash = createHash('sha256').update(bytes).digest('hex');
        onBlob(bytes, hash);
        return Promise.resolve(hash);
      },
    },
    entry,
  );
}

const isKnown = (entry: Entry): entry is Parameters<typeof fitEntry>[1] => isKnownType(entry.type);
