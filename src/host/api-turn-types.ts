/** What a prompt of another extension takes, and what its turn gives and tells on the way. Part of the types in `api.ts`. */
import type { Message, Part } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import type { UsageTotals } from '../shared/fold/types.js';
import type { Todo } from '../shared/notes.js';

export interface PromptOptions {
  /** Stops the turn. */
  signal?: AbortSignal;
  /**
   * The model has to declare the outcome with its tool `finish`: as long as it does not, the turn is continued, up to the
   * setting `bough.turn.maxContinuations` (0: it is not). See `finish` of the result. Refused (InvalidArgument) when the session's model calls no tools.
   */
  requireFinish?: boolean;
  /** Where the prompt came from. It is kept with the turn and chooses no session: that is what `open` does. */
  route?: PromptRoute;
}

export interface PromptRoute {
  /** As in `OpenRoute`. */
  delivery: string;
  /** Who writes, where the delivery id names no user. */
  sender?: string;
  /** What the answer refers to there, such as the id of a message. Yours: Bough only keeps it. */
  replyTo?: string;
}

export interface TurnRoute {
  /** The whole delivery id, with the sender where it named no user: answers go there. */
  delivery: string;
  replyTo?: string;
}

export interface TurnResult {
  /** Text of the turn's last answer. */
  text: string;
  /** Completed messages of the turn, the prompt first; never partial text. */
  messages: Message[];
  /**
   * Parts of the completed answers, then those of the last attempt when it did not end well. What a step brought before
   * it was started again is not in it.
   */
  stream: Part[];
  /** The turn was stopped or failed. */
  incomplete: boolean;
  /** Text of the step that did not finish, also when it could not be saved. */
  partialText: string;
  attemptId: string | undefined;
  usage: UsageTotals;
  /** The outcome that the model declared; undefined when it declared none. */
  finish: { status: 'completed' | 'blocked'; summary: string } | undefined;
  /** Where the prompt of this turn came from, when it said so. */
  route: TurnRoute | undefined;
}

export interface RunSummary {
  /** Entry id of the prompt; null before the first. What follows is since then, continuations of the turn included. */
  promptId: string | null;
  /** Steps that were completed. */
  steps: number;
  /** The to-do list of the line. */
  todos: Todo[];
  /** What of it is not done. */
  pending: Todo[];
  /** The outcome that the model declared; undefined when it declared none. */
  finish: { status: 'completed' | 'blocked'; summary: string } | undefined;
  /** How often the turn was continued by itself. */
  continuations: number;
  /** How often in a row the last tool call was made with the same input; 0 when there was none. */
  repeats: number;
  usage: UsageTotals;
  /** Tokens of the line's last request and its answer, as reported: how full the window is. Undefined before. */
  contextTokens: number | undefined;
  /** Text of the last answer. */
  text: string;
}

/** Both the failure and what the turn brought before it. */
export interface TurnError extends Error {
  readonly name: 'TurnError';
  /** As of an `ApiError`: why the turn failed, more closely where that is known than by the kind of failure. */
  readonly code: string;
  readonly failure: Failure;
  /** The partial text could not be saved either, and why. */
  readonly saveFailure?: Failure;
  readonly result: TurnResult;
}

export interface RetryEvent {
  session: string;
  /** 1 = the first retry of this request. */
  attempt: number;
  delayMs: number;
  /** ISO 8601. */
  dueAt: string;
  reason: string;
}

export interface ResumeEvent {
  session: string;
  step: number;
  resume: number;
  delayMs: number;
  dueAt: string;
  reason: string;
}
