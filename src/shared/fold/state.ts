/**
 * Notes → state. What only a path decides about is folded along it by {@link PathAccumulator}, which can be extended but
 * never rewound; {@link SessionFacts} add what holds for the whole file.
 */
import type { ToolCallPart } from '../entry.js';
import { APPROVAL_STATE, askFirst, readApprovalState, type ApprovalState } from '../approval-state.js';
import type { Entry, Note, NoteOf, Todo } from '../notes.js';
import { usageOf, type Digest, type SessionFacts } from './session-facts.js';
import type {
  CallState,
  CallStatus,
  OpenTurn,
  PathState,
  PendingApproval,
  UsageTotals,
  Wait,
} from './types.js';

/** Notes that {@link PathAccumulator} folds; the bodies of all others need not be kept for it. */
const pathNotes = new Set<Entry['type']>([
  'model_change',
  'agent_bind',
  'extension_data',
  'turn_start',
  'step_start',
  'step_end',
  'usage',
  'retry_start',
  'retry_end',
  'resume_start',
  'approval_request',
  'todo_update',
  'goal_update',
]);

export const isPathNote = (entry: Entry): entry is Note => pathNotes.has(entry.type);

/** Only what the fold reads of a note: those that come with every step are most of what an index holds. */
export function folded(note: Note): Partial<Note> {
  switch (note.type) {
    case 'usage': {
      const { type, purpose } = note;
      return purpose === 'step' ? { type, purpose, ...usageOf(note) } : { type, purpose };
    }
    case 'step_start':
      return { type: note.type, turn_id: note.turn_id, step: note.step, attempt_id: note.attempt_id };
    case 'step_end':
      return { type: note.type, turn_id: note.turn_id, step: note.step };
    default:
      return note;
  }
}

export interface OpenCall {
  call: ToolCallPart;
  /** Among the calls of its message. */
  place: number;
  message_id: string;
  turn_id: string | undefined;
}

/** A call as it is known by once it has a result: its input may be as long as a file. */
export const bareCall = ({ type, call_id, name }: ToolCallPart): ToolCallPart => ({
  type,
  call_id,
  name,
  input: {},
});

/** All that {@link PathAccumulator} knows, as plain data. */
export interface AccumulatedState {
  model: PathState['model'];
  agent: string | null;
  approval: ApprovalState;
  turn: OpenTurn | null;
  wait: Wait | null;
  todos: Todo[];
  goal: NoteOf<'goal_update'> | null;
  lastUsage: UsageTotals | null;
  lastKind: Digest['kind'] | null;
  lastUser: string | null;
  requests: NoteOf<'approval_request'>[];
  calls: OpenCall[];
}

/** The fold along one path as far as it was walked. */
export class PathAccumulator {
  #model: PathState['model'] = null;
  #agent: string | null = null;
  #approval: ApprovalState = askFirst;
  #turn: OpenTurn | null = null;
  #wait: Wait | null = null;
  #todos: Todo[] = [];
  #goal: NoteOf<'goal_update'> | null = null;
  #lastUsage: UsageTotals | null = null;
  #lastKind: Digest['kind'] | null = null;
  #lastUser: string | null = null;
  readonly #requests = new Map<string, NoteOf<'approval_request'>>();
  readonly #calls = new Map<string, OpenCall[]>();
  /** How many they are: several may have one id. */
  #openCalls = 0;

  static from(state: AccumulatedState): PathAccumulator {
    const fold = new PathAccumulator();
    const { model, agent, approval, turn, wait, todos, goal } = state;
    const { lastUsage, lastKind, lastUser, requests, calls } = state;
    fold.#model = model;
    fold.#agent = agent;
    fold.#approval = approval;
    fold.#turn = turn === null ? null : { ...turn };
    fold.#wait = wait;
    fold.#todos = todos;
    fold.#goal = goal;
    fold.#lastUsage = lastUsage;
    fold.#lastKind = lastKind;
    fold.#lastUser = lastUser;
    for (const request of requests) fold.#requests.set(request.call_id, request);
    for (const open of calls) fold.#open(open);
    return fold;
  }

  /** To go on from elsewhere: {@link from}. */
  save(): AccumulatedState {
    return {
      model: this.#model,
      agent: this.#agent,
      approval: this.#approval,
      turn: this.#turn === null ? null : { ...this.#turn },
      wait: this.#wait,
      todos: this.#todos,
      goal: this.#goal,
      lastUsage: this.#lastUsage,
      lastKind: this.#lastKind,
      lastUser: this.#lastUser,
      requests: [...this.#requests.values()],
      calls: [...this.#calls.values()].flat(),
    };
  }

  /** How many calls, and requests for them, have no result yet. */
  get open(): number {
    return this.#openCalls + this.#requests.size;
  }

  #open(open: OpenCall): void {
    this.#openCalls++;
    const same = this.#calls.get(open.call.call_id);
    if (same === undefined) this.#calls.set(open.call.call_id, [open]);
    else same.push(open);
  }

  enter(digest: Digest): void {
    this.#lastKind = digest.kind;
    if (digest.kind === 'user') this.#lastUser = digest.id;
    if (digest.kind === 'assistant') this.#wait = null;
    if (digest.tokens !== undefined) this.#lastUsage = tokensInUse(digest.tokens);
    const turn_id = digest.turn_id ?? this.#turn?.turn_id;
    digest.calls.forEach((call, place) => {
      this.#open({ call, place, message_id: digest.id, turn_id });
    });
    for (const id of digest.answers) {
      const same = this.#calls.get(id);
      if (same !== undefined) this.#openCalls--;
      if (same !== undefined && same.length > 1) same.shift();
      else {
        this.#calls.delete(id);
        this.#requests.delete(id);
      }
    }
  }

  note(note: Note): void {
    switch (note.type) {
      case 'model_change':
        this.#model = { provider: note.provider, model_id: note.model_id };
        return;
      case 'agent_bind':
        this.#agent = note.agent_id;
        return;
      case 'extension_data':
        if (note.ext_type === APPROVAL_STATE) this.#approval = readApprovalState(note.data);
        return;
      case 'todo_update':
        this.#todos = note.items;
        return;
      case 'goal_update':
        // What is pruned is gone, and only that: its note may stand on another line than the goal does.
        if (note.status !== 'pruned') this.#goal = note;
        else if (this.#goal?.goal_id === note.goal_id) this.#goal = null;
        return;
      case 'usage':
        if (note.purpose === 'step') this.#lastUsage = usageOf(note);
        return;
      case 'approval_request':
        this.#requests.set(note.call_id, note);
        return;
      default:
        this.#turnNote(note);
    }
  }

  #turnNote(note: Note): void {
    if (note.type === 'turn_start') return this.#startTurn(note);
    const turn = this.#turn;
    // A late write of an older turn says nothing about the newer one.
    if (turn === null || (note.turn_id !== undefined && note.turn_id !== turn.turn_id)) return;
    switch (note.type) {
      case 'step_start':
        turn.steps_started = Math.max(turn.steps_started, note.step);
        turn.open_step = { step: note.step, attempt_id: note.attempt_id };
        this.#wait = null;
        return;
      case 'step_end':
        turn.steps_ended = Math.max(turn.steps_ended, note.step);
        if (turn.open_step?.step === note.step) turn.open_step = null;
        return;
      case 'retry_start':
      case 'resume_start':
        if (note.type === 'resume_start') turn.resumes += 1;
        this.#wait = waitOf(note, turn);
        return;
      case 'retry_end':
        this.#wait = null;
        return;
      default:
        return;
    }
  }

  #startTurn(note: NoteOf<'turn_start'>): void {
    this.#turn = {
      turn_id: note.turn_id,
      start_id: note.id,
      message_id: this.#lastUser,
      steps_started: 0,
      steps_ended: 0,
      open_step: null,
      retries: note.retries,
      continues: note.continues,
      resumes: 0,
    };
    this.#wait = null;
  }

  /** The state at the end of what was walked. Shares nothing that a later step changes. */
  state(head: string | null, facts: SessionFacts): PathState {
    const turn = this.#turn !== null && !facts.ends.has(this.#turn.turn_id) ? this.#turn : null;
    const open_calls = [...this.#calls.values()].flat().map((open) => this.#callState(open, facts));
    return {
      head,
      name: facts.name,
      archived: facts.archived,
      tags: [...facts.tags],
      labels: Object.fromEntries(facts.labels),
      model: this.#model,
      agent_id: this.#agent,
      approval: this.#approval,
      turn: turn === null ? null : { ...turn },
      wait: turn === null || this.#wait === null ? null : { ...this.#wait },
      approvals: open_calls.flatMap((call) => (call.status === 'pending' ? pendingApproval(call) : [])),
      open_calls,
      todos: this.#todos,
      ...(this.#goal === null ? {} : { goal: this.#goal }),
      queue: facts.queue,
      queue_held: facts.queueHeld,
      usage: { ...facts.usage },
      last_usage: this.#lastUsage,
      incomplete: this.#lastKind === 'incomplete' || this.#hasFailed(facts),
    };
  }

  /** How the turn that was begun last on this path ended. */
  #hasFailed(facts: SessionFacts): boolean {
    return this.#turn !== null && facts.ends.get(this.#turn.turn_id)?.entry.status === 'failed';
  }

  #callState(open: OpenCall, facts: SessionFacts): CallState {
    const { call_id } = open.call;
    const request = this.#requests.get(call_id);
    const decision = request === undefined ? undefined : facts.decisions.get(request.id)?.entry;
    const started = facts.starts.get(call_id)?.entry;
    const turn_id = open.turn_id ?? request?.turn_id;
    const hasEnded = turn_id !== undefined && facts.ends.has(turn_id);
    const status = ((): CallStatus => {
      if (facts.isAnswered(call_id)) return 'answered';
      if (started !== undefined) return 'started';
      if (request === undefined) return 'open';
      if (decision === undefined) return hasEnded ? 'refused' : 'pending';
      return decision.decision === 'allow' ? 'allowed' : 'refused';
    })();
    // It runs no more: what it is called is all that is told of it.
    const call = status === 'answered' ? bareCall(open.call) : open.call;
    return { call, message_id: open.message_id, turn_id, status, started, request, decision };
  }
}

/** Until the next request says what it took. */
const tokensInUse = (tokens: number): UsageTotals => ({
  input_tokens: tokens,
  output_tokens: 0,
  total_tokens: tokens,
  cost: 0,
});

/** Of an older log it is not known: then the server is taken to have asked for all of it. */
export function hintOf(note: NoteOf<'retry_start'> | NoteOf<'resume_start'>): number {
  const isServers = note.server_hint === true || (note.type === 'retry_start' && note.kind === 'parked');
  return isServers ? Math.min(note.hint_ms ?? note.delay_ms, note.delay_ms) : 0;
}

function waitOf(note: NoteOf<'retry_start'> | NoteOf<'resume_start'>, turn: OpenTurn): Wait {
  const isRetry = note.type === 'retry_start';
  return {
    kind: isRetry ? note.kind : 'resume',
    note_id: note.id,
    turn_id: note.turn_id ?? turn.turn_id,
    step: note.step,
    attempt_id: isRetry ? note.attempt_id : undefined,
    attempt: isRetry ? note.attempt : note.resume,
    max: isRetry ? note.max_attempts : note.max_resumes,
    delay_ms: note.delay_ms,
    due_at: note.due_at,
    error: note.error,
    server_hint: note.server_hint ?? false,
    hint_ms: hintOf(note),
    ...(isRetry && note.resume !== undefined && note.max_resumes !== undefined
      ? { restart: { count: note.resume, max: note.max_resumes } }
      : {}),
  };
}

function pendingApproval(state: CallState): PendingApproval[] {
  const { request, call } = state;
  if (request === undefined) return [];
  return [
    {
      request_id: request.id,
      call_id: call.call_id,
      tool: request.tool,
      summary: request.summary,
      // A request that does not say what it risks is shown as the most dangerous kind.
      risk: request.risk ?? 'run',
      ...(request.always_asked === true ? { always_asked: true } : {}),
      ...(request.allows === undefined ? {} : { allows: request.allows }),
      input: call.input,
      input_hash: request.input_hash,
      targets: request.targets,
      proposal: request.proposal ?? [],
      timestamp: request.timestamp,
    },
  ];
}
