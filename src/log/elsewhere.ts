/** The sessions of another storage root, only looked at: nothing is written there, not even what a list remembers. */
import path from 'node:path';
import { isBoughError } from '../shared/failure.js';
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

type LookParts = Pick<CatalogParts, 'files' | 'clock' | 'who' | 'onTrouble'>;

/** Only folders that have sessions; one that cannot be listed is told and hides no other. @throws BoughError StorageFailure */
export async function listElsewhere(parts: LookParts, root: string): Promise<FolderElsewhere[]> {
  const folders = await listWorkspaces(parts.files, root, parts.onTrouble);
  const listed = await Promise.all(
    folders.map(async ({ key, uris }) => {
      try {
        return { key, uris, sessions: await sessionsIn(parts, path.join(root, 'workspaces', key)) };
      } catch (error) {
        if (!isBoughError(error)) throw error;
        parts.onTrouble(error);
        return { key, uris, sessions: [] };
      }
    }),
  );
  return listed.filter(({ sessions }) => sessions.length > 0);
}

async function sessionsIn(parts: LookParts, folder: string): Promise<SessionElsewhere[]> {
  const sessions = path.join(folder, 'sessions');
  const cache = path.join(folder, 'cache');
  const rows = await new Catalog({ ...parts, sessions, cache, isToRead: true }).all();
  return rows
    .filter(({ status }) => status !== 'missing')
    .sort(byUpdate)
    .map((summary) => ({ summary, file: path.join(sessions, logName(summary.id)) }));
}

/** A file that was not named by Bough is listed by its whole name. */
const logName = (id: string): string => (id.endsWith(LOG_SUFFIX) ? id : `${sessionName(id)}${LOG_SUFFIX}`);
