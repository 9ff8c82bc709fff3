/** Session ids are exact keys of any characters; files are named so that no id can be a path or clash on any system. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { BoughError } from '../shared/failure.js';

const plain = /^[a-z0-9_-]{1,64}$/;
const hashed = /^h-[0-9a-f]{64}$/;
const deviceName = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

export const LOG_SUFFIX = '.jsonl';
/** In a session's folder: the composer's text and attachments. */
export const DRAFT_FILE = 'draft.json';

/** Two ids that look alike must not be two sessions: none is blank, padded or half a character. */
export const isSessionId = (id: string): boolean => id.trim() !== '' && id.trim() === id && id.isWellFormed();

/** Throws InvalidArgument for what can be no id. */
export function checkSessionId(id: string): void {
  if (!isSessionId(id)) {
    throw new BoughError(
      'InvalidArgument',
      `A session id must be well-formed text that is not blank and has no white space around it: ${JSON.stringify(id)}.`,
    );
  }
}

/** The name of a session's files, without suffix. The name of a log that lost its header names itself. */
export function sessionName(id: string): string {
  if ((plain.test(id) && !deviceName.test(id)) || hashed.test(id)) return id;
  return `h-${createHash('sha256').update(id).digest('hex')}`;
}

/** Whether a file's name is one that {@link sessionName} can give; others in the folder are not ours. */
export const isSessionName = (name: string): boolean =>
  (plain.test(name) && !deviceName.test(name)) || hashed.test(name);

/** The id of the session in file `name`: its header's, unless the file was copied or its header is lost. */
export const sessionIdOf = (name: string, headerId: string | undefined): string =>
  headerId !== undefined && sessionName(headerId) === name ? headerId : name;

/** The files that belong to one session, all beside each other. */
export interface SessionPaths {
  readonly name: string;
  readonly sessions: string;
  readonly log: string;
  readonly stream: string;
  readonly damaged: string;
  readonly lock: string;
  readonly lease: string;
  /** Blobs and the composer's draft. */
  readonly folder: string;
}

export function sessionPaths(sessions: string, name: string): SessionPaths {
  const base = path.join(sessions, name);
  return {
    name,
    sessions,
    log: `${base}${LOG_SUFFIX}`,
    stream: `${base}.stream`,
    damaged: `${base}.damaged`,
    lock: `${base}.lock`,
    lease: `${base}.lease.json`,
    folder: base,
  };
}
