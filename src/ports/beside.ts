/** What goes on beside a turn: calls set aside, and tasks for agents of their own. */
import type { ApprovalMode } from '../shared/approval-state.js';
import type { Failure } from '../shared/failure.js';
import type { Usage } from './model.js';

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
  /** Goes on beside the turn; what comes of it is told when it is over. */
  isBeside?: boolean;
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
  /** Resolves when its turn is over, which may wait for the person: `onWaiting` says so. Stopped by `signal`. */
  run(
    run: SubagentRun,
    options: {
      signal: AbortSignal;
      report: (chunk: string) => void;
      onWaiting: (isWaiting: boolean) => void;
    },
  ): Promise<SubagentEnd | Failure>;
}
