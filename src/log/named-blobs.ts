/** Which blobs an entry says there are: what a check misses when it is not there. */
import type { Part } from '../shared/entry.js';
import type { Entry } from '../shared/notes.js';

export function namedBlobs(entry: Entry): string[] {
  switch (entry.type) {
    case 'message':
      return entry.parts.flatMap(blobOf);
    case 'incomplete_output':
      return [entry, ...(entry.earlier ?? [])]
        .flatMap(({ blob, reasoning_blob }) => [blob, reasoning_blob])
        .flatMap((hash) => hash ?? []);
    case 'skill_load':
      return entry.blob === undefined ? [] : [entry.blob];
    case 'approval_request':
      return (entry.proposal ?? []).flatMap(sidesOf);
    case 'files_changed':
      return entry.changes.flatMap(sidesOf);
    case 'queue_update':
      return entry.items.flatMap(({ parts }) => (parts ?? []).flatMap(blobOf));
    default:
      return [];
  }
}

const blobOf = (part: Part): string[] =>
  [part.blob, 'metadata_blob' in part ? part.metadata_blob : undefined].flatMap((hash) => hash ?? []);

const sidesOf = ({ before, after }: { before: string | null; after: string | null }): string[] =>
  [before, after].flatMap((hash) => hash ?? []);
