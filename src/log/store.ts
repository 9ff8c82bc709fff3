/**
 * The interfaces of the durable log: a {@link SessionStore} holds sessions, a {@link SessionLog} is the one live handle
 * on a session's log. Everything here throws {@link BoughError} with a code; nothing is retried or dropped silently.
 */
import type { Disposable } from '../ports.js';
import type { ConversationEntry, Header } from '../shared/entry.js';
import type { Draft, Entry } from '../shared/notes.js';
import type { FileState } from '../shared/fold/file-states.js';
import type { LineNodes } from '../shared/fold/line-nodes.js';
import type { OutlineNode, PathState } from '../shared/fold/types.js';
import type { PruneOptions, PrunePolicy, PruneReport, VerifyOptions, VerifyReport } from './upkeep.js';

/** An entry with its place in the file: `position` counts entries from 0, over all types. */
export interface PlacedEntry {
  position: number;
  entry: Entry;
}

/** An entry with its JSON as it stands in the log, byte for byte; those of one batch name the same `line`. */
export interface PlacedRecord extends PlacedEntry {
  text: string;
  line: number;
  /** What its text says of its links, where that is known without reading it. */
  written?: { id: string; parent_id: string | null };
}

/** An entry whose body cannot be had any more; what is known of it without. */
export interface LostEntry {
  position: number;
  /** Of an entry of the conversation. */
  id?: string;
  preview?: string;
}

export interface Held {
  records: PlacedRecord[];
  lost: LostEntry[];
}

/** Something the reader could not take as it stands. The bytes stay in the file. */
export interface LogDamage {
  kind:
    | 'empty'
    | 'torn-tail'
    | 'unreadable-line'
    | 'header'
    | 'duplicate-id'
    | 'missing-parent'
    | 'cycle'
    | 'too-large';
  /** 1-based. */
  line: number;
  reason: string;
  /** Which entries, for who looks into the file. */
  ids?: string;
  /** Nothing at all could be read of the session. */
  isAll?: true;
  /** What could be read of the line was taken all the same. */
  kept?: true;
  /** Its bytes stand in a file beside the log now, whole. */
  moved?: true;
}

/** `missing`: the list knows it, its log is not found. `elsewhere`: it belongs to another storage folder, whose sessions are only read here. */
type ReadOnlyReason = 'newer' | 'version-3' | 'unreadable' | 'missing' | 'archived' | 'elsewhere';

/** Why a handle cannot append. `stale` and `poisoned` last until the session is opened again. */
export type Access =
  | { mode: 'write' }
  | { mode: 'read-only'; reason: ReadOnlyReason; message: string }
  /** `isGone`: its file is; what was read of it is all there is. */
  | { mode: 'stale' | 'poisoned'; message: string; isGone?: boolean };

export interface Holder {
  window: string;
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
}

/** Held for a run or a write. Released when disposed, and by the operating system when the process dies. */
export interface Lease extends Disposable {
  readonly session: string;
}

/** Text of the attempt that streams now, at most a second behind, so that kill -9 loses no more than that. */
export interface StreamJournal {
  begin(head: JournalHead): Promise<void>;
  /** Buffers; written at least once a second or every 4 KB. Never throws; a failed write is told to `onError`. */
  add(chunk: { text?: string; reasoning?: string }): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
  /** After an orderly end: the log has what matters, the journal goes. */
  end(): Promise<void>;
  /** What a call had printed that runs or was running when its process died, or null. */
  output(): Promise<{ call_id: string; turn_id: string; text: string } | null>;
  /** What a dead process left of an answer, or null. A cut last character is dropped. */
  read(): Promise<{ head: JournalHead; text: string; reasoning: string } | null>;
}
export interface JournalHead {
  attempt_id: string;
  step: number;
  parent_id: string | null;
  turn_id: string;
  /** What attempts of the same step before it had streamed: kept until the step has an answer. */
  earlier?: readonly { attempt_id: string; text: string; reasoning: string }[];
  /** The step's call that runs: then the text is what it prints, and `printed` what it had before. */
  call_id?: string;
  printed?: string;
}

/** Bytes by SHA-256 beside the log, created once, never changed. */
export interface Blobs {
  /** Durable when it resolves. */
  put(bytes: Uint8Array | string): Promise<string>;
  /** Throws BoughError LogDamaged when it is missing or does not match its hash. */
  get(hash: string): Promise<Uint8Array>;
  has(hash: string): Promise<boolean>;
}

/** A live handle on one session's log. All appends go through one ordered queue. */
export interface SessionLog {
  readonly id: string;
  readonly header: Header;
  /** Absolute path, or undefined for a session in memory. */
  readonly file: string | undefined;
  readonly access: Access;
  readonly damage: readonly LogDamage[];
  /** How many entries the log holds; it grows by appends of ours and, while following, of others. */
  readonly position: number;
  readonly head: string | null;
  readonly outline: readonly OutlineNode[];
  readonly blobs: Blobs;
  readonly journal: StreamJournal;

  /** The fold of the notes along the path to `head` (default: the log's own head). */
  state(head?: string | null): PathState;
  /** What stands in the files this session changed, on the line to `head` (default: the log's own head). */
  files(head?: string | null): FileState[];
  /** Bodies of the path to `head`, root first. */
  path(head?: string | null): Promise<ConversationEntry[]>;
  /** All entries of the path to `head`, notes of the path included, in file order. */
  line(head?: string | null): Promise<PlacedEntry[]>;
  /**
   * The end of that: its last `limit` entries, or as many more as it takes to begin with a conversation entry.
   * @throws RangeError for a limit that is no number from 0 on
   */
  page(limit: number, head?: string | null): Promise<LinePage>;
  /** What of it stands in the file from the conversation entry `from` on. */
  lineFrom(from: string, head?: string | null): Promise<PlacedEntry[]>;
  /** The path to `head` without bodies, root first: part of `outline`. */
  nodes(head?: string | null): OutlineNode[];
  /** The same, to be looked up. */
  lineNodes(head?: string | null): LineNodes;
  /** Those that there are, in the same order. */
  entries(ids: readonly string[]): Promise<PlacedEntry[]>;
  entry(id: string): Promise<Entry | undefined>;
  /** Entries from `position` on, in file order. */
  since(position: number): Promise<PlacedEntry[]>;
  /** The entries at `positions` as they are written: for copies and exports, which keep what this build does not know. */
  records(positions: readonly number[]): Promise<PlacedRecord[]>;
  /** The same of a log whose file may be gone: what can still be had of it, and what cannot. */
  held(positions: readonly number[]): Promise<Held>;
  /** Positions of all that `line` gives. */
  linePositions(head?: string | null): number[];
  /** The end of the file was lost behind this entry; what stands behind it now was written after that. */
  isCutBehind(id: string): boolean;
  /** Somebody looks at it until that is disposed: only then, and while it runs, what was read last stays in memory. */
  show(): Disposable;

  /**
   * Commits one batch whole, in one write, synced, before it resolves; only then do `head`, `position` and listeners
   * see it. Ids, parents and timestamps that a draft lacks are filled in.
   *
   * @throws BoughError StorageFailure (nothing was written, or the handle is poisoned), SessionConflict (the file or, with
   *   `expectedHead`, the head is not what the caller saw), SessionStale, NewerFormat, SessionArchived, TooLarge, Locked.
   */
  append(batch: readonly Draft[], options?: AppendOptions): Promise<Entry[]>;
  /** Takes the writer's lease and catches up with what others appended. @throws BoughError Locked with the holder */
  acquire(signal?: AbortSignal): Promise<Lease>;
  /** Who holds the lease now, when it is somebody else. */
  holder(): Promise<Holder | null>;
  /** Reads what other processes appended. Cheap when nothing changed. */
  catchUp(): Promise<void>;

  onAppend(listener: (placed: readonly PlacedEntry[]) => void): Disposable;
  onAccess(listener: (access: Access) => void): Disposable;
  close(): Promise<void>;
}

/** The end of a line. */
export interface LinePage {
  entries: PlacedEntry[];
  /** There are conversation entries before. */
  more: boolean;
}

export interface AppendOptions {
  /** Refuse with SessionConflict when the head is not this any more. */
  expectedHead?: string | null;
  /**
   * One of the last writes of a turn that was cancelled. It is carried out whatever happens, but waited for no longer than
   * 5 s: then it fails with StorageFailure, errno ETIMEDOUT, though it may arrive later, as `onAppend` tells.
   */
  isLast?: boolean;
}

export interface SessionInit {
  /** Exact key: non-blank, no surrounding white space. Default: a fresh one. */
  id?: string;
  folder?: string;
  title?: string;
  owner?: string;
  parent_session_id?: string;
  parent_entry_id?: string;
  subagent_task?: string;
}

/** Learns while a log is read how many of its bytes were. */
export type OnRead = (bytes: number, of: number) => void;

/** One row of a session list; everything comes from the same reader as the transcript. */
export interface SessionSummary {
  id: string;
  title: string;
  /** True when the person named it. */
  named: boolean;
  folder: string | undefined;
  created: number;
  /** ms since the epoch, of the file. */
  updated: number;
  /** ms since the epoch, of the last entry of the conversation; what is noted beside it, as which line is shown, is none. */
  said: number;
  size: number;
  messages: number;
  /** Ends of lines. */
  leaves: number;
  archived: boolean;
  tags: string[];
  owner: string | undefined;
  /** The session that this one was copied from, by its id. */
  origin?: string;
  /** As the log alone says; a live run is known to the host. */
  /** `missing`: the list knows it, but its log is not found here; it keeps its row until it is deleted. */
  /** `unread`: its log is there, and reading the list was stopped before it came to it. */
  status: 'idle' | 'waiting' | 'retrying' | 'incomplete' | 'damaged' | 'unreadable' | 'missing' | 'unread';
  detail?: string;
}

export interface ListQuery {
  archived?: boolean | 'all';
  owner?: string;
  tags?: readonly string[];
  /** In the title, or said in the session where the store keeps it in files; in any case. */
  text?: string;
  /** Default 50, at most 200. */
  limit?: number;
  /** Opaque and exclusive. */
  cursor?: string;
}

/**
 * Every wait (for another caller on the same session, for a running turn) ends with the reason of `signal` when that is
 * aborted; what was begun by then is finished all the same.
 */
export interface SessionStore {
  /** Nothing is on disk until the first append. @throws BoughError SessionExists */
  create(init?: SessionInit, signal?: AbortSignal): Promise<SessionLog>;
  /**
   * One live handle per id. An aborted `signal` ends the reading of its log, too. @throws BoughError SessionNotFound,
   * StorageFailure
   */
  open(id: string, signal?: AbortSignal, onRead?: OnRead): Promise<SessionLog>;
  openOrCreate(id: string, init?: SessionInit, signal?: AbortSignal): Promise<SessionLog>;
  /** Updated descending, then id. */
  list(query?: ListQuery): Promise<{ sessions: SessionSummary[]; cursor?: string }>;
  rename(id: string, name: string, signal?: AbortSignal): Promise<void>;
  archive(id: string, signal?: AbortSignal): Promise<void>;
  unarchive(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Idempotent. Moves log and side files out of the way and closes the handle; `undo` brings them back until `purge`
   * removes them for good. What was not purged is kept for a week.
   */
  delete(id: string, signal?: AbortSignal): Promise<Deletion>;
  onChange(listener: (id: string) => void): Disposable;
  close(): Promise<void>;
}

export interface Deletion {
  undo: () => Promise<void>;
  purge: () => Promise<void>;
}

/** A session in the trash. */
export interface DeletedSession {
  /** Of its place in the trash, for `restore`. */
  key: string;
  id: string;
  title: string;
  /** ms since the epoch. */
  deleted: number;
  messages: number;
  /** Of all its files. */
  bytes: number;
}

export interface ForkOptions {
  /** The last conversation entry of the copy (default: the head), or of what a note stands on. */
  at?: string;
  /** Instead: the copy ends where this entry's parent does. Before a root it is empty but for its header. */
  before?: string;
  /** Id of the copy; a fresh one by default. */
  id?: string;
  /** Title in the copy's header; by default it is called as the original is. */
  title?: string;
  owner?: string;
  signal?: AbortSignal;
}

/** What Bough's own stores, and those it makes of custom ones, can do beyond {@link SessionStore}. */
export interface StoreAbilities {
  /** The row of one session; undefined when there is none of this id. Opens no handle. */
  summary(id: string): Promise<SessionSummary | undefined>;
  /** Its live handle, if it is open here, written or not. Opens none. */
  opened(id: string): SessionLog | undefined;
  /** Replaces the session's tags: trimmed, each once, none blank. */
  setTags(id: string, tags: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * A new session with a copy of one line, up to an entry, and with the blobs it names. Waits until a running turn has
   * settled. Turns that the fork point cuts are ended as stopped; no wait and no queue is copied. The copy is there whole
   * or not at all, and its handle is the live one.
   *
   * @throws BoughError ResumeRequired while an approval is pending, SessionNotFound, SessionExists, InvalidArgument (no
   *   such entry), StorageFailure
   */
  fork(id: string, options?: ForkOptions): Promise<SessionLog>;
  /**
   * A new session with everything in `source`, all its lines, in the present format: how a version-3 log or a file from
   * elsewhere is gone on with. The source stays as it is.
   */
  importCopy(source: SessionLog, init?: SessionInit, signal?: AbortSignal): Promise<SessionLog>;
  /**
   * Deletes by age, and only what the policy names; sessions go to the trash as `delete` has it. Never a session that is leased, waits for an approval or carries a
   * goal that is not completed. @throws BoughError InvalidArgument for a negative or nonsensical age
   */
  prune(policy: PrunePolicy, options?: PruneOptions): Promise<PruneReport>;
  /** Only where there is a trash: what it still holds, the newest first. */
  deleted?(): Promise<DeletedSession[]>;
  /**
   * Brings back what `deleted` gave this key for; resolves with its id. @throws BoughError SessionNotFound when it is not in
   * the trash any more, SessionExists when there is a new session of this id
   */
  restore?(key: string): Promise<string>;
  /** Only where windows share sessions: who works in it elsewhere. Opens no handle. */
  holder?(id: string): Promise<Holder | null>;
  /** Reads every byte of every log and says what is wrong with what. Changes nothing unless `repair` is set. */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /**
   * Only where sessions are files: opens a log wherever it lies, with its side files beside it. The id of one that is not
   * in the store's own folder is its path; `open` finds it by that as long as this store lives.
   */
  openFile?(file: string, signal?: AbortSignal): Promise<SessionLog>;
  /** The same for a log that is only to be read, as `why` says in one sentence: its handle takes no appends. */
  openToRead?(file: string, why: string, signal?: AbortSignal): Promise<SessionLog>;
}
