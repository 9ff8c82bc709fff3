/**
 * Types only: what log, agent, models and tools ask of the world. The host implements them; tests fake them.
 * Five seams: clock, ids, files, model, workspace (a tool is a value behind {@link Tool}).
 */
import type { ApprovalMode } from './shared/approval-state.js';
import type { Failure } from './shared/failure.js';
import type { ReasoningPart, TextPart, ToolCallPart } from './shared/entry.js';
import type { Todo } from './shared/notes.js';

export interface Disposable {
  dispose(): void;
}

export interface Clock {
  /** Wall clock in ms since the epoch: for display, due times and file stamps. May go backwards. */
  now(): number;
  /** Monotonic ms: for measuring how long something took. */
  elapsed(): number;
  /** Calls `fire` once after `ms` (clamped below 2^31). */
  after(ms: number, fire: () => void): Disposable;
}

export interface Ids {
  /** A fresh entry, call, attempt or turn id: 16 lower-case hex characters, random. */
  entry(): string;
  /** A fresh session id: a UUID version 7. */
  session(): string;
}

// ---------------------------------------------------------------------------------------------------------- files

export interface FileStat {
  size: number;
  /** ms since the epoch. */
  mtime: number;
  /** The same of its last change of any kind, which nobody can set; absent where the file system has no such time. */
  changed?: number;
  isFile: boolean;
  isFolder: boolean;
  /** The same as long as the path leads to the same file; absent where files have none. */
  identity?: string;
}

/** One open descriptor. Every call may do less than asked (short reads and writes): callers loop. */
export interface OpenFile {
  read(into: Uint8Array, position: number): Promise<number>;
  /** Appends (the file is open with O_APPEND) or writes at the descriptor's position; returns how many bytes were taken. */
  write(bytes: Uint8Array): Promise<number>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/** The file system as the log uses it: a seam on which tests fail single system calls. Errors carry `code` (errno). */
export interface Files {
  /** `read`: must exist. `append`: O_APPEND, created 0600 when missing. `create`: fails with EEXIST. */
  open(path: string, mode: 'read' | 'append' | 'create'): Promise<OpenFile>;
  read(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<FileStat>;
  list(folder: string): Promise<string[]>;
  /** Creates the folder and its parents, 0700. */
  makeFolder(folder: string): Promise<void>;
  /** Replaces a small file as a whole (temp file, sync, rename, folder sync), 0600. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  removeTree(folder: string): Promise<void>;
  syncFolder(folder: string): Promise<void>;
  realPath(path: string): Promise<string>;
  /** When it says it was changed last: for copies, which are as old as what they were made of. */
  setTime(path: string, mtime: number): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------------- model

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input object. */
  input_schema: Record<string, unknown>;
}

/** What a model is told, provider-neutral and already acceptable to a strict provider (agent/context builds it). */
export type ModelMessage =
  | {
      role: 'user';
      parts: (TextPart | { type: 'image' | 'file'; mime: string; name: string; bytes: Uint8Array })[];
    }
  | {
      role: 'assistant';
      /** `call_id` of a call is what is sent: valid, unique, the same in its result. */
      parts: (TextPart | ReasoningPart | ToolCallPart)[];
    }
  | { role: 'tool'; parts: { call_id: string; name: string; content: string; is_error: boolean }[] };

export interface ModelRequest {
  system: string;
  messages: ModelMessage[];
  tools: ToolSpec[];
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  /** In US dollars, when it is known. */
  cost?: number;
}

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/**
 * One attempt's events. `start` parts and keepalives carry no content and never prevent a retry. It ends with exactly one
 * `finish` or one `failure`; the iterable never throws.
 */
export type ModelEvent =
  | { type: 'response'; status?: number }
  | { type: 'start'; part: 'text' | 'reasoning' | 'tool_call' }
  | { type: 'text'; delta: string }
  | { type: 'reasoning'; delta: string }
  /** Part of a call's arguments as they stream, for display only. */
  | { type: 'tool_input'; index: number; name: string; delta: string }
  /** A whole part, in order; its deltas were seen before (text, reasoning) or not at all. */
  | { type: 'part'; part: TextPart | ReasoningPart | ReceivedCall }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason; usage?: Usage }
  | { type: 'failure'; failure: Failure; usage?: Usage };

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other' | 'unknown';

/** A tool call as received: `raw_input` is the argument text, `input` its value when it parsed as JSON. */
export interface ReceivedCall {
  type: 'tool_call';
  provider_call_id?: string;
  name: string;
  raw_input: string;
  input?: unknown;
  provider_metadata?: Record<string, unknown>;
}

export interface ModelInfo {
  provider: string;
  id: string;
  /** For people: "GPT-5 (OpenAI)". */
  label: string;
  contextWindow?: number;
  maxOutput?: number;
  images?: boolean;
  tools?: boolean;
  /** On loopback: a first byte may take 30 minutes. */
  local?: boolean;
  /** As the person stated it. */
  price?: Price;
  /** Requests with reasoning content belong to this provider + model only. */
  reasoning?: 'off' | 'low' | 'medium' | 'high';
}

export interface Model {
  readonly info: ModelInfo;
  /** Sends one request, no retries. `onBytes` is called for every network chunk, keepalives too. */
  attempt(
    request: ModelRequest,
    options: { signal: AbortSignal; onBytes: () => void },
  ): AsyncIterable<ModelEvent>;
}

/** Finds models by "provider/model" or "auto". A model that cannot be had is a failure with the action that mends it. */
export interface Models {
  resolve(wanted: string): Promise<Model | Failure>;
  /** What the picker offers; asked only when it opens. */
  list(): Promise<ModelInfo[]>;
}

// ------------------------------------------------------------------------------------------------------ workspace

export interface WorkspaceFolder {
  name: string;
  uri: string;
  /** Absolute path on this host; undefined on a virtual file system. */
  path?: string;
}

/** A path that was checked: inside a workspace folder with symlinks resolved. */
export interface WorkspacePath {
  uri: string;
  /** As the person and the model name it: relative to the folder, `folderName/…` in a multi-root workspace. */
  shown: string;
  folder: WorkspaceFolder;
}

export interface WorkspaceText {
  text: string;
  /** SHA-256 of the text of a dirty buffer, else of the bytes on disk. */
  hash: string;
  dirty: boolean;
  bytes: number;
  /** The bytes are not valid in the file's encoding: the text has U+FFFD in their place and must not be written back. */
  lossy?: boolean;
}

export interface FileChange {
  path: WorkspacePath;
  /** null creates (before) or deletes (after) the file. */
  before: string | null;
  after: string | null;
}

export interface AppliedChange {
  path: WorkspacePath;
  /** The text as it stands afterwards, format-on-save included. */
  text: string;
  /** False when the buffer was dirty before: then it is edited and not saved. */
  saved: boolean;
  /** Why it is not saved although it should be: one sentence. The edit then stands in the editor only. */
  problem?: string;
  before_bytes: Uint8Array | null;
  after_bytes: Uint8Array | null;
}

export interface PutChange {
  seen: string | null;
  bytes: Uint8Array | null;
}

export interface PutResult {
  /** As it stands afterwards. */
  hash: string | null;
  /** False when only the editor has it. */
  saved: boolean;
}

export interface SearchQuery {
  pattern: string;
  regex: boolean;
  in?: WorkspacePath;
  maxResults: number;
}
export interface SearchHit {
  path: WorkspacePath;
  /** 1-based. */
  line: number;
  text: string;
}

export interface SearchResult {
  hits: SearchHit[];
  /** There are more than were asked for. */
  more: boolean;
  /** What the search could not look at, in a sentence. */
  note?: string;
}

export interface FileQuery {
  /** A glob as VS Code has them: matched against the path below the folder it is in. */
  pattern: string;
  in?: WorkspacePath;
  maxResults: number;
}

export interface FoundFiles {
  files: WorkspacePath[];
  /** There are more than were asked for. */
  more: boolean;
  /** What could not be looked at, in a sentence. */
  note?: string;
}

export interface Problem {
  path: WorkspacePath;
  /** 1-based. */
  line: number;
  severity: 'error' | 'warning' | 'info' | 'hint';
  message: string;
  /** Who found it: "ts 2304", "eslint". */
  source?: string;
}

export interface FoundSymbol {
  path: WorkspacePath;
  /** 1-based. */
  line: number;
  name: string;
  /** "function", "class". */
  kind: string;
  /** How deep it lies in others; 0 for those found by name. */
  depth: number;
  /** What it lies in, for those found by name. */
  container?: string;
}

/** Where a name is meant: the first place of `symbol` at or after `line`, or the first name on the line. 1-based. */
export interface SymbolPlace {
  symbol?: string;
  line?: number;
}

export interface FoundReferences {
  /** The place that was looked up. */
  of: { line: number; name: string };
  hits: SearchHit[];
  /** Places outside the workspace: they are counted, not told. */
  outside: number;
}

/** What the editor's language services know. Nothing of it waits for a service for longer than a few seconds. */
export interface Language {
  /** What is known now: of one file, else of all files of the workspace that a service has looked at. */
  problems(path?: WorkspacePath): Problem[];
  /** Those of a file after its service has looked at it as it is now. `isSure`: false when it did not answer in time. */
  freshProblems(path: WorkspacePath, signal: AbortSignal): Promise<{ problems: Problem[]; isSure: boolean }>;
  /** The outline of a file. */
  symbols(path: WorkspacePath): Promise<FoundSymbol[] | Failure>;
  findSymbols(query: string): Promise<FoundSymbol[] | Failure>;
  references(path: WorkspacePath, place: SymbolPlace): Promise<FoundReferences | Failure>;
}

/** What is found under an address, as text. */
export interface WebPage {
  /** Where it was found in the end. */
  url: string;
  status: number;
  /** "text/html". */
  type: string;
  text: string;
  /** The page goes on beyond what was read. */
  isCut: boolean;
}

export interface Web {
  /** Whether an address is on this machine or in a private network, as far as its text tells; says what it is. */
  nearby(url: URL): string | null;
  /** Follows redirects within the origin only. */
  open(url: URL, signal: AbortSignal): Promise<WebPage | Failure>;
}

export interface CommandResult {
  exit_code: number | null;
  signal?: string;
  output: string;
  /** Bytes of output that did not fit the cap and were dropped from its middle. */
  dropped_bytes: number;
  timed_out: boolean;
  elapsed_ms: number;
  /** Processes the command left running when it ended; they were ended too. */
  left_running?: number;
}

export interface Workspace {
  folders(): readonly WorkspaceFolder[];
  readonly trusted: boolean;
  /** Refuses (a tool failure) what lies outside the folders, symlinks resolved, for files that do not exist yet too. */
  resolve(path: string): Promise<WorkspacePath | Failure>;
  list(
    folder: WorkspacePath,
  ): Promise<{ name: string; kind: 'file' | 'folder' | 'link'; bytes: number }[] | Failure>;
  /** A failure with code `missing` when there is no such file. */
  read(path: WorkspacePath): Promise<WorkspaceText | Failure>;
  /** null when there is no such file. */
  hash(path: WorkspacePath): Promise<string | null>;
  /** What {@link hash} is the hash of, whatever kind of file it is. null when there is no such file. */
  bytes(path: WorkspacePath): Promise<Uint8Array | null | Failure>;
  /**
   * Puts exactly these bytes in place of what the file holds (null: removes it), if that still has the hash `seen` (null:
   * if there is no such file). Where a buffer has unsaved changes it is changed, and left unsaved.
   */
  put(path: WorkspacePath, change: PutChange): Promise<PutResult | Failure>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult | Failure>;
  /** Files by name. What ignore files and `files.exclude` leave out is left out. */
  find(query: FileQuery, signal: AbortSignal): Promise<FoundFiles | Failure>;
  readonly language: Language;
  readonly web: Web;
  /** Applies through the editor (undo, dirty buffers, format-on-save) and saves what was not dirty before. */
  apply(changes: FileChange[]): Promise<AppliedChange[] | Failure>;
  /** Runs under the supervisor: the whole process group dies with `signal` or with this process. */
  run(
    command: string,
    options: {
      cwd: WorkspacePath;
      timeoutMs: number;
      /** Lifts the time limit when it aborts. */
      lifted?: AbortSignal;
      signal: AbortSignal;
      onOutput: (chunk: string) => void;
    },
  ): Promise<CommandResult | Failure>;
}

// ----------------------------------------------------------------------------------------------------------- tools

export type Risk = 'read' | 'write' | 'run' | 'net';

/** What a tool is about to do, found out without doing anything. */
export interface Prepared {
  tool: string;
  input: unknown;
  /** "Edit src/app.ts", "Run npm test": the sentence of card and approval. */
  sentence: string;
  risk: Risk;
  /** Files it will change, with their state now: an approval expires when one differs. */
  targets: { path: string; hash: string | null }[];
  proposal?: FileChange[];
  /** What a remembered rule is matched against: a path or a command. */
  subject: string;
  /** What only looks itself, but begins something that may do more: its start is durable before it runs. */
  begins?: true;
  /** The person is asked each time, whatever it is: no rule and no mode lets it run without a card. */
  isAlwaysAsked?: boolean;
}

/** A piece of a result that was too long to be told whole. Characters are code points. */
export interface ResultPiece {
  text: string;
  /** Of the first character of `text`. */
  offset: number;
  /** Of the whole result. */
  chars: number;
}

/** A call that goes on, or went on, beside the turn. */
export interface BackgroundCall {
  readonly isRunning: boolean;
  /** The end of what it printed so far; its result when it is over. */
  read(): string;
  /** Resolves when it is over. Never rejects. */
  readonly ended: Promise<void>;
  end(): void;
}

/** A part of a task for an agent of its own. */
export interface SubagentTask {
  task: string;
  /** What it is called, by its part. */
  agent: string;
  /** One of this session that is to go on. */
  session?: string;
}

/** What came of it. */
export interface SubagentEnd {
  /** Its session. */
  session: string;
  status: 'completed' | 'blocked' | 'failed' | 'stopped';
  /** Its last word, or how it failed. */
  summary: string;
  steps: number;
  /** Of all its requests. */
  usage?: Usage;
}

export interface SubagentRun {
  task: string;
  agent: string;
  session: string;
  /** The session that hands the task over. */
  parent: string;
  /** It may do no more than its parent without a card. */
  mode: ApprovalMode;
  model: { provider: string; model_id: string } | null;
}

export interface Subagents {
  /** Resolves when its turn is over, which may wait for the person. Stopped by `signal`. */
  run(
    run: SubagentRun,
    options: { signal: AbortSignal; report: (chunk: string) => void },
  ): Promise<SubagentEnd | Failure>;
}

/** What a tool may ask of the session it runs in. */
export interface ToolSession {
  /** A piece of a result of this session, by the id its mark names. */
  readResult(id: string, offset: number, limit: number): Promise<ResultPiece | Failure>;
  /** A call that was let go on beside the turn, by the id its result named; undefined when none is known by it. */
  background(id: string): BackgroundCall | undefined;
  /** Gives a part of the task to an agent of its own. Only while the call runs. */
  delegate(
    task: SubagentTask,
    options: { signal: AbortSignal; report: (chunk: string) => void },
  ): Promise<SubagentEnd | Failure>;
}

export interface ToolContext {
  workspace: Workspace;
  session: ToolSession;
  signal: AbortSignal;
  /** What the person wrote when they let it run. */
  said?: string;
  /** Aborts when the person lets the call go on beside the turn: its time limit does not count any more. */
  aside: AbortSignal;
  /** Live output, for display only. */
  report: (chunk: string) => void;
}

/** Instructions for a kind of task, as they are offered: what they are for. */
export interface SkillInfo {
  name: string;
  description: string;
  /** False: only the person loads it. */
  isForModel: boolean;
  /** False: it is not offered to the person. */
  isForPerson: boolean;
}

export interface LoadedSkill {
  name: string;
  description: string;
  body: string;
  /** Where its other files lie, as they are named to the model. */
  resource_base?: string;
}

/** Skills of the trusted folders and of the person; looked for anew each time. */
export interface Skills {
  /** In a stable order, each name once. */
  list(): Promise<readonly SkillInfo[]>;
  /** One that only the person loads is none to the model, and its name is not told. */
  load(name: string, asker: 'model' | 'person'): Promise<LoadedSkill | Failure>;
  /** The text of one of its own files, by its path in the skill's folder; nothing outside of that. */
  file(name: string, path: string): Promise<string | Failure>;
}

export interface ToolOutcome {
  content: string;
  is_error: boolean;
  /** One line for the card: "12 entries", "+12 −3", "exit 1 · 4 s". */
  outcome?: string;
  changes?: AppliedChange[];
  /** The whole to-do list as it is now. */
  todos?: Todo[];
  /** What the model sees beside the text. */
  pictures?: { mime: string; name: string; bytes: Uint8Array }[];
  /** Stands in the conversation from now on. */
  skill?: LoadedSkill;
  /** The turn ends with this call. */
  finish?: { status: 'completed' | 'blocked'; summary: string };
}

export interface Tool {
  readonly spec: ToolSpec;
  readonly risk: Risk;
  /** Checks the input and the paths. Has no effects. A failure becomes an error result without a card. */
  prepare(input: unknown, context: ToolContext): Promise<Prepared | Failure>;
  run(prepared: Prepared, context: ToolContext): Promise<ToolOutcome>;
}

/** Distinguishes a failure from a value of any port. */
export type Outcome<T> = T | Failure;
