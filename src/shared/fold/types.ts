/** What the folds yield: plain data that host and webview share. */
import type {
  BranchSummary,
  Compaction,
  ConversationType,
  IncompleteOutput,
  Message,
  SkillLoad,
  ToolCallPart,
} from '../entry.js';
import type { ApprovalState } from '../approval-state.js';
import type { NoteOf, QueueItem, Todo } from '../notes.js';
import type { StyleRun } from '../styled-text.js';

/** Flags of an outline node (a bit set). */
export const OutlineFlag = {
  user: 1,
  assistant: 2,
  tool: 4,
  system: 8,
  /** An assistant message that asks for tools. */
  calls: 16,
  incomplete: 32,
  error: 64,
  /** Attached to a guessed parent, or a root whose parent is lost. */
  recovered: 128,
} as const;

/** One conversation entry: id, ordinal of its parent among the conversation entries (−1 at a root), type, flags, ≤ 80 characters. */
export type OutlineNode = readonly [
  id: string,
  parent: number,
  type: ConversationType,
  flags: number,
  preview: string,
];

/** A fork as the branch picker shows it on one message. */
export interface Fork {
  /** The message that carries the picker. */
  entry_id: string;
  /** 0-based index of the shown line among `siblings`. */
  index: number;
  /**
   * The nearest shown messages after the fork point (or the end of a line that has none), oldest first, each with the
   * line's newest leaf and its first words.
   */
  siblings: { entry_id: string; leaf_id: string; preview: string }[];
}

/** A turn with no `turn_end` anywhere in the file. */
export interface OpenTurn {
  turn_id: string;
  /** Id of its `turn_start`. */
  start_id: string;
  /** The message it answers. */
  message_id: string | null;
  steps_started: number;
  steps_ended: number;
  open_step: { step: number; attempt_id: string } | null;
  retries?: string | undefined;
  continues?: string | undefined;
  resumes: number;
}

/** The last `retry_start` or `resume_start` of the open turn that has no end. */
export interface Wait {
  kind: 'retry' | 'resume' | 'parked';
  note_id: string;
  turn_id: string | undefined;
  step: number;
  attempt_id: string | undefined;
  attempt: number;
  max: number;
  delay_ms: number;
  /** ISO 8601. */
  due_at: string;
  error: string;
  server_hint: boolean;
  /** How much of it the server asked for, from its beginning. */
  hint_ms: number;
  /** Of a retry: the step's restart that it belongs to, when there was one. */
  restart?: { count: number; max: number };
}

export interface PendingApproval {
  request_id: string;
  call_id: string;
  tool: string;
  summary: string;
  risk: 'read' | 'write' | 'run' | 'net';
  /** Can be decided for this once only. */
  always_asked?: boolean;
  /** In words, what a decision that counts for longer allows. */
  allows?: string;
  input: unknown;
  input_hash: string;
  targets: { path: string; hash: string | null }[];
  proposal: { path: string; before: string | null; after: string | null }[];
  timestamp: string;
}

/**
 * Where a tool call of the path stands. `open`: none of request, start, result is there yet. `pending`: asked, and may be
 * decided. `refused`: decided otherwise than allowed, or asked in a turn that has ended. `started`: its effects may have
 * happened. `answered`: its result stands on another line only, so it must not run again.
 */
export type CallStatus = 'open' | 'pending' | 'allowed' | 'refused' | 'started' | 'answered';
export interface CallState {
  call: ToolCallPart;
  message_id: string;
  turn_id: string | undefined;
  status: CallStatus;
  started?: NoteOf<'tool_start'> | undefined;
  request?: NoteOf<'approval_request'> | undefined;
  decision?: NoteOf<'approval_decision'> | undefined;
}

export interface UsageTotals {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cost: number;
}

/** Everything the path's notes say. Session-wide parts are folded by file order, all others along the path. */
export interface PathState {
  head: string | null;
  name: string | null;
  archived: boolean;
  tags: string[];
  labels: Record<string, string>;
  model: { provider: string; model_id: string } | null;
  agent_id: string | null;
  /** What runs without a card: the mode and the rules given for this session. */
  approval: ApprovalState;
  turn: OpenTurn | null;
  wait: Wait | null;
  approvals: PendingApproval[];
  /** Calls without a result, in order. */
  open_calls: CallState[];
  todos: Todo[];
  /** What is worked towards on this path; absent when nothing is, or what was is gone. */
  goal?: NoteOf<'goal_update'>;
  queue: QueueItem[];
  queue_held: boolean;
  usage: UsageTotals;
  /** The last `usage` of a step on the path: what the meter shows. */
  last_usage: UsageTotals | null;
  /** The path ends in text that never got finished, or in a turn that failed. */
  incomplete: boolean;
}

/** A tool call as a card shows it. */
export type CardState = 'pending' | 'running' | 'ok' | 'error' | 'denied' | 'interrupted' | 'unknown';
export interface ToolCard {
  call: ToolCallPart;
  state: CardState;
  /** The result's text (head and tail when it was long). */
  result?: string | undefined;
  /** Colours and weights of the whole of it. */
  styles?: readonly StyleRun[] | undefined;
  /** Entry id of the tool message that answers. */
  result_id?: string | undefined;
  decision?: NoteOf<'approval_decision'>['decision'] | undefined;
  feedback?: string | undefined;
  /** The end of the file is lost, and with it whether the call ran. */
  isLost?: true;
  /** What the person made of the input before it ran. */
  edited_input?: unknown;
  summary?: string | undefined;
  /** The session of the agent that the task was given to. */
  session?: string | undefined;
}

/** What a step waited for before it was answered, or ended without an answer. */
export interface Waited {
  /** In all, without what was late. */
  ms: number;
  requests: number;
  /** How much of it servers asked for. */
  asked_ms: number;
  /** How long after a wait was over the request was sent: nobody did, or Bough did not run. */
  late_ms: number;
  /** Images that the server did not accept and that were left out. */
  images: number;
  /** The last wait was ended by the end of the turn. */
  isCancelled: boolean;
  /** Why each request failed that was sent again, or was to be. */
  reasons: string[];
}

/**
 * One row of the transcript. Every kind may carry a picker: a line that has no message begins with what it has. A row of
 * kind `assistant` whose entry has the role tool shows nothing but its picker (a line that ends right at a result).
 */
export type Row = RowBody & {
  fork?: Fork | undefined;
  waited?: Waited | undefined;
  spent?: Spent | undefined;
  /** What became of the goal here, a line each. */
  goals?: readonly string[] | undefined;
};

/** What requests took together. */
export interface Spending {
  requests: number;
  /** What went in and what came out. */
  tokens: number;
  /** In US dollars, of those requests whose cost is known. */
  cost: number;
  /** How many requests those are whose cost nobody knows. */
  unpriced: number;
}

/** The same of a turn, with its requests one by one. `step`: unknown for those that are no step of the turn. */
export interface Spent extends Spending {
  each: { usage: NoteOf<'usage'>; step: number | undefined }[];
}
export type RowBody =
  /** A system message (imported logs) is a row of this kind too: look at the role. */
  | { kind: 'user'; entry: Message }
  | { kind: 'assistant'; entry: Message; cards: ToolCard[] }
  | { kind: 'incomplete'; entry: IncompleteOutput }
  | { kind: 'compaction'; entry: Compaction }
  | { kind: 'branch_summary'; entry: BranchSummary }
  | { kind: 'skill_load'; entry: SkillLoad };
