/**
 * The parts of an answer, from the library's stream: deltas pass at once, whole parts are kept back until the answer is
 * known to be whole. Arguments of calls are kept as the text that came and parsed strictly, never repaired.
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelEvent, ReceivedCall } from '../ports.js';
import type { ReasoningPart, TextPart } from '../shared/entry.js';
import { LIBRARY_NAME } from './chat-request.js';
import { parseJson } from './json.js';
import type { Watch } from './stream-watch.js';

export type Whole = TextPart | ReasoningPart | ReceivedCall;

/** The parts of one answer as they grow. */
export interface Parts {
  add(part: LanguageModelV4StreamPart): Generator<ModelEvent>;
  whole(): Whole[];
  calls(): ReceivedCall[];
  /** What the library itself took offence at. */
  error(): { error: unknown } | undefined;
}

/** Strictly parsed, never repaired. Servers send '' for a call without arguments. */
const receivedCall = (part: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): ReceivedCall => {
  const input = part.input.trim() === '' ? {} : parseJson(part.input);
  return {
    type: 'tool_call',
    provider_call_id: part.toolCallId,
    name: part.toolName,
    raw_input: part.input,
    ...(input !== undefined && { input }),
    ...(part.providerMetadata && { provider_metadata: part.providerMetadata }),
  };
};

/** Whole parts are kept back until the answer is known to be whole; deltas pass at once. */
export const collectParts = (watch: Watch): Parts => {
  const whole: Whole[] = [];
  const calls: ReceivedCall[] = [];
  const inputs = new Map<string, { index: number; name: string }>();
  let growing: TextPart | ReasoningPart | undefined;
  let error: { error: unknown } | undefined;
  const begin = (type: 'text' | 'reasoning'): TextPart | ReasoningPart => {
    const part: TextPart | ReasoningPart =
      type === 'text'
        ? { type, text: '' }
        : { type, text: '', provider_metadata: { [LIBRARY_NAME]: { field: watch.reasoningField } } };
    whole.push(part);
    return part;
  };
  const grow = (type: 'text' | 'reasoning', delta: string): void => {
    const part = growing?.type === type ? growing : begin(type);
    part.text += delta;
    growing = part;
  };
  return {
    *add(part) {
      switch (part.type) {
        case 'text-start':
          yield { type: 'start', part: 'text' };
          return;
        case 'reasoning-start':
          yield { type: 'start', part: 'reasoning' };
          return;
        case 'tool-input-start':
          inputs.set(part.id, { index: inputs.size, name: part.toolName });
          yield { type: 'start', part: 'tool_call' };
          return;
        case 'text-delta':
          grow('text', part.delta);
          yield { type: 'text', delta: part.delta };
          return;
        case 'reasoning-delta':
          grow('reasoning', part.delta);
          yield { type: 'reasoning', delta: part.delta };
          return;
        case 'tool-input-delta': {
          const call = inputs.get(part.id);
          if (call) yield { type: 'tool_input', ...call, delta: part.delta };
          return;
        }
        case 'tool-call':
          return void calls.push(receivedCall(part));
        case 'error':
          error ??= { error: part.error };
          return;
        default:
          // Starts, ends and metadata: nothing of the answer stands in them; the finish is read from the wire.
          return;
      }
    },
    whole: () => [...whole, ...calls],
    calls: () => calls,
    error: () => error,
  };
};
