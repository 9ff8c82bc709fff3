/** The events of Anthropic's messages: complete with `message_stop`, and with nothing else. */
import type { FinishReason, Usage } from '../ports.js';
import { countOf, isRecord, textOf, type Json } from './json.js';
import { on, past, type FrameReader } from './wire.js';

const reasons: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** The library refuses what it does not know, though new events are announced as something to pass over. */
const knownEvents = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);
const knownDeltas = new Set([
  'text_delta',
  'thinking_delta',
  'signature_delta',
  'input_json_delta',
  'citations_delta',
]);

/** Input is counted without what the cache took part in. */
const usageOf = (usage: Json): Usage | undefined => {
  const input = countOf(usage['input_tokens']);
  const output = countOf(usage['output_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const read = countOf(usage['cache_read_input_tokens']);
  const written = countOf(usage['cache_creation_input_tokens']);
  const all = (input ?? 0) + (read ?? 0) + (written ?? 0);
  return {
    input_tokens: all,
    output_tokens: output ?? 0,
    total_tokens: all + (output ?? 0),
    ...(read !== undefined && { cache_read_tokens: read }),
    ...(written !== undefined && { cache_write_tokens: written }),
  };
};

const within = (frame: Json, name: string): Json => (isRecord(frame[name]) ? frame[name] : {});

const without = (facts: Json): Json =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));

export const readMessagesFrames = (): FrameReader => {
  let usage: Json = {};
  let calls = 0;
  let stopReason: string | undefined;
  let isOver = false;
  const note = (type: string, frame: Json): void => {
    const counted =
      type === 'message_start' ? within(within(frame, 'message'), 'usage') : within(frame, 'usage');
    usage = { ...usage, ...without(counted) };
    if (type === 'content_block_start' && within(frame, 'content_block')['type'] === 'tool_use') calls += 1;
    if (type === 'message_delta') stopReason = textOf(within(frame, 'delta')['stop_reason']) ?? stopReason;
  };
  return {
    read(frame) {
      const type = textOf(frame['type']) ?? '';
      // Pings are keepalives: their bytes were seen.
      if (!knownEvents.has(type)) return type === '' ? on : past;
      note(type, frame);
      if (type === 'message_stop') {
        isOver = true;
        return { go: 'end' };
      }
      const delta = within(frame, 'delta')['type'];
      return type === 'content_block_delta' && !knownDeltas.has(String(delta)) ? past : on;
    },
    isComplete: () => isOver,
    ended() {
      if (!isOver || stopReason === undefined) return undefined;
      return { reason: reasons[stopReason] ?? 'other' };
    },
    usage: () => usageOf(usage),
    announced: () => ({ calls }),
  };
};
