/** Whole sessions of a custom store: the entries of a copy, and what a deletion needs to be undone. */
import type { Clock, Ids } from '../ports.js';
import type { BoughError } from '../shared/failure.js';
import { ConnectedBlobs } from './connected-blobs.js';
import { exists, goneMeanwhile, type CopyInit } from './copy-init.js';
import { copyLines, hashesIn } from './copy-lines.js';
import type { CopyPlan } from './copy-plan.js';
import { beginsWith } from './connected-writes.js';
import type { CallOptions, CustomStore, StoredEntry, StoredSession } from './custom-store.js';
import { importRecords } from './import-records.js';
import type { StoreBoundary } from './store-boundary.js';
import { carryBlob } from './session-copy.js';
import type { SessionLog } from './store.js';

export interface ConnectedCopy {
  init: CopyInit;
  plan: CopyPlan;
  positions: readonly number[];
  /** The original is in its place still. */
  isThere: () => Promise<boolean>;
}

export interface Snapshot extends StoredSession {
  blobs: Map<string, Uint8Array>;
}

interface CopyParts {
  boundary: StoreBoundary;
  clock: Clock;
  ids: Ids;
  onTrouble: (error: BoughError) => void;
}

/**
 * The entries of the copy, with the blobs that they name put into the store. One that the original lacks stays missing.
 *
 * @throws BoughError SessionConflict where the original is not there any more, as `isThere` tells, and blobs of it neither
 */
export async function copyEntries(
  { boundary, clock, ids, onTrouble }: CopyParts,
  source: SessionLog,
  { init, plan, positions, isThere }: ConnectedCopy,
): Promise<StoredEntry[]> {
  const blobs = new ConnectedBlobs(boundary, init.id);
  const convert = importRecords(source, { ids, blobs, onTrouble });
  const timestamp = new Date(clock.now()).toISOString();
  const parts = { source, plan, positions, ids, timestamp };
  const entries: StoredEntry[] = [];
  let missing = 0;
  for await (const line of copyLines({ ...parts, ...(convert === undefined ? {} : { convert }) })) {
    for (const hash of hashesIn(line)) if (!(await carryBlob(source.blobs, hash, blobs))) missing++;
    const records = JSON.parse(line) as StoredEntry | StoredEntry[];
    entries.push(...(Array.isArray(records) ? records : [records]));
  }
  if (missing > 0 && !(await isThere())) throw goneMeanwhile(source, missing);
  return entries;
}

/** @throws BoughError SessionExists when there is one of this id */
export async function storeWhole(
  boundary: StoreBoundary,
  header: { id: string },
  entries: readonly StoredEntry[],
): Promise<void> {
  let isMade: boolean;
  try {
    const create = (store: CustomStore, options: CallOptions) =>
      store.create({ ...header }, entries, options);
    isMade = await boundary.call('create', create).result;
  } catch (error) {
    // It may have landed all the same.
    const stored = await boundary.load(header.id);
    if (stored === undefined || !beginsWith(stored.entries, entries)) throw error;
    isMade = true;
  }
  if (!isMade) throw exists(header.id);
}

/** It is in memory: a custom store has no trash. Undefined when there is no such session. */
export async function takeSnapshot(boundary: StoreBoundary, id: string): Promise<Snapshot | undefined> {
  const stored = await boundary.load(id);
  if (stored === undefined) return undefined;
  const blobs = new Map<string, Uint8Array>();
  // One by one: all entries of a long session together are more than one string can hold.
  const hashes = new Set(stored.entries.flatMap((entry) => hashesIn(JSON.stringify(entry))));
  for (const hash of hashes) {
    const bytes = await boundary.getBlob(id, hash);
    if (bytes !== undefined) blobs.set(hash, bytes);
  }
  return { ...stored, blobs };
}

export async function putBack(boundary: StoreBoundary, id: string, kept: Snapshot): Promise<void> {
  for (const [hash, bytes] of kept.blobs) await boundary.putBlob(id, hash, bytes);
  await storeWhole(boundary, { ...kept.header, id }, kept.entries);
}
