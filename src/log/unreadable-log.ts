/**
 * The handle on a session whose log cannot be read: it holds nothing, says why, and writes nothing, so that the session
 * can be shown, left and opened again. The file stays as it is.
 */
import { BoughError } from '../shared/failure.js';
import { FORMAT_VERSION, type Header } from '../shared/entry.js';
import { SessionFold } from '../shared/fold/session-fold.js';
import type { Access, Blobs, SessionLog, StreamJournal } from './store.js';

const TITLE = 'Session that cannot be read';

/** `error` is what opening it threw. */
export function createUnreadableLog(id: string, error: BoughError): SessionLog {
  const reason = error.code === 'SessionNotFound' ? 'missing' : 'unreadable';
  const access: Access = { mode: 'read-only', reason, message: error.message };
  const header: Header = { type: 'session', version: FORMAT_VERSION, id, title: TITLE };
  const { path } = error.data;
  const fold = new SessionFold();
  const refuse = () =>
    Promise.reject(new BoughError('LogDamaged', error.message, error.data, { cause: error }));
  const nothing = { dispose: () => undefined };
  return {
    id,
    header,
    file: typeof path === 'string' ? path : undefined,
    access,
    damage: [],
    position: 0,
    head: null,
    outline: [],
    blobs: noBlobs(refuse),
    journal: noJournal(refuse),
    state: () => fold.state(),
    files: () => [],
    path: () => Promise.resolve([]),
    line: () => Promise.resolve([]),
    page: () => Promise.resolve({ entries: [], more: false }),
    lineFrom: () => Promise.resolve([]),
    nodes: () => [],
    lineNodes: () => fold.lineNodes(),
    entries: () => Promise.resolve([]),
    entry: () => Promise.resolve(undefined),
    since: () => Promise.resolve([]),
    records: () => Promise.resolve([]),
    held: () => Promise.resolve({ records: [], lost: [] }),
    linePositions: () => [],
    isCutBehind: () => false,
    show: () => nothing,
    append: refuse,
    acquire: refuse,
    holder: () => Promise.resolve(null),
    catchUp: () => Promise.resolve(),
    onAppend: () => nothing,
    onAccess: () => nothing,
    close: () => Promise.resolve(),
  };
}

const noBlobs = (refuse: () => Promise<never>): Blobs => ({
  put: refuse,
  get: refuse,
  has: () => Promise.resolve(false),
});

const noJournal = (refuse: () => Promise<never>): StreamJournal => ({
  begin: refuse,
  add: () => undefined,
  flush: () => Promise.resolve(),
  end: () => Promise.resolve(),
  read: () => Promise.resolve(null),
  output: () => Promise.resolve(null),
});
