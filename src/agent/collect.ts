/** What one attempt delivers, gathered as it comes: shown, journalled, and made into parts at the end. */
import type { StreamJournal } from '../log/store.js';
import type { Ids, ModelEvent, ReceivedCall, Usage } from '../ports.js';
import type { Part } from '../shared/entry.js';
import { headOf } from './context/clean.js';
import type { Live } from './live.js';

/** No tool has a longer name, and no protocol takes a longer id back. */
const NAME_CHARS = 256;

export interface Streamed {
  text: string;
  reasoning: string;
  usage: Usage | null;
  /** Output came, not only the announcement of some. */
  hasContent: boolean;
}

export interface Collected extends Streamed {
  parts: Part[];
  /** Characters of text and reasoning that whole parts brought. */
  partChars: { text: number; reasoning: number };
}

export interface Destination {
  ids: Ids;
  live: Live;
  journal: StreamJournal;
  attempt_id: string;
}

export const emptyCollection = (): Collected => ({
  text: '',
  reasoning: '',
  usage: null,
  parts: [],
  hasContent: false,
  partChars: { text: 0, reasoning: 0 },
});

export function take(to: Destination, collected: Collected, event: ModelEvent): void {
  const { live, journal, attempt_id } = to;
  switch (event.type) {
    case 'text':
    case 'reasoning': {
      if (event.delta === '') return;
      collected.hasContent = true;
      collected[event.type] += event.delta;
      const more = event.type === 'text' ? { text: event.delta } : { reasoning: event.delta };
      live.grow(attempt_id, more);
      journal.add(more);
      return;
    }
    case 'tool_input':
      if (event.delta !== '') collected.hasContent = true;
      live.growCall(attempt_id, event.index, { name: event.name, chars: event.delta.length });
      return;
    case 'part':
      collected.hasContent = true;
      collected.parts.push(received(to, event.part));
      takeWhole(to, collected, event.part);
      return;
    case 'usage':
      collected.usage = event.usage;
      return;
    case 'response':
    case 'start':
    case 'finish':
    case 'failure':
      return;
  }
}

/** A text that came whole, without deltas before it, is shown and kept like one that was streamed. */
function takeWhole(
  to: Destination,
  collected: Collected,
  part: Extract<ModelEvent, { type: 'part' }>['part'],
): void {
  if (part.type === 'tool_call') return;
  collected.partChars[part.type] += part.text.length;
  const missing = collected.partChars[part.type] - collected[part.type].length;
  if (missing <= 0) return;
  const rest = part.text.slice(-missing);
  collected[part.type] += rest;
  const more = part.type === 'text' ? { text: rest } : { reasoning: rest };
  to.live.grow(to.attempt_id, more);
  to.journal.add(more);
}

function received(to: Destination, part: Extract<ModelEvent, { type: 'part' }>['part']): Part {
  return part.type === 'tool_call' ? callPart(part, to.ids.entry()) : part;
}

/** What is no name of a tool stands in the call and in its answer: both must fit their line. */
function shortened(name: string): string {
  const head = headOf(name, NAME_CHARS);
  return `${head}… and ${String(name.length - head.length)} more characters`;
}

/** Our own id, and the arguments as they parsed; as they came when they did not. */
function callPart(call: ReceivedCall, call_id: string): Part {
  const isParsed = call.input !== undefined;
  const { provider_call_id: id } = call;
  return {
    type: 'tool_call',
    call_id,
    ...(id === undefined || id.length > NAME_CHARS ? {} : { provider_call_id: id }),
    name: call.name.length > NAME_CHARS ? shortened(call.name) : call.name,
    input: isParsed ? call.input : {},
    ...(isParsed ? {} : { raw_input: call.raw_input }),
    ...(call.provider_metadata === undefined ? {} : { provider_metadata: call.provider_metadata }),
  };
}

/** The parts as they came; text that only ever came as deltas goes before the calls. */
export function wholeParts(collected: Collected): Part[] {
  const parts = [...collected.parts];
  const restOf = (kind: 'text' | 'reasoning'): string => collected[kind].slice(collected.partChars[kind]);
  const firstCall = parts.findIndex((part) => part.type === 'tool_call');
  const at = firstCall < 0 ? parts.length : firstCall;
  const rest: Part[] = [];
  if (restOf('reasoning') !== '') rest.push({ type: 'reasoning', text: restOf('reasoning') });
  if (restOf('text') !== '') rest.push({ type: 'text', text: restOf('text') });
  parts.splice(at, 0, ...rest);
  return parts;
}
