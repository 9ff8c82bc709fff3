// The logs as they lie on disk, read with nothing of ours.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export interface Line {
  type: string;
  id: string;
  parent_id: string | null;
  role?: string;
  parts?: {
    type: string;
    text?: string;
    call_id?: string;
    name?: string;
    content?: string;
    is_error?: boolean;
  }[];
  [field: string]: unknown;
}

export interface LogOnDisk {
  file: string;
  header: Record<string, unknown>;
  entries: Line[];
  bytes: Buffer;
}

/** Every session log below our storage, oldest first. A line that is no JSON throws: ours never are. */
export function logsBelow(storage: string): LogOnDisk[] {
  return filesBelow(storage)
    .filter((file) => /\/workspaces\/[^/]+\/sessions\/[^/]+\.jsonl$/.test(file))
    .sort((a, b) => statSync(a).birthtimeMs - statSync(b).birthtimeMs)
    .map(readLog);
}

export function readLog(file: string): LogOnDisk {
  const bytes = readFileSync(file);
  const [header, ...lines] = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { file, header: header ?? {}, entries: lines.flat() as unknown as Line[], bytes };
}

/** The only log there is. */
export function onlyLog(storage: string): LogOnDisk {
  const logs = logsBelow(storage);
  if (logs.length !== 1)
    throw new Error(`${logs.length} logs instead of one: ${logs.map(({ file }) => file).join(', ')}`);
  return logs[0] as LogOnDisk;
}

export const types = (log: LogOnDisk): string[] => log.entries.map(({ type }) => type);

export const ofType = (log: LogOnDisk, type: string): Line[] =>
  log.entries.filter((entry) => entry.type === type);

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.join(found.parentPath, found.name));
}

/** Everything of ours that others could read: must be empty. */
export function readableByOthers(storage: string): string[] {
  return [
    storage,
    ...readdirSync(storage, { recursive: true, encoding: 'utf8' }).map((name) => path.join(storage, name)),
  ].filter((name) => (statSync(name).mode & 0o077) !== 0);
}
