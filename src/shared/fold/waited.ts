/**
 * What stood between a prompt and its answer: the waits and repeated requests of a step, once they are over. The log has
 * them all; what came of them is shown with the answer, or with the prompt when none came.
 */
import type { Entry, NoteOf } from '../notes.js';
import { hintOf } from './state.js';
import type { Waited } from './types.js';

type Start = NoteOf<'retry_start'> | NoteOf<'resume_start'>;

interface Turn {
  prompt: string | null;
  open: Start | null;
  waited: Waited | null;
}

/** By the id of the entry it is shown with. `entries` in file order. */
export function waitsOf(entries: readonly { entry: Entry }[]): Map<string, Waited> {
  const found = new Map<string, Waited>();
  const turns = new Map<string, Turn>();
  for (const { entry } of entries) {
    const { turn_id } = entry;
    if (turn_id === undefined) continue;
    const turn = turns.get(turn_id) ?? { prompt: null, open: null, waited: null };
    turns.set(turn_id, turn);
    take(turn, entry, found);
  }
  return found;
}

function take(turn: Turn, entry: Entry, found: Map<string, Waited>): void {
  switch (entry.type) {
    case 'retry_start':
    case 'resume_start':
      if (turn.open !== null) close(turn, entry.timestamp);
      turn.open = entry;
      return;
    case 'step_start':
      if (turn.open !== null) close(turn, entry.timestamp).requests += 1;
      return;
    case 'retry_end':
      if (turn.open !== null) close(turn, entry.timestamp).isCancelled = true;
      return;
    case 'turn_start':
      // *Try again* and *Continue* open one on what is there.
      turn.prompt ??= entry.parent_id;
      return;
    case 'message':
      if (entry.role === 'user') turn.prompt = entry.id;
      if (entry.role === 'assistant') give(turn, entry.id, entry.timestamp, found);
      return;
    case 'incomplete_output':
      return give(turn, entry.id, entry.timestamp, found);
    case 'turn_end':
      if (turn.prompt !== null) give(turn, turn.prompt, entry.timestamp, found);
      return;
    default:
      return;
  }
}

/** Adds the wait that is open to those that are over. */
function close(turn: Turn, until: string): Waited {
  const waited = (turn.waited ??= {
    ms: 0,
    requests: 1,
    asked_ms: 0,
    late_ms: 0,
    images: 0,
    isCancelled: false,
    reasons: [],
  });
  const { open } = turn;
  if (open === null) return waited;
  turn.open = null;
  const ms = Date.parse(until) - Date.parse(open.timestamp);
  // Clocks may be set meanwhile: then what was planned is the better guess.
  const passed = Number.isNaN(ms) || ms < 0 ? open.delay_ms : ms;
  waited.ms += Math.min(passed, open.delay_ms);
  waited.asked_ms += Math.min(passed, hintOf(open));
  waited.late_ms += Math.max(0, passed - open.delay_ms);
  if (open.type === 'retry_start') waited.images += open.without_images?.length ?? 0;
  waited.reasons.push(open.error);
  return waited;
}

function give(turn: Turn, id: string, at: string, found: Map<string, Waited>): void {
  if (turn.open !== null) close(turn, at).isCancelled = true;
  if (turn.waited !== null) found.set(id, turn.waited);
  turn.waited = null;
}
