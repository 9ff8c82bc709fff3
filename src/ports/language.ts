/** What the editor knows of code: problems, names, and where they are used. */
import type { Failure } from '../shared/failure.js';
import type { SearchHit, WorkspacePath } from './workspace.js';

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
  freshProblems(
    path: WorkspacePath,
    signal: AbortSignal,
  ): Promise<{
    problems: Problem[];
    isSure: boolean;
    /** It stands in a tab: some services look at no other files. Absent: not known. */
    isInTab?: boolean;
  }>;
  /** The outline of a file. */
  symbols(path: WorkspacePath): Promise<FoundSymbol[] | Failure>;
  findSymbols(query: string): Promise<FoundSymbol[] | Failure>;
  references(path: WorkspacePath, place: SymbolPlace): Promise<FoundReferences | Failure>;
}
