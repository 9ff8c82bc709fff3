/** The folders a person has open: their files, and commands that run in them. */
import type { Failure } from '../shared/failure.js';
import type { StyleRun } from '../shared/styled-text.js';
import type { Language } from './language.js';
import type { Web } from './web.js';

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
  /** Colours and weights of `output`. */
  styles?: readonly StyleRun[];
  /** How often lines were written over, as progress bars are: `output` has them as they were last. */
  overwritten?: number;
}

/** Of a command that ran in a terminal of the person's. */
export interface TerminalResult extends Pick<
  CommandResult,
  'output' | 'dropped_bytes' | 'timed_out' | 'elapsed_ms' | 'styles' | 'overwritten'
> {
  /** The name of the terminal. */
  terminal: string;
  /** running: it did not end when it was told to by Ctrl+C. */
  end: 'ended' | 'closed' | 'running';
  /** null when it is not known. */
  exit_code: number | null;
}

export interface RunOptions {
  cwd: WorkspacePath;
  timeoutMs: number;
  /** Lifts the time limit when it aborts. */
  lifted?: AbortSignal;
  signal: AbortSignal;
  /** With the sequences of colours (SGR) and the carriage returns of lines that are written over. */
  onOutput: (chunk: string) => void;
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
  run(command: string, options: RunOptions): Promise<CommandResult | Failure>;
  /** Runs in the person's own terminal, in sight: the signal and the time limit send Ctrl+C, and no more. */
  runInTerminal(command: string, options: RunOptions): Promise<TerminalResult | Failure>;
}
