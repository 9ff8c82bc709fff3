/** What the notes of a line say about its calls: whether they ran, who decided, and what to say when there is no result. */
import type { CallState } from '../../shared/fold/types.js';
import {
  CUT_COPY,
  INTERRUPTED_RESULT,
  LOST_RESULT,
  NOT_APPROVED_RESULT,
  NOT_RUN_RESULT,
  OTHER_LINE_RESULT,
} from '../../shared/fold/stand-in.js';
import type { Entry, NoteOf } from '../../shared/notes.js';
import { cleanInput } from './clean.js';

export class CallFacts {
  readonly #open: Map<string, CallState>;
  readonly #started = new Set<string>();
  readonly #requests = new Map<string, NoteOf<'approval_request'>>();
  readonly #decisions = new Map<string, NoteOf<'approval_decision'>>();
  /** Turns whose end was not in what was copied. */
  readonly #cut = new Set<string | undefined>();
  #hasNotes = false;

  constructor(line: readonly { entry: Entry }[], openCalls: readonly CallState[] = []) {
    this.#open = new Map(openCalls.map((state) => [state.call.call_id, state]));
    for (const { entry } of line) this.#take(entry);
  }

  #take(entry: Entry): void {
    switch (entry.type) {
      case 'turn_start':
      case 'step_start':
        this.#hasNotes = true;
        return;
      case 'tool_start':
        this.#hasNotes = true;
        this.#started.add(entry.call_id);
        return;
      case 'session_recovery':
        if (entry.reason === CUT_COPY) this.#cut.add(entry.turn_id);
        return;
      case 'approval_request':
        this.#requests.set(entry.call_id, entry);
        return;
      case 'approval_decision':
        if (!this.#decisions.has(entry.request_id)) this.#decisions.set(entry.request_id, entry);
        return;
      default:
        return;
    }
  }

  #decision(callId: string): NoteOf<'approval_decision'> | undefined {
    const request = this.#requests.get(callId);
    return request === undefined ? undefined : this.#decisions.get(request.id);
  }

  /** What the model is told of a call that has no result on this line. */
  standIn(callId: string): string {
    const state = this.#open.get(callId);
    if (state?.status === 'answered') return OTHER_LINE_RESULT;
    if (state?.status === 'started' || this.#started.has(callId)) return INTERRUPTED_RESULT;
    const decision = state?.decision ?? this.#decision(callId);
    if (decision !== undefined && decision.decision !== 'allow') return NOT_APPROVED_RESULT;
    if (state?.turn_id !== undefined && this.#cut.has(state.turn_id)) return LOST_RESULT;
    // Without notes nothing is known about the call: it may have run.
    return state !== undefined || this.#hasNotes ? NOT_RUN_RESULT : INTERRUPTED_RESULT;
  }

  /** What stands before the result of a call whose input the person changed: that is what really ran. */
  editedNote(callId: string): string {
    const decision = this.#decision(callId);
    if (decision?.decision !== 'allow' || decision.edited_input === undefined) return '';
    return `[The person changed the input before it ran: ${JSON.stringify(cleanInput(decision.edited_input))}]\n`;
  }
}
