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
  take(part: LanguageModelV4StreamPart): ModelEvent | undefined;
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

/** Appends deltas to the part that grows, or begins the next one. */
const growInto = (whole: Whole[], watch: Watch) => {
  let growing: TextPart | ReasoningPart | undefined;
  return (type: 'text' | 'reasoning', delta: string): void => {
    if (growing?.type !== type) {
      growing =
        type === 'text'
          ? { type, text: '' }
          : { type, text: '', provider_metadata: { [LIBRARY_NAME]: { field: watch.reasoningField } } };
      whole.push(growing);
    }
    growing.text += delta;
  };
};

export const collectParts = (watch: Watch): Parts => {
  const whole: Whole[] = [];
  const calls: ReceivedCall[] = [];
  const inputs = new Map<string, { index: number; name: string }>();
  const grow = growInto(whole, watch);
  let error: { error: unknown } | undefined;
  /** The event that a part gives at once; whole parts are kept back until the answer is known to be whole. */
  const take = (part: LanguageModelV4StreamPart): ModelEvent | undefined => {
    switch (part.type) {
      case 'text-start':
        return { type: 'start', part: 'text' };
      case 'reasoning-start':
        return { type: 'start', part: 'reasoning' };
      case 'tool-input-start':
        inputs.set(part.id, { index: inputs.size, name: part.toolName });
        return { type: 'start', part: 'tool_call' };
      case 'text-delta':
        grow('text', part.delta);
        return { type: 'text', delta: part.delta };
      case 'reasoning-delta':
        grow('reasoning', part.delta);
        return { type: 'reasoning', delta: part.delta };
      case 'tool-input-delta': {
        const call = inputs.get(part.id);
        return call && { type: 'tool_input', ...call, delta: part.delta };
      }
      case 'tool-call':
        calls.push(receivedCall(part));
        return undefined;
      case 'error':
        error ??= { error: part.error };
        return undefined;
      default:
        // Starts, ends and metadata: nothing of the answer stands in them; the finish is read from the wire.
        return undefined;
    }
  };
  return { take, whole: () => [...whole, ...calls], calls: () => calls, error: () => error };
};
