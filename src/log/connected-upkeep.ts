/** Deleting by age and checking what a custom store holds, as far as its methods go. */
import type { Clock } from '../ports.js';
import { isBoughError } from '../shared/failure.js';
import type { ConnectedLog } from './connected-log.js';
import type { ConnectedRows } from './connected-rows.js';
import type { StoredRow } from './custom-store.js';
import { namedBlobs } from './named-blobs.js';
import { checkPolicy } from './prune.js';
import { surveyEntries, unknownIn } from './session-survey.js';
import type { StoreBoundary } from './store-boundary.js';
import type { Deletion } from './store.js';
import type {
  LogReport,
  PruneOptions,
  PrunePolicy,
  PruneReport,
  VerifyOptions,
  VerifyReport,
} from './upkeep.js';

export interface ConnectedUpkeep {
  clock: Clock;
  boundary: StoreBoundary;
  rows: ConnectedRows;
  /** The live handle, or one that nobody else has. */
  peek: (id: string) => Promise<ConnectedLog>;
  delete: (id: string) => Promise<Deletion>;
}

/** Goals and blobs have no way to be deleted for themselves in a custom store: they go with their session. */
export async function pruneConnected(
  upkeep: ConnectedUpkeep,
  policy: PrunePolicy,
  { dryRun = false, signal, isOpen = () => false, owner }: PruneOptions = {},
): Promise<PruneReport> {
  checkPolicy(policy);
  const report: PruneReport = { sessions: [], goals: [], results: [], bytes: 0, kept: [] };
  const age = policy.sessionIdle ?? 0;
  if (age === 0) return report;
  for (const row of await upkeep.boundary.list()) {
    signal?.throwIfAborted();
    if (owner !== undefined && row.owner !== owner) continue;
    if (upkeep.clock.now() - row.updated <= age) continue;
    const reason = isOpen(row.id) ? 'It is open.' : await reasonToKeep(upkeep, row.id);
    if (reason !== undefined) {
      report.kept.push({ session: row.id, reason });
      continue;
    }
    const title = (await upkeep.rows.summarise(row))?.title ?? row.id;
    if (!dryRun) await (await upkeep.delete(row.id)).purge();
    report.sessions.push({ id: row.id, title, updated: row.updated, bytes: row.bytes });
    report.bytes += row.bytes;
  }
  return report;
}

export async function verifyConnected(
  upkeep: ConnectedUpkeep,
  { signal }: VerifyOptions = {},
): Promise<VerifyReport> {
  const logs: LogReport[] = [];
  for (const row of await upkeep.boundary.list()) {
    signal?.throwIfAborted();
    logs.push(await examine(upkeep, row));
  }
  return { folder: undefined, logs, orphans: [], strayFiles: [], repaired: [] };
}

async function reasonToKeep({ peek }: ConnectedUpkeep, id: string): Promise<string | undefined> {
  try {
    const log = await peek(id);
    if (log.isRunning) return 'It is in use.';
    const unknown = unknownIn(log.ledger);
    if (unknown !== undefined) return unknown;
    const found = surveyEntries(log.ledger, await log.since(0));
    if (found.isWaiting) return 'It waits for an approval.';
    return found.isCarrying ? 'It carries a goal that is not completed.' : undefined;
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return error.message;
  }
}

async function examine({ peek, rows }: ConnectedUpkeep, row: StoredRow): Promise<LogReport> {
  const { id, bytes } = row;
  const report: LogReport = {
    id,
    title: id,
    file: undefined,
    lines: row.entries,
    entries: row.entries,
    bytes,
    damage: [],
    missingBlobs: [],
    repaired: [],
  };
  try {
    const log = await peek(id);
    report.title = (await rows.summarise(row))?.title ?? id;
    const hashes = new Set((await log.since(0)).flatMap(({ entry }) => namedBlobs(entry)));
    for (const hash of hashes) {
      const reason = await log.blobs.get(hash).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (reason !== undefined) report.missingBlobs.push({ hash, reason });
    }
    return report;
  } catch (error) {
    if (!isBoughError(error)) throw error;
    return { ...report, unreadable: error.message };
  }
}
