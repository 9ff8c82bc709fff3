/** A tool, what it is told, and what it gives back. */
import type { Failure } from '../shared/failure.js';
import type { Todo } from '../shared/notes.js';
import type { StyleRun } from '../shared/styled-text.js';
import type { BackgroundCall, SubagentEnd, SubagentTask } from './beside.js';
import type { ToolSpec } from './model.js';
import type { LoadedSkill } from './skills.js';
import type { AppliedChange, FileChange, Workspace } from './workspace.js';

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
  /** Where the person wants a command to run; absent: in a process of ours. */
  place?: 'terminal';
  /**
   * The same each time an iteration of a goal is tried, and in no other: what acts on the outside can tell by it that it
   * did so already. Absent in turns that belong to no goal.
   */
  operation_key?: string;
  /** Aborts when the person lets the call go on beside the turn: its time limit does not count any more. */
  aside: AbortSignal;
  /** Live output, for display only; colours (SGR) and lines that are written over may be in it. */
  report: (chunk: string) => void;
}

export interface ToolOutcome {
  content: string;
  is_error: boolean;
  /** One line for the card: "12 entries", "+12 −3", "exit 1 · 4 s". */
  outcome?: string;
  changes?: AppliedChange[];
  /** Colours and weights of `content`, for display only. */
  styles?: readonly StyleRun[];
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
