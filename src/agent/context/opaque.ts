/** Signatures and metadata too long for a line, put back into the parts they belong to before a request is built. */
import * as z from 'zod';
import type { PlacedEntry } from '../../log/store.js';
import type { Part } from '../../shared/entry.js';
import type { Entry } from '../../shared/notes.js';

const opaqueSchema = z.object({
  signature: z.string().optional(),
  provider_metadata: z.record(z.string(), z.unknown()).optional(),
});

/** `read` gives a blob's bytes, or undefined when they cannot be had: then the part goes without. */
export async function withOpaque(
  line: readonly PlacedEntry[],
  read: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>,
): Promise<readonly PlacedEntry[]> {
  const hashes = line.flatMap(({ entry }) => partsOf(entry).flatMap((part) => hashOf(part) ?? []));
  if (hashes.length === 0) return line;
  const blobs = await read([...new Set(hashes)]);
  return line.map(({ position, entry }) => ({ position, entry: filled(entry, blobs) }));
}

const partsOf = (entry: Entry): readonly Part[] => (entry.type === 'message' ? entry.parts : []);

const hashOf = (part: Part): string | undefined => ('metadata_blob' in part ? part.metadata_blob : undefined);

function filled(entry: Entry, blobs: ReadonlyMap<string, Uint8Array>): Entry {
  if (entry.type !== 'message' || !entry.parts.some((part) => hashOf(part) !== undefined)) return entry;
  return { ...entry, parts: entry.parts.map((part) => ({ ...part, ...opaqueOf(part, blobs) })) };
}

function opaqueOf(part: Part, blobs: ReadonlyMap<string, Uint8Array>): object {
  const bytes = blobs.get(hashOf(part) ?? '');
  if (bytes === undefined) return {};
  try {
    return opaqueSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {}; // a blob of that name that is none of ours says nothing
  }
}
