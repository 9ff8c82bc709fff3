/** A log's first line: what version it is, and what stands in for a header that cannot be read. */
import { FORMAT_VERSION, type Header } from '../shared/entry.js';
import { BoughError, type BoughErrorCode } from '../shared/failure.js';
import type { Access, SessionInit } from './store.js';
import type { Dialect } from './codec.js';
import { KIT_VERSION } from './kit-v3.js';

/** What a log says of itself, whatever happened to the handle on it. */
export type OpenAccess = Exclude<Access, { mode: 'stale' | 'poisoned' }>;
type ReadOnlyAccess = Access & { mode: 'read-only' };

export function newHeader(id: string, timestamp: string, producer: string, init: SessionInit): Header {
  const { folder, title, owner, parent_session_id, parent_entry_id, subagent_task } = init;
  const facts = { folder, title, owner, parent_session_id, parent_entry_id, subagent_task };
  const given = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { type: 'session', version: FORMAT_VERSION, id, timestamp, ...given, producer };
}

export function dialectOf(header: Header): Dialect {
  if (header.version === KIT_VERSION) return 'kit-v3';
  return header.version > FORMAT_VERSION ? 'newer' : 'own';
}

/** Only our own version can be appended to. */
export function accessBy(header: Header): OpenAccess {
  const { version } = header;
  if (version === FORMAT_VERSION) return { mode: 'write' };
  if (version === KIT_VERSION) {
    const message =
      'This session was written by Kit (format 3). It can be read here, and continued as an imported copy.';
    return { mode: 'read-only', reason: 'version-3', message };
  }
  if (version > FORMAT_VERSION) {
    const message = `This session was written by a newer Bough (format ${version}, this one knows ${FORMAT_VERSION}). It can be read; update Bough to go on with it.`;
    return { mode: 'read-only', reason: 'newer', message };
  }
  const message = `This file says it is of format ${version}, which Bough does not know. It can be read as far as it makes sense.`;
  return { mode: 'read-only', reason: 'unreadable', message };
}

/** The error with which a handle that is read-only refuses to write. */
export const refusalOf = ({ reason, message }: ReadOnlyAccess): BoughError =>
  new BoughError(codeOf(reason), message);

function codeOf(reason: ReadOnlyAccess['reason']): BoughErrorCode {
  switch (reason) {
    case 'newer':
      return 'NewerFormat';
    case 'archived':
      return 'SessionArchived';
    case 'version-3':
    case 'elsewhere':
      return 'AccessDenied';
    case 'unreadable':
      return 'LogDamaged';
    case 'missing':
      return 'SessionNotFound';
  }
}
