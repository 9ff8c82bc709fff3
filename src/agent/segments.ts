/**
 * How a turn goes on by itself when the model has answered and its own to-do list is not done. Decided from the log alone,
 * so that a reload changes nothing: finished → end; nothing left to do → end; in a circle or at the limit → end and say
 * so; else the turn is continued, and what the model is told of it stands in the log before it is sent.
 */
import type { Failure } from '../shared/failure.js';
import type { Draft, Entry, NoteOf, Todo } from '../shared/notes.js';
import { repeatedCall } from './repeats.js';

export interface SegmentFacts {
  turn_id: string;
  /** The turn's own entries, in file order, without the answer that is about to be written. */
  entries: readonly Entry[];
  /** The to-do list of the path. */
  todos: readonly Todo[];
  /** How often a turn may be continued; 0 turns it off. */
  maxContinuations: number;
  steps: number;
}

export type Segment =
  | { kind: 'end' }
  /** The answer stands, but the turn ends with something left that the person has to look at. */
  | { kind: 'give-up'; failure: Failure }
  | { kind: 'continue'; batch: Draft[] };

/** What follows an answer that asks for no tools. */
export function nextSegment(facts: SegmentFacts): Segment {
  const { entries, todos, maxContinuations } = facts;
  const left = todos.filter(({ status }) => status !== 'done');
  const continuations = entries.filter(({ type }) => type === 'turn_continue').length;
  if (maxContinuations === 0 || left.length === 0 || finishOf(entries) !== null) return { kind: 'end' };
  // An older list says nothing about this prompt; and a model that was told once and only talks has said its word.
  if (!entries.some(({ type }) => type === 'todo_update') || hasOnlyTalked(entries)) return { kind: 'end' };
  const repeated = repeatedCall(entries);
  if (repeated !== null) return { kind: 'give-up', failure: inCircles(repeated, left) };
  if (continuations >= maxContinuations) return { kind: 'give-up', failure: atLimit(maxContinuations, left) };
  return { kind: 'continue', batch: continuation(facts, continuations + 1, left) };
}

/** The turn's `finish`, unless the person has said something into the turn since. */
export function finishOf(entries: readonly Entry[]): NoteOf<'run_finish'> | null {
  let finish: NoteOf<'run_finish'> | null = null;
  for (const entry of entries) {
    if (entry.type === 'run_finish') finish = entry;
    else if (entry.type === 'message' && entry.role === 'user') finish = null;
  }
  return finish;
}

/** Nothing was called since the turn was last continued. */
function hasOnlyTalked(entries: readonly Entry[]): boolean {
  const last = entries.findLastIndex(({ type }) => type === 'turn_continue');
  if (last < 0) return false;
  return !entries.slice(last).some((entry) => entry.type === 'message' && entry.role === 'tool');
}

function continuation({ turn_id, steps }: SegmentFacts, segment: number, left: readonly Todo[]): Draft[] {
  const reason = `Not done yet: ${titles(left)}.`;
  return [
    {
      type: 'message',
      role: 'user',
      turn_id,
      origin: 'continuation',
      parts: [
        {
          type: 'text',
          text: `${reason} Go on with the list and keep it up to date. If you cannot, say what is missing.`,
        },
      ],
    },
    { type: 'turn_continue', turn_id, segment, reason, steps },
  ];
}

const SHOWN = 5;

const titles = (left: readonly Todo[]): string =>
  left
    .slice(0, SHOWN)
    .map(({ title }) => title.trim().replace(/[.\s]+$/, ''))
    .join('; ') + (left.length > SHOWN ? ` and ${String(left.length - SHOWN)} more` : '');

const inCircles = (name: string, left: readonly Todo[]): Failure => ({
  kind: 'tool',
  code: 'RepeatedCall',
  message: `The turn was not continued by itself: ${name} was called three times with the same input and nothing changed in between. Not done yet: ${titles(left)}. Say what to do instead, or choose Continue.`,
  transient: false,
});

const atLimit = (limit: number, left: readonly Todo[]): Failure => ({
  kind: 'refused',
  code: 'MaxContinuations',
  message: `The turn was continued ${String(limit)} times by itself, the limit (setting bough.turn.maxContinuations). Not done yet: ${titles(left)}. Continue starts a new turn from here.`,
  transient: false,
  action: 'open-settings',
});
