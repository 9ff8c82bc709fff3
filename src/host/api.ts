/**
 * What `activate()` gives to other extensions:
 * `vscode.extensions.getExtension('bough.bough').activate()`. Everything is asynchronous: Bough loads the rest of itself
 * when the first call needs it. Errors are `BoughError`s with a `code` ({@link ApiError}), or a `TurnError` that
 * carries the result. A
 * call that is about a session and names none fails with `NoSession`, one that names a session that is not there with
 * `SessionNotFound`.
 */
import type { GivenMessage } from '../agent/history.js';
import type { RetryPolicy } from '../agent/types.js';
import type { SessionSummary } from '../log/store.js';
import type { CustomStore } from '../log/custom-store.js';
import type { PrunePolicy, PruneReport } from '../log/upkeep.js';
import type { Disposable } from '../ports.js';
import type { Message } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import type { RunState } from '../shared/protocol.js';
import type { PlatformPolicy } from '../shared/route.js';
import type {
  PromptOptions,
  ResumeEvent,
  RetryEvent,
  RunSummary,
  TurnResult,
  TurnRoute,
} from './api-turn-types.js';

export type * from './api-turn-types.js';

/** Calls of a session that {@link BoughApi} also takes for the current one. */
export type CurrentSessionCall =
  | 'prompt'
  | 'turnRoute'
  | 'branch'
  | 'navigate'
  | 'summarizeBranch'
  | 'collapseBranch'
  | 'setName'
  | 'setTags'
  | 'bindAgent'
  | 'clear'
  | 'history'
  | 'entries'
  | 'runSummary'
  | 'setHistory'
  | 'pendingApprovals'
  | 'resume'
  | 'dismiss';

/**
 * As in {@link BoughSession}, for the session that `open` gave last, by whomever it was called, or else the one in the
 * chat panel. Whoever works with several holds on to what `open` gave. `NoSession` when nothing was opened and nothing
 * was said in the panel yet; a prompt begins its session.
 */
export type CurrentSession = {
  [Name in CurrentSessionCall]: (
    ...given: Parameters<BoughSession[Name]>
  ) => Promise<Awaited<ReturnType<BoughSession[Name]>>>;
} & Pick<BoughSession, 'extensionData'>;

export interface BoughApi extends CurrentSession {
  /**
   * The same API for one extension alone, by its id (`publisher.name`); take this one unless your extension works on the
   * person's own sessions. What it begins or forks belongs to that extension, in the log too. It opens, lists, changes,
   * deletes and prunes only that, hears of nothing else, and its current session is never another's: the person's, and
   * other extensions', are refused with AccessDenied. The person sees all sessions, each with whose it is.
   *
   * @throws BoughError InvalidArgument when no extension of this id is installed; AccessDenied from another's API
   */
  forExtension(id: string): BoughApi;
  /** What `open` gave last; undefined before. */
  readonly session: BoughSession | undefined;
  /**
   * Opens a session: the one named, the last one of this folder with `continueLast`, else a new one. It is not shown
   * unless `show` says so. One that fails with SessionStale goes on with what this gives. Nothing is on disk until its first message.
   */
  open(options?: OpenOptions): Promise<BoughSession>;
  /** Sessions of the folder of this URI (default: those of this window), newest first, archived ones included. */
  listSessions(folder?: string): Promise<SessionSummary[]>;
  /** Sessions of all folders, newest first; also those in memory and in stores of extensions. */
  listAllSessions(): Promise<SessionSummary[]>;
  /** A page of `listSessions`, of those that were asked for. @throws BoughError InvalidArgument for a wrong limit or cursor */
  findSessions(query?: SessionQuery): Promise<{ sessions: SessionSummary[]; cursor?: string }>;
  /** For good, with everything that belongs to it. Idempotent. */
  deleteSession(id: string): Promise<void>;
  /**
   * A new session with a copy of one line: up to the entry `at`, or up to before the entry `before`, by default up to
   * its head. Waits until a running turn has settled. @throws BoughError ResumeRequired while an approval is pending
   */
  fork(id: string, options?: { at?: string; before?: string; title?: string }): Promise<BoughSession>;
  /** An archived session stays listed and takes nothing more. @throws BoughError SessionRunning */
  archive(id: string): Promise<void>;
  unarchive(id: string): Promise<void>;
  /**
   * Sessions that `open` begins from now on are kept in this store, and its sessions are listed beside those on disk, until
   * it is disposed of. `path`, `continueLast`, `ephemeral` and `folder` do not count with it.
   */
  registerStore(store: CustomStore): Promise<Disposable>;
  /**
   * A tool that the model gets beside Bough's own, in all sessions of this window until it is disposed of. Its calls stand
   * in the log and ask like ours, by their risk. @throws BoughError InvalidArgument when the name is taken or no name
   */
  registerTool(tool: ExtensionTool): Promise<Disposable>;
  /**
   * How delivery ids of this platform collapse to sessions, over the setting `bough.sessions.scope`: `scope` channel,
   * thread or user; `activeEntry` by which id a fresh session is found again. What was registered last counts.
   */
  registerPlatformPolicy(platform: string, policy: PlatformPolicy): Promise<Disposable>;
  /**
   * Deletes by age, in milliseconds; zero deletes nothing. With `dryRun` it says what would go. Of a registered store only
   * whole sessions go. What runs, is on show, waits
   * for an approval or carries a goal stays; what another extension holds alone goes, and its calls fail with SessionStale.
   */
  prune(policy: PrunePolicy, options?: { dryRun?: boolean }): Promise<PruneReport>;
  /**
   * Every entry that is appended to a session of this window, after it is durable, with its place in the log. What came
   * while nobody listened is in `entries` of the session.
   */
  onEntry(listener: (event: { session: string; position: number; entry: Entry }) => void): Disposable;
  /** Before each wait between two requests; it does not promise that the next request starts. */
  onRetry(listener: (event: RetryEvent) => void): Disposable;
  /** Before a step is started again that had shown output. */
  onStepResume(listener: (event: ResumeEvent) => void): Disposable;
  /** The run that matters most in this window. */
  runState(): RunState;
  /** As the settings have it now. */
  retryPolicy(): RetryPolicy;
}

export interface OpenOptions {
  /** An exact key: not blank, no white space around it. */
  session?: string;
  /** A log wherever it lies, by its absolute path. */
  path?: string;
  continueLast?: boolean;
  /** Kept in memory only: nothing of it is on disk. */
  ephemeral?: boolean;
  /** URI of another folder whose session is meant; a new one begins there. A folder that Bough does not know is an error. */
  folder?: string;
  /** The session that a place outside the editor talks to. With `session`, `path` or `continueLast` it is an error. */
  route?: OpenRoute;
  /**
   * Begins a new session with these messages. With `session`, `path` or `continueLast` it is an error: a conversation
   * comes from one place.
   */
  history?: readonly HistoryMessage[];
  /**
   * How requests of this session are sent again: what is given here counts over the settings, zero as Bough's own default,
   * until the window closes or the session is opened with another.
   */
  retryPolicy?: Partial<RetryPolicy>;
  show?: boolean;
}

export interface SessionQuery {
  /** URI; default: those of this window. */
  folder?: string;
  /** Default: those that are not. */
  archived?: boolean | 'all';
  /** Id of the extension that they belong to. */
  owner?: string;
  /** They have all of these. */
  tags?: readonly string[];
  /** In the title or said in the session, in any case. */
  text?: string;
  /** Default 50, at most 200. */
  limit?: number;
  /** Of the page before. */
  cursor?: string;
}

export interface ExtensionTool {
  /** Letters, digits, _ and -, at most 64; begin it with your extension's name. */
  name: string;
  /** What the model is told it does. */
  description: string;
  /** JSON Schema of an object. Check the input yourself: a model may send something else. */
  inputSchema: Record<string, unknown>;
  /** What runs without asking: `read` always; `write` when edits are accepted; `run` and `net` by a rule of the person. */
  risk: 'read' | 'write' | 'run' | 'net';
  /** One sentence for card and approval; default: the name and the beginning of the input. */
  describe?: (input: Record<string, unknown>) => string;
  /**
   * What is thrown becomes an error result. Let go when the signal says so: the turn does not wait. `operationKey` is the
   * same each time an iteration of a goal is tried, so that what acts on the outside can tell that it did so already.
   */
  run: (
    input: Record<string, unknown>,
    context: { signal: AbortSignal; report: (chunk: string) => void; operationKey?: string },
  ) => Promise<string | { text: string; isError?: boolean }>;
}

export interface OpenRoute {
  /** `platform:channel[:t:thread][:u:user]`; a colon in a segment is percent-encoded. Answers go to the whole of it. */
  delivery: string;
  /** Who writes, where the delivery id names no user. */
  sender?: string;
  /** A fresh session, for this place alone (what `/new` does). */
  fresh?: boolean;
}

export interface BoughSession {
  readonly id: string;
  /** Path of the log; undefined until something is written. */
  readonly path: string | undefined;
  /** "provider/model", as chosen for this session. */
  readonly model: string;
  readonly title: string;
  /** Entry id of where the conversation goes on; null before the first message. */
  readonly head: string | null;
  runState(): RunState;
  /** What the line says of the work on its last prompt, from the log alone: the same after a restart. */
  runSummary(): Promise<RunSummary>;
  /**
   * Sends a prompt and resolves when its turn has ended. Approvals are asked for in the chat as ever.
   *
   * @throws TurnError when the turn did not end well; its `result` has what there is. ApiError SessionRunning while
   * another turn runs, ResumeRequired while an approval waits
   */
  prompt(text: string, options?: PromptOptions): Promise<TurnResult>;
  /**
   * Where the prompt of a turn came from, as `route` of its prompt said: for whoever hears of a turn (`onEntry`) and has to
   * answer, after a restart too. Undefined for turns whose prompt said nothing of it, and those that are not there.
   */
  turnRoute(turnId: string): Promise<TurnRoute | undefined>;
  /**
   * The next prompt goes on from this entry; on a message with tool calls, from behind their results. Durable. What is
   * there stays; an approval that waits expires. @throws ApiError SessionRunning while a turn runs
   */
  branch(entryId: string): Promise<void>;
  /** As `branch`; null goes to before the first message. */
  navigate(entryId: string | null): Promise<void>;
  /** The text of a summary of a part of one line, by the session's model. Writes nothing. */
  summarizeBranch(fromId: string, toId: string, options?: { focus?: string }): Promise<string>;
  /**
   * From now on the model is told a summary in place of the range (widened to whole steps); the originals stay. With
   * `summary` no model is asked. @returns the entry id of the summary
   */
  collapseBranch(
    fromId: string,
    toId: string,
    options?: { focus?: string; summary?: string },
  ): Promise<string>;
  /** What the session is called from now on, in place of a title made from its first prompt. */
  setName(name: string): Promise<void>;
  /** By which `findSessions` finds it; of the session as a whole. */
  readonly tags: readonly string[];
  /** In place of those it has: trimmed, each once. */
  setTags(tags: readonly string[]): Promise<void>;
  /** The agent of yours that this line is bound to; null when it is to none. */
  readonly agentId: string | null;
  /**
   * Binds the line to an agent of yours, by an id of your choosing: answers from here on carry it as `agent_id`, in
   * `history` too. Kept over `clear` and by forks; each branch has its own.
   */
  bindAgent(agentId: string): Promise<void>;
  /** Waits for the run, empties the queue and goes to before the first message. What was said stays in the log. */
  clear(): Promise<void>;
  /**
   * The messages of the line, root first, as deep copies. A long text that is damaged is there with its beginning and says
   * so; a long input keeps its `blob` and `preview`.
   */
  history(): Promise<Message[]>;
  /** How many entries the log holds, all lines and notes included: the place of the next one. */
  readonly position: number;
  /**
   * All that the log holds, every line and note, in the order of the file, as deep copies: from the place `from` on (by
   * default the first), at most `limit`. `parent_id` makes the tree of it. A text too long for a line is there as its
   * `blob` and `preview`.
   */
  entries(options?: { from?: number; limit?: number }): Promise<{ position: number; entry: Entry }[]>;
  /**
   * These messages in place of the conversation, as a new root in the log; the old lines stay. Empty ones are dropped, the
   * order is kept, call ids are made anew, approvals that wait end as abandoned. @throws ApiError SessionRunning
   */
  setHistory(messages: readonly HistoryMessage[]): Promise<void>;
  /** What extensions keep with the line the conversation is on; each branch has its own. */
  readonly extensionData: {
    /** Of this type, oldest first, as deep copies. */
    get(type: string): Promise<unknown[]>;
    /** Of all types but Bough's own, oldest first, as deep copies. */
    all(): Promise<{ type: string; data: unknown }[]>;
    /** `type` begins with your extension's id; JSON only. */
    add(type: string, data: unknown): Promise<void>;
  };
  /** Tool calls that wait for a decision. They also stand in the chat. */
  pendingApprovals(): ApprovalWaiting[];
  /**
   * Decides, runs exactly what was allowed, once, and resolves when the turn has ended. What is not decided here goes on
   * waiting. @throws TurnError as `prompt`
   */
  resume(answers: readonly ApprovalAnswer[], options?: { signal?: AbortSignal }): Promise<TurnResult>;
  /** Closes what waits, and its turn with it: nothing is run and nothing is sent. */
  dismiss(): Promise<void>;
}

/** What `history` gives, or less: of a message only `role` and `parts` are needed. */
export type HistoryMessage = GivenMessage;

export interface ApprovalWaiting {
  callId: string;
  tool: string;
  /** One sentence: what would happen. */
  summary: string;
  risk: 'read' | 'write' | 'run' | 'net';
  input: unknown;
  /** Files it would change. */
  targets: string[];
  /** ISO 8601. */
  since: string;
}

export interface ApprovalAnswer {
  callId: string;
  decision: 'allow' | 'deny';
  /** Default: once. */
  scope?: 'once' | 'session' | 'workspace' | 'always';
  /** What the model is told with it. */
  feedback?: string;
  /** With `allow`: what runs in place of the input that was proposed. */
  editedInput?: Record<string, unknown>;
}

/** Why a call was refused. `code` is one of `BoughError`, or says more closely why an intent cannot be carried out. */
export interface ApiError extends Error {
  readonly name: 'BoughError';
  readonly code: string;
  readonly failure: Failure;
}
