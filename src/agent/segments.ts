/**
 * How a turn goes on by itself when the model has answered and something is left: its to-do list is not done, or whoever
 * asked wants to be told the outcome by `finish`. Decided from the log alone, so that a reload changes nothing, in this
 * order: finished → end; the same call three times → end and ask; at the limit → end and say so; to-dos left → continue;
 * finish required and missing → continue. A model that only talks is continued too, up to the limit: each time stands in
 * the log, with what the model is told, before it is sent, and the person can stop.
 *
 * One exception: a list that only turns for earlier prompts wrote keeps no turn going. It says nothing about this prompt.
 */
import type { ModelInfo } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import type { Draft, Entry, NoteOf, Todo } from '../shared/notes.js';
import { repeatedCall } from './repeats.js';

export interface SegmentFacts {
  turn_id: string;
  /** The turn's own entries, in file order, without the answer that is about to be written. */
  entries: readonly Entry[];
  /** The to-do list that was written for this prompt. */
  todos: readonly Todo[];
  /** The model has to declare the outcome. */
  requiresFinish: boolean;
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
  const { entries, todos, requiresFinish, maxContinuations } = facts;
  const left = leftOf(todos);
  if (maxContinuations === 0 || finishOf(entries) !== null) return { kind: 'end' };
  if (left.length === 0 && !requiresFinish) return { kind: 'end' };
  const continuations = entries.filter(({ type }) => type === 'turn_continue').length;
  const reason =
    left.length > 0 ? `Not done yet: ${titles(left)}.` : 'The outcome was not declared with finish yet.';
  const repeated = repeatedCall(entries);
  if (repeated !== null) return { kind: 'give-up', failure: inCircles(repeated, reason) };
  if (continuations >= maxContinuations)
    return { kind: 'give-up', failure: atLimit(maxContinuations, reason) };
  const text = `${reason} ${left.length > 0 ? TELLS_LEFT : TELLS_FINISH}`;
  return { kind: 'continue', batch: continuation(facts, { segment: continuations + 1, reason, text }) };
}

/** A model that calls no tools can neither work on a list nor declare an outcome: it is not told to. */
export const withoutTools = (segment: Segment, { label, tools }: ModelInfo): Segment =>
  segment.kind === 'continue' && tools === false
    ? { kind: 'give-up', failure: callsNoTools(label) }
    : segment;

export const leftOf = (todos: readonly Todo[]): Todo[] => todos.filter(({ status }) => status !== 'done');

/** The turn's `finish`, unless the person has said something into the turn since. */
export function finishOf(entries: readonly Entry[]): NoteOf<'run_finish'> | null {
  let finish: NoteOf<'run_finish'> | null = null;
  for (const entry of entries) {
    if (entry.type === 'run_finish') finish = entry;
    else if (entry.type === 'message' && entry.role === 'user') finish = null;
  }
  return finish;
}

/** How to get out of it stands in what the model is told: words alone do not end the turn. */
const TELLS_LEFT =
  'Go on with the list and keep it up to date. What only the person can say, ask with ask; if you cannot go on, call finish with the status blocked and say what is missing.';
const TELLS_FINISH =
  'Go on with the work if any is left. When it is done, or cannot be done, call finish with the outcome.';

function continuation(
  { turn_id, steps }: SegmentFacts,
  { segment, reason, text }: { segment: number; reason: string; text: string },
): Draft[] {
  return [
    { type: 'message', role: 'user', turn_id, origin: 'continuation', parts: [{ type: 'text', text }] },
    { type: 'turn_continue', turn_id, segment, reason, steps },
  ];
}

const SHOWN = 5;

const titles = (left: readonly Todo[]): string =>
  left
    .slice(0, SHOWN)
    .map(({ title }) => title.trim().replace(/[.\s]+$/, ''))
    .join('; ') + (left.length > SHOWN ? ` and ${String(left.length - SHOWN)} more` : '');

const inCircles = (name: string, reason: string): Failure => ({
  kind: 'tool',
  code: 'RepeatedCall',
  message: `The turn was not continued by itself: ${name} was called three times with the same input and nothing changed in between. ${reason} Say what to do instead, or choose Continue.`,
  transient: false,
});

const callsNoTools = (label: string): Failure => ({
  kind: 'tool',
  code: 'ModelWithoutTools',
  message: `The turn was not continued by itself: ${label} calls no tools, so it can neither work on the to-do list nor declare the outcome. Choose a model that does, then Continue.`,
  transient: false,
});

const atLimit = (limit: number, reason: string): Failure => ({
  kind: 'refused',
  code: 'MaxContinuations',
  message: `The turn was continued ${String(limit)} times by itself, the limit (setting bough.turn.maxContinuations). ${reason} Continue starts a new turn from here.`,
  transient: false,
  action: 'open-settings',
});
