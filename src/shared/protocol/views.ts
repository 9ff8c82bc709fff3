/** What the view shows of a session beside its entries: each is replaced whole when it changes. */
import type { ApprovalMode } from '../approval-state.js';
import type { ComposerDraft } from '../composer-draft.js';
import type { Failure } from '../failure.js';
import type { PackedOutline } from '../fold/packed-outline.js';
import type { PathState } from '../fold/types.js';
import type { GoalView } from '../goal.js';
import type { Entry } from '../notes.js';
import type { UiCommand } from './intents.js';

export type RunState = 'idle' | 'running' | 'waiting' | 'retrying' | 'parked' | 'stopping';

export interface NoticeView {
  kind:
    'damaged' | 'read-only' | 'stale' | 'newer' | 'not-saved' | 'config' | 'recovered' | 'conflict' | 'error';
  message: string;
  detail?: string;
  /** Detail and actions are shown when they are asked for. */
  isBrief?: true;
  actions: { label: string; command: UiCommand }[];
}

/** An interrupted turn: what is known, in one sentence. */
export interface InterruptedView {
  turn_id: string;
  message: string;
  /** The end of the file was torn off: what the turn did last is not known. */
  is_torn?: true;
}

export interface SessionView {
  id: string;
  title: string;
  folder: string | undefined;
  read_only: boolean;
  /** Kept in memory only; gone with the window. */
  ephemeral?: true;
  /** It does a part of that session's task. */
  parent?: string;
}

export interface ModelView {
  /** "provider/model" as chosen for this session. */
  id: string;
  label: string;
  demo: boolean;
  contextWindow: number | undefined;
}

/** Files that the line on show has otherwise than the workspace, since another line was shown before. */
export interface FilesView {
  count: number;
  /** Of the first of them. */
  names: string[];
  /** How many of them somebody else changed since: those are asked about. */
  changed: number;
}

/** A file that goes along with every request: AGENTS.md. */
export interface SentFile {
  path: string;
  /** Characters of it. */
  chars: number;
  /** It is longer than what is sent of it. */
  isCut: boolean;
}

/** Files that the line on show changed, and that the person neither kept nor undid since. */
export interface ChangesView {
  count: number;
  /** Of the first of them. */
  names: string[];
}

/** A session that the view waits for: how much of its log was read, or why it is not open. */
export interface OpeningView {
  /** Null while it is not known which one. */
  session: string | null;
  title: string | null;
  state: 'opening' | 'cancelled' | 'failed';
  bytes: number;
  /** 0 while it is not known. */
  of: number;
  /** Why it failed. */
  message?: string;
}

/** What the view shows beside the transcript; small, sent whole. */
export interface StatusView {
  run: RunState;
  /** Another window works in it: nothing can be sent from here. */
  isHeld?: true;
  notices: NoticeView[];
  interrupted: InterruptedView | null;
  model: ModelView | null;
  /** Failure of the last turn on this path, while nothing newer happened. */
  failure: Failure | null;
  /** No folder · untrusted · on no disk · ready: which welcome to show when there is no message. */
  place: 'ready' | 'no-folder' | 'untrusted' | 'virtual';
  suggestions: string[];
  sendOn: 'enter' | 'modEnter';
  /** What runs without a card. */
  mode: ApprovalMode;
  /** A summary is being made. */
  isSummarising: boolean;
  /** What is so of this line's goal. Absent: it has none. */
  goal?: GoalView;
  /** The person is offered to let the files follow the line. */
  files?: FilesView;
  /** What may be looked through. */
  changes?: ChangesView;
  /** What goes along with every request. Absent: nothing. */
  sent?: readonly SentFile[];
}

/** Text of the attempt that streams now; not in the log yet. */
/** What had streamed of a step that waits to be asked again: every try, oldest first. */
export interface DroppedView {
  tries: readonly { attempt_id: string; text: string; reasoning: string }[];
}

export interface GrowingView {
  attempt_id: string;
  turn_id: string;
  step: number;
  text: string;
  reasoning: string;
  /** Calls whose arguments are still coming: name and characters so far. */
  calls: { name: string; chars: number }[];
}

export interface ProgressView {
  call_id: string;
  /** ms since the epoch. */
  started_at: number;
  /** The last lines of output, at most 4 000 characters. */
  tail: string;
}

export interface Snapshot {
  type: 'snapshot';
  session: SessionView;
  position: number;
  outline: PackedOutline;
  state: PathState;
  status: StatusView;
  /** Entries (messages and notes of the path) of the visible part of the path, in file order with their positions. */
  entries: { position: number; entry: Entry }[];
  /** True when the path has older entries that `ask bodies` brings. */
  more: boolean;
  growing: GrowingView | null;
  dropped?: DroppedView;
  progress: ProgressView[];
  draft: ComposerDraft;
}
