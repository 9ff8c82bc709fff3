/** What the agent needs and what it offers: the seam between `agent` and `host`. */
import type { SessionLog } from '../log/store.js';
import type {
  Clock,
  Disposable,
  Ids,
  Models,
  Outcome,
  Risk,
  Skills,
  Subagents,
  Tool,
  Workspace,
} from '../ports.js';
import type { ApprovalMode, SessionRule } from '../shared/approval-state.js';
import type { GivenMessage } from './history.js';
import type { FileDifference, FileToRestore, RestoreOutcome } from './files.js';
import type { FileChangeOfLine } from './review.js';
import type { Redact } from './secrets.js';
import type { TurnTerms } from './turn-terms.js';
import type { Failure } from '../shared/failure.js';
import type { GoalView } from '../shared/goal.js';
import type { NoteOf } from '../shared/notes.js';
import type {
  DroppedView,
  GrowingView,
  Intent,
  InterruptedView,
  Mention,
  ProgressView,
  RunState,
  SentFile,
} from '../shared/protocol.js';

/** AGENT §3 and §4. All in ms; unset, zero and negative mean the default, except `maxResumes` (−1 turns resumes off). */
export interface RetryPolicy {
  maxAttempts: number;
  initialDelay: number;
  maxDelay: number;
  maxElapsed: number;
  maxResumes: number;
  resumeInitialDelay: number;
  resumeMaxDelay: number;
}

/** Read before each request, so that changed settings apply without a reload. */
export interface AgentSettings {
  retry: RetryPolicy;
  /** ms without a byte once a stream began. */
  idleTimeout: number;
  maxSteps: number;
  /** ms; 0 = none. Waiting for a person does not count. */
  maxDuration: number;
  /** US dollars a turn may cost, as far as costs are known; 0 = without limit. */
  maxCost: number;
  /** How often a turn may go on by itself while its to-do list is not done; 0 = never. */
  maxContinuations: number;
  /** Share of the model's window above which the conversation is summarised before the next request. */
  compactAt: number;
  /** Bytes of a tool's result above which the model is told its head and tail alone, and how to read on. */
  offloadBytes: number;
  /** About how many tokens of its end a compaction keeps as they are. */
  keepRecentTokens: number;
  /** "provider/model" or "auto", for a session that has no choice of its own yet. */
  model: string;
}

/** Remembered approvals, kept outside the repository, as patterns. */
export interface ApprovalRules {
  /** By the person's settings, or by the rules that were given for the session. */
  allows(call: { tool: string; risk: Risk; subject: string }, ofSession: readonly SessionRule[]): boolean;
  /** `workspace` and `always` go to the person's settings; a rule that only the session may keep is given back. */
  /** What {@link remember} would allow, in words a person can read: no argument of a command is in them. */
  describe(call: { tool: string; subject: string }): string;
  remember(
    call: { tool: string; subject: string },
    scope: 'session' | 'workspace' | 'always',
  ): Promise<SessionRule | null>;
}

/** Facts for the system prompt. */
export interface Surroundings {
  system: string;
  shell: string;
  /** ISO date (day). */
  date: string;
  /** Those at the roots of the folders, in order. */
  instructions: { path: string; text: string }[];
  /** Those further down, by path: read when something below their folder is worked on. Absent: none. */
  nested?: readonly NestedInstructions[];
}

/** An AGENTS.md below the root of a folder. */
export interface NestedInstructions {
  /** "packages/app/AGENTS.md", as files are named to the model. */
  path: string;
  /** Undefined when it is gone. */
  read: () => Promise<string | undefined>;
}

export interface AgentParts {
  models: Models;
  tools: readonly Tool[];
  workspace: Workspace;
  clock: Clock;
  ids: Ids;
  settings: () => AgentSettings;
  rules: ApprovalRules;
  /** Undefined where sessions cannot have any. */
  subagents?: Subagents | undefined;
  /** The log lies elsewhere than ours: who wrote it is not known. */
  isForeign?: boolean;
  surroundings: () => Promise<Surroundings>;
  /** Resolves when tools that are on their way are here, or have been waited for for long enough. Absent: none are. */
  toolsReady?: () => Promise<void>;
  /** Absent: there are none. */
  skills?: Skills;
  /** Random in [0, 1) for jitter. */
  random: () => number;
  redact: Redact;
  /** Redacted, one line an event; goes to the output channel. */
  log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void;
}

export type AgentEvent =
  | { type: 'run'; run: RunState }
  /** `growing()` changed. */
  | { type: 'growing' }
  | { type: 'growing_end'; attempt_id: string }
  /** `dropped()` changed. */
  | { type: 'dropped' }
  | { type: 'progress' }
  /** Another line is shown: the person went there, or had a turn begin on it. */
  | { type: 'line' }
  | { type: 'retry'; attempt: number; delay_ms: number; due_at: string; reason: string }
  | { type: 'resume'; step: number; resume: number; delay_ms: number; due_at: string; reason: string }
  /** A turn ended, or could not go on: `failure` when it did not end well. */
  | {
      type: 'turn_end';
      turn_id: string;
      failure: Failure | null;
      /** What came at its end could not be written either. */
      save_failure?: Failure;
      /** Text of the step that did not finish, whether it could be written or not. */
      partial?: PartialText;
    };

/** What one attempt streamed before it broke off. */
export interface TriedText {
  attempt_id: string;
  text: string;
  reasoning: string;
}

/** Text of an attempt that did not end well. */
export interface PartialText extends TriedText {
  /** Of the attempts of the same step before it, oldest first, when it does not hold them. */
  earlier?: readonly TriedText[];
}

/** One session with, at times, a run. Lives in the extension host whatever the views do. */
export interface AgentSession {
  readonly log: SessionLog;
  run(): RunState;
  /** Nothing goes on before the person has decided, here or in a session that a task was given to. */
  isWaiting(): boolean;
  interrupted(): InterruptedView | null;
  /** How the last turn on this path failed, until something newer happens. */
  failure(): Failure | null;
  growing(): GrowingView | null;
  /** What had streamed of the open step before its last attempt broke off, until the next brings something. */
  dropped(): DroppedView | null;
  progress(): ProgressView[];
  /** "provider/model" chosen for this session, or the setting. */
  model(): string;
  /** What runs without a card. */
  mode(): ApprovalMode;
  /** A summary is being made. */
  isCompacting(): boolean;
  /** What is so of the goal of this line; null when it has none. */
  goal(): GoalView | null;
  /** The AGENTS.md files that the last request carried, or the next one would. */
  instructions(): readonly SentFile[];
  /** Finds out anew what {@link instructions} are; listeners are told when they are others. */
  lookAround(): Promise<void>;

  /**
   * Called once after the log was opened: turns a journal left by a dead process into `incomplete_output` (when the lease
   * is free), takes up waits that are due (AGENT §4) and sends nothing else by itself.
   */
  recover(): Promise<void>;
  /** Carries out what the person asked. Resolves when it is durable, not when the turn has ended. */
  dispatch(intent: Intent, expectedHead?: string | null): Promise<Outcome<{ entry_id?: string }>>;
  /** A prompt by the agent that hands a task over, as a turn of its own; refused while one runs. */
  assign(task: string): Promise<Outcome<{ entry_id?: string }>>;
  /** A prompt by another extension for the person, as a turn of its own under these terms; refused while one runs. */
  prompt(
    text: string,
    terms: TurnTerms,
    mentions?: readonly Mention[],
  ): Promise<Outcome<{ entry_id?: string }>>;
  /** How a turn of this session began, with its terms. */
  turnStart(turn_id: string): Promise<NoteOf<'turn_start'> | undefined>;
  /**
   * These messages in place of the conversation, as a new root; the old lines stay. Approvals that wait end as abandoned;
   * refused while a turn runs.
   */
  setHistory(messages: readonly GivenMessage[]): Promise<Outcome<{ entry_id?: string }>>;
  /** A note of another extension on this line. */
  addExtensionData(ext_type: string, data: unknown): Promise<Outcome<void>>;
  /** From here on, answers of this line carry this `agent_id`. */
  bindAgent(agent_id: string): Promise<Outcome<void>>;
  /** The files that do not have what the line to `head` (default: the log's own) says. Nothing is written. */
  fileDifferences(head?: string | null): Promise<FileDifference[]>;
  /** Puts files back, each only if it still is what the person saw; the log is told what was replaced by what. */
  restoreFiles(files: readonly FileToRestore[]): Promise<Outcome<RestoreOutcome>>;
  /** What this line made of its files and the person did not keep yet; with `turn_id` all that this turn made of them. */
  fileChanges(turn_id?: string): Promise<FileChangeOfLine[]>;
  /** The person keeps what the line made of these files. */
  keepFiles(files: readonly FileChangeOfLine[]): Promise<Outcome<void>>;
  /**
   * About how many tokens a request of the line on show takes, with instructions and tools: what a compaction counts by. For
   * models that report none. Nothing is written or sent.
   */
  estimateTokens(): Promise<number>;
  /** The text of a summary of a part of one line. Nothing is written. */
  summarizeBranch(range: { from_id: string; to_id: string }, focus?: string): Promise<Outcome<string>>;
  /** Fixed per session by a `model_change` note. */
  selectModel(provider: string, model_id: string): Promise<Outcome<void>>;
  /** Resolves when no run is in progress (waiting for a person is none). */
  settled(): Promise<void>;
  on(listener: (event: AgentEvent) => void): Disposable;
  /** On deactivate: aborts the attempt, writes what was streamed as `closed`, no `turn_end`. At most 3 s. */
  shutdown(): Promise<void>;
}
