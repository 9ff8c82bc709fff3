/** What one step comes to, and what one attempt of it came to. */
import type { ModelInfo } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import type { Draft } from '../shared/notes.js';
import type { AttemptResult } from './attempt.js';
import type { SentImage } from './context/attachments.js';
import type { TurnFacts } from './turn-facts.js';

export interface TurnEnd {
  status: 'completed' | 'stopped' | 'failed';
  failure: Failure | null;
}

export type StepResult =
  /** The message asks for tools; it is in the log. */
  | { kind: 'calls' }
  /** The answer, not written yet: it goes into one batch with the step's end. */
  | { kind: 'answered'; batch: Draft[] }
  | { kind: 'ended'; end: TurnEnd; batch: Draft[] }
  /** The server asked for a wait that only the person can end. It is in the log. */
  | { kind: 'parked' }
  /** The window closes; what streamed is in the log. */
  | { kind: 'closed' };

/** All ways a step can end but the good ones. */
export type StepStop = Exclude<StepResult, { kind: 'calls' | 'answered' }>;

/** One attempt with what the log says of the turn after it. */
export interface Attempted {
  attempt_id: string;
  step: number;
  model: ModelInfo;
  /** Those of the request, oldest first. */
  images: readonly SentImage[];
  facts: TurnFacts;
  result: AttemptResult;
}
