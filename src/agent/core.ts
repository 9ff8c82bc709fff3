/** What the parts of one session share. Nothing here outlives the log but what a failed write kept from it. */
import type { AppendOptions, Blobs, SessionLog, StreamJournal } from '../log/store.js';
import type { Disposable } from '../ports.js';
import type { Failure, FailureAction } from '../shared/failure.js';
import type { RunState } from '../shared/protocol.js';
import type { CallState, PathState } from '../shared/fold/types.js';
import type { Draft, Entry } from '../shared/notes.js';
import type { Background } from './background.js';
import type { Gate } from './gate.js';
import type { Guidance } from './guidance.js';
import type { LeaseHold } from './lease-hold.js';
import type { Live } from './live.js';
import type { AgentParts, PartialText } from './types.js';

export type StopReason = 'stopped' | 'closed' | 'deadline';

/** `error`: why its attempt failed, when it did. */
export type Partial = PartialText & { error?: string };

/** A wait that goes on now. */
export interface LiveWait {
  /** The server asked for (a part of) it. */
  isServers: boolean;
  due_at: string;
  /** ms until the server permits a request; 0 when it does already. */
  forbiddenFor(): number;
  skip(): void;
}

/** A turn being executed in this process. */
export interface Run {
  readonly turn_id: string;
  readonly signal: AbortSignal;
  /** Aborts everything below; the first reason counts. */
  stop(reason: StopReason): void;
  stopReason(): StopReason | null;
  readonly phase: RunState;
  /** Says what the run does now, unless it is stopping. */
  enter(phase: RunState): void;
  wait: LiveWait | null;
  /** The call that runs now; ending it does not end the turn. */
  call: { call_id: string; end(): void; putAside: (() => void) | null } | null;
  /** The last text of the open step that is in no entry yet. */
  partial: Partial | null;
  /** How the turn failed, once that is known and while it is being written. */
  ending: Failure | null;
  /** `clock.elapsed()` when the last attempt began, then when it ended; null when none did in this process. */
  lastAttempt: number | null;
  /** When the first attempt of the request that is open now began. */
  requestBegan: number | null;
  /** ms until the turn's deadline, or Infinity. */
  remaining(): number;
  /** Its deadline does not come nearer: the person is waited for somewhere below. */
  pause(): Disposable;
  readonly isPaused: boolean;
  /** Resolves when the run has ended, whatever the end. Never rejects. */
  done: Promise<void>;
}

/** What a failed write kept out of the log: the next write of this session brings it along. */
export interface Unsaved {
  turn_id: string;
  partial: Partial | null;
  /** Results of calls that did run, with what belongs to them, by call id. */
  results: Map<string, Draft[]>;
  reason: string;
}

/** What a session knows of its goal beside the log. */
export interface GoalMemory {
  /** The goal that goes on in this window when a turn has ended well. */
  driven: string | null;
  /** It is to pause when what runs has ended, and why. */
  hold: string | null;
  /** Why it does not go on, or has to be looked at once more, when no note says it. */
  trouble: string | null;
  /** Where that can be mended for which it could not be found out whether it is reached. */
  action: { goal_id: string; does: FailureAction } | null;
  /** The run that goes on looks at what was reached. */
  isChecked: boolean;
  /** Nothing runs in this moment, but something of it begins next. */
  isGoingOn: boolean;
}

export interface EndedTurn {
  turn_id: string;
  status: 'completed' | 'stopped' | 'failed';
  failure: Failure | null;
  /** The person stopped it, if only when its answer was complete. */
  isStopped: boolean;
}

/** What may follow a turn; it knows of none of it. All in the gate. */
export interface AfterTurn {
  mayGoOn(turn_id: string): boolean;
  takeEnd(ended: EndedTurn): Promise<void>;
  /** Nothing that the person said is next. */
  goOn(): Promise<void>;
}

export interface Core {
  readonly log: SessionLog;
  /** Those of the log; what is put there holds no key. */
  readonly blobs: Blobs;
  readonly journal: StreamJournal;
  readonly parts: AgentParts;
  readonly live: Live;
  readonly gate: Gate;
  readonly lease: LeaseHold;
  run: Run | null;
  failure: Failure | null;
  unsaved: Unsaved | null;
  /** Where in the file the turn begins that was last asked about. */
  turnPlace: { turn_id: string; position: number } | null;
  /** ms that the turn ran in this process before it waited for the person. */
  spent: { turn_id: string; ms: number } | null;
  /** Another window holds the lease as far as we know. */
  isElsewhere: boolean;
  /** Looks again at a session that another window runs. */
  watch: Disposable | null;
  /** What goes on beside the turn. */
  readonly background: Background;
  /** A summary is being made. */
  isCompacting: boolean;
  readonly goal: GoalMemory;
  readonly after: AfterTurn;
  /** What stands around the conversation, kept for a turn. */
  readonly guidance: Guidance;
  /** The log was looked through after it was opened. */
  isRecovered: boolean;
  isClosed: boolean;
  /** Appends to the log, without the keys of providers; what would not fit one line goes to blobs first. @throws BoughError as the log does */
  append(batch: readonly Draft[], options?: AppendOptions): Promise<Entry[]>;
  /** Tells the listeners what the session does now; what they show beside it may have changed too. */
  announce(): void;
}

/** Calls of a turn that have no result on the path. */
export const openCallsOf = (state: PathState, turn_id: string): CallState[] =>
  state.open_calls.filter((call) => call.turn_id === turn_id);

/** Takes the lease for `work` alone. */
export async function underLease<T>(core: Core, work: (lease: Disposable) => Promise<T>): Promise<T> {
  const lease = await core.lease.hold();
  core.isElsewhere = false;
  try {
    return await work(lease);
  } finally {
    lease.dispose();
  }
}

/** What the session does now: the run's own word, else what the log says. */
export function runStateOf(core: Core): RunState {
  if (core.run !== null) return core.run.phase;
  if (core.goal.isGoingOn) return 'running';
  const state = core.log.state();
  if (state.turn === null) return 'idle';
  if (openCallsOf(state, state.turn.turn_id).some((call) => call.status === 'pending')) return 'waiting';
  if (state.wait?.kind === 'parked' && core.unsaved?.turn_id !== state.turn.turn_id) return 'parked';
  return 'idle';
}

/** "provider/model": what was chosen for this session, else the setting. */
export const wantedModel = (core: Core): string => {
  const chosen = core.log.state().model;
  return chosen === null ? core.parts.settings().model : `${chosen.provider}/${chosen.model_id}`;
};
