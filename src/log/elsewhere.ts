/** The sessions of another storage root, only looked at: nothing is written there, not even what a list remembers. */
import path from 'node:path';
import { Catalog, type CatalogParts } from './catalog.js';
import { byUpdate } from './list-page.js';
import { LOG_SUFFIX, sessionName } from './session-name.js';
import type { SessionSummary } from './store.js';
import { listWorkspaces } from './workspace-key.js';

export interface SessionElsewhere {
  summary: SessionSummary;
  /** Its log. */
  file: string;
}

export interface FolderElsewhere {
  key: string;
  /** By which the folder was known, the newest last. */
  uris: readonly string[];
  /** The newest first; a log that is not there cannot be opened and is left out. */
  sessions: readonly SessionElsewhere[];
}

/** Only folders that have sessions. @throws BoughError StorageFailure */
export async function listElsewhere(
  parts: Pick<CatalogParts, 'files' | 'clock' | 'who' | 'onTrouble'>,
  root: string,
): Promise<FolderElsewhere[]> {
  const folders = await listWorkspaces(parts.files, root);
  const listed = await Promise.all(
    folders.map(async ({ key, uris }) => {
      const sessions = path.join(root, 'workspaces', key, 'sessions');
      const cache = path.join(root, 'workspaces', key, 'cache');
      const rows = await new Catalog({ ...parts, sessions, cache, isToRead: true }).all();
      const found = rows
        .filter(({ status }) => status !== 'missing')
        .sort(byUpdate)
        .map((summary) => ({ summary, file: path.join(sessions, logName(summary.id)) }));
      return { key, uris, sessions: found };
    }),
  );
  return listed.filter(({ sessions }) => sessions.length > 0);
}

/** A file that was not named by Bough is listed by its whole name. */
const logName = (id: string): string => (id.endsWith(LOG_SUFFIX) ? id : `${sessionName(id)}${LOG_SUFFIX}`);
