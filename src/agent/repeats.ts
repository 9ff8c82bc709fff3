/**
 * Notices a model that goes round in circles: the same call with the same input and the same error in three steps of one
 * turn, with nothing changed in between. The turn then ends and asks, instead of going on for ever. A turn that would be
 * continued by itself is held to more: there the same call is enough, whatever came of it.
 */
import type { ToolCallPart } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';
import type { Entry } from '../shared/notes.js';
import { headOf } from './context/clean.js';
import { inputHash } from './sha256.js';

const LIMIT = 3;

interface Repeated {
  name: string;
  content: string;
  /** Message that asked for it last: calls of one step were made without knowing of each other's errors. */
  message: string;
  times: number;
}

/** What a turn cannot get beyond; null while it gets on. `entries`: the turn's own, in file order. */
export function stuckOn(entries: readonly Entry[]): Failure | null {
  const found = repeatedFailure(entries);
  return found === null ? null : stuck(found);
}

function repeatedFailure(entries: readonly Entry[]): Repeated | null {
  const asked = new Map<string, { call: ToolCallPart; message: string }>();
  let failing = new Map<string, Repeated>();
  for (const entry of entries) {
    if (entry.type === 'files_changed') failing = new Map();
    if (entry.type !== 'message') continue;
    for (const part of entry.parts) {
      if (part.type === 'tool_call') asked.set(part.call_id, { call: part, message: entry.id });
      if (part.type !== 'tool_result') continue;
      const known = asked.get(part.call_id);
      if (known === undefined) continue;
      const key = keyOf(known.call);
      if (part.is_error)
        count(failing, key, { name: part.name, content: part.content, message: known.message });
      else failing.delete(key);
    }
  }
  const last = [...asked.values()].at(-1)?.message;
  return [...failing.values()].find(({ times, message }) => times >= LIMIT && message === last) ?? null;
}

/** The name of what was called {@link LIMIT} times with the same input since the turn last changed a file; null if nothing was. */
export function repeatedCall(entries: readonly Entry[]): string | null {
  let times = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type === 'files_changed') times = new Map();
    if (entry.type !== 'message') continue;
    for (const part of entry.parts) {
      if (part.type !== 'tool_call') continue;
      const key = keyOf(part);
      const count = (times.get(key) ?? 0) + 1;
      if (count >= LIMIT) return part.name;
      times.set(key, count);
    }
  }
  return null;
}

/** How often in a row the last call was made with the same input; 0 when there was none. */
export function repeatsAtEnd(entries: readonly Entry[]): number {
  const keys = entries
    .flatMap((entry) => (entry.type === 'message' ? entry.parts : []))
    .flatMap((part) => (part.type === 'tool_call' ? [keyOf(part)] : []));
  const last = keys.at(-1);
  return keys.length - 1 - keys.findLastIndex((key) => key !== last);
}

const keyOf = ({ name, input, raw_input, blob }: ToolCallPart): string =>
  [name, inputHash(input), raw_input ?? '', blob ?? ''].join('\n');

/** Times and sizes in an error say nothing about whether it is another. */
const shapeOf = (content: string): string => content.replace(/\d+/g, '#');

function count(failing: Map<string, Repeated>, key: string, found: Omit<Repeated, 'times'>): void {
  const before = failing.get(key);
  if (before === undefined || shapeOf(before.content) !== shapeOf(found.content)) {
    failing.set(key, { ...found, times: 1 });
    return;
  }
  const times = before.message === found.message ? before.times : before.times + 1;
  failing.set(key, { ...found, times });
}

function stuck({ name, content, times }: Repeated): Failure {
  const line = content.trim().split('\n')[0] ?? '';
  const error = line.length > 200 ? `${headOf(line, 200)}…` : line;
  return {
    kind: 'tool',
    code: 'RepeatedFailure',
    message: `The turn was ended because ${name} failed ${String(times)} times in the same way: ${error.replace(/[.\s]+$/, '')}. Say what to do instead, or choose Continue to let it try again.`,
    transient: false,
  };
}
