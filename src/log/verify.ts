/**
 * A look at every byte of a folder of logs: what is damaged where, which blobs are missing, what lies about without a
 * session. It changes nothing; what can be mended without losing a byte, `repair` mends under the session's lease.
 */
import path from 'node:path';
import type { Files } from '../ports.js';
import type { BoughError } from '../shared/failure.js';
import { isBoughError } from '../shared/failure.js';
import { FolderBlobs } from './blobs.js';
import { withFile } from './bytes.js';
import { Ledger } from './ledger.js';
import { namedBlobs } from './named-blobs.js';
import { scanLines } from './scan.js';
import { DRAFT_FILE, LOG_SUFFIX, sessionIdOf, sessionPaths, type SessionPaths } from './session-name.js';
import { stagedBy } from './staged-name.js';
import { ifThere, stored } from './storage.js';
import { titleOf } from './summary.js';
import type { Access } from './store.js';
import type { LogReport, VerifyReport } from './upkeep.js';
import { isAliveHere } from './holder.js';

export interface VerifyParts {
  files: Files;
  /** `workspaces/<key>/`. */
  folder: string;
  host: string;
  /** Names of sessions that are open here: what belongs to one that is not written yet is no orphan. */
  openNames: ReadonlySet<string>;
  /** Only what lies about, no log. */
  isShallow?: boolean;
}

/** A report with what mending it needs. */
export interface Examined {
  report: LogReport;
  paths: SessionPaths;
  ledger?: Ledger;
}

export async function verifyLogs(
  parts: VerifyParts,
  examined: (log: Examined) => Promise<void>,
  signal?: AbortSignal,
): Promise<VerifyReport> {
  const sessions = path.join(parts.folder, 'sessions');
  const names = await listed(parts.files, sessions);
  const report: VerifyReport = {
    folder: parts.folder,
    logs: [],
    orphans: orphansIn(parts, sessions, names),
    strayFiles: [],
    repaired: [],
  };
  report.orphans.push(...(await orphanFolders(parts, sessions, names)));
  report.strayFiles.push(...(await strayFiles(parts, sessions, names)));
  const logs = parts.isShallow === true ? [] : names.filter((name) => name.endsWith(LOG_SUFFIX)).sort();
  for (const file of logs) {
    signal?.throwIfAborted();
    const log = await examine(parts.files, sessionPaths(sessions, file.slice(0, -LOG_SUFFIX.length)));
    if (log === undefined) continue;
    await examined(log);
    report.logs.push(await afterMending(parts.files, log));
  }
  return report;
}

/** What a log that was mended looks like now, with what was done to it. */
async function afterMending(files: Files, { report, paths }: Examined): Promise<LogReport> {
  if (report.repaired.length === 0) return report;
  const now = (await examine(files, paths))?.report ?? report;
  const { repaired, unmended } = report;
  return { ...now, repaired, ...(unmended === undefined ? {} : { unmended }) };
}

/** Undefined when it was deleted meanwhile. */
async function examine(files: Files, paths: SessionPaths): Promise<Examined | undefined> {
  try {
    const { ledger, size, blobs } = await readWhole(files, paths);
    const damage = ledger.damage.map(({ kind, line, reason, ids }) => ({
      ...{ kind, line, reason },
      ...(ids === undefined ? {} : { ids }),
    }));
    const report: LogReport = {
      id: sessionIdOf(paths.name, ledger.header.id),
      title: titleOf(ledger),
      file: paths.log,
      lines: ledger.next.line - 1 + (ledger.tail.kind === 'none' ? 0 : 1),
      entries: ledger.position,
      bytes: size,
      damage,
      missingBlobs: await missingOf(files, paths.folder, blobs),
      ...(ledger.isSessionLog || size === 0 ? {} : { isForeign: true as const }),
      ...(isNewer(ledger.access) ? { newer: ledger.access.message } : {}),
      repaired: [],
    };
    return { report, paths, ledger };
  } catch (error) {
    if (!isBoughError(error)) throw error;
    if (error.data['errno'] === 'ENOENT') return undefined;
    return { report: unreadable(paths, error), paths };
  }
}

const isNewer = (access: Access): access is Access & { mode: 'read-only' } =>
  access.mode === 'read-only' && access.reason === 'newer';

async function readWhole(
  files: Files,
  paths: SessionPaths,
): Promise<{ ledger: Ledger; size: number; blobs: Set<string> }> {
  return stored('read', paths.log, () =>
    withFile(files.open(paths.log, 'read'), async (file) => {
      const { size, mtime } = await file.stat();
      const ledger = new Ledger(paths.name, new Date(mtime).toISOString());
      const blobs = new Set<string>();
      for await (const lines of scanLines(file, { to: size })) {
        for (const line of lines)
          for (const { entry } of ledger.take(line)) for (const hash of namedBlobs(entry)) blobs.add(hash);
      }
      if (size === 0) ledger.takeEmpty();
      return { ledger, size, blobs };
    }),
  );
}

async function missingOf(
  files: Files,
  folder: string,
  hashes: ReadonlySet<string>,
): Promise<LogReport['missingBlobs']> {
  const blobs = new FolderBlobs(files, folder);
  const missing: LogReport['missingBlobs'] = [];
  for (const hash of hashes) {
    try {
      await blobs.get(hash);
    } catch (error) {
      if (!isBoughError(error)) throw error;
      missing.push({ hash, reason: error.message });
    }
  }
  return missing;
}

const unreadable = (paths: SessionPaths, error: BoughError): LogReport => ({
  id: paths.name,
  title: paths.name,
  file: paths.log,
  lines: 0,
  entries: 0,
  bytes: 0,
  damage: [],
  unreadable: error.message,
  missingBlobs: [],
  repaired: [],
});

const SIDE_FILE = /^(.+)\.(?:stream|damaged|lock|lease\.json)$/;

function orphansIn({ openNames }: VerifyParts, sessions: string, names: readonly string[]): string[] {
  return names
    .filter((name) => {
      const session = SIDE_FILE.exec(name)?.[1];
      return session !== undefined && !names.includes(session + LOG_SUFFIX) && !openNames.has(session);
    })
    .map((name) => path.join(sessions, name));
}

/** A folder with a draft in it is of a session that nothing was sent in yet. */
async function orphanFolders(
  { files, openNames }: VerifyParts,
  sessions: string,
  names: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    const place = path.join(sessions, name);
    if (name.includes('.') || names.includes(name + LOG_SUFFIX) || openNames.has(name)) continue;
    const stat = await stored('look at', place, () => ifThere(files.stat(place)));
    if (stat?.isFolder === true && !(await listed(files, place)).includes(DRAFT_FILE)) found.push(place);
  }
  return found;
}

/** What was to take a file's place when its process died. */
async function strayFiles(
  { files, folder, host }: VerifyParts,
  sessions: string,
  names: readonly string[],
): Promise<string[]> {
  const folders = names.filter((name) => !name.includes('.')).map((name) => path.join(sessions, name));
  const stray: string[] = [];
  for (const place of [folder, path.join(folder, 'cache'), sessions, ...folders]) {
    for (const name of place === sessions ? names : await listed(files, place)) {
      if (!name.endsWith('.tmp')) continue;
      const by = stagedBy(name, host);
      if (by === undefined || isAliveHere(by, host) !== true) stray.push(path.join(place, name));
    }
  }
  return stray;
}

async function listed(files: Files, folder: string): Promise<string[]> {
  return stored('list', folder, async () => {
    const stat = await ifThere(files.stat(folder));
    return stat?.isFolder === true ? ((await ifThere(files.list(folder))) ?? []) : [];
  });
}
