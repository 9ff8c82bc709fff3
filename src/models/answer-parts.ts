/**
 * The parts of an answer, from the library's stream: deltas pass at once, whole parts are kept back until the answer is
 * known to be whole. Arguments of calls are kept as the text that came and parsed strictly, never repaired; metadata is
 * kept as it came, to go back to who made it.
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelEvent, ReceivedCall } from '../ports.js';
import type { ReasoningPart, TextPart } from '../shared/entry.js';
import { isRecord, parseJson, type Json } from './json.js';

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

/** Later facts count; one that is null says nothing. */
const merge = (before: Json | undefined, more: Json): Json => {
  const merged: Json = { ...before };
  for (const [name, facts] of Object.entries(more)) {
    if (!isRecord(facts)) continue;
    const known = isRecord(merged[name]) ? merged[name] : {};
    const told = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
    merged[name] = { ...known, ...Object.fromEntries(told) };
  }
  return merged;
};

type Growing = TextPart | ReasoningPart;

interface Growth {
  type: Growing['type'];
  id: string;
  delta?: string;
  providerMetadata?: Json | undefined;
}

/** A text that goes on after another part is two parts, unless what it carries holds it together. */
const growInto = (whole: Whole[]) => {
  const byId = new Map<string, Growing>();
  return ({ type, id, delta, providerMetadata }: Growth): void => {
    const key = `${type} ${id}`;
    const known = byId.get(key);
    const goesOn = known && (delta === undefined || known === whole.at(-1) || known.provider_metadata);
    const part: Growing = goesOn ? known : { type, text: '' };
    if (!goesOn) {
      byId.set(key, part);
      whole.push(part);
    }
    part.text += delta ?? '';
    if (providerMetadata) part.provider_metadata = merge(part.provider_metadata, providerMetadata);
  };
};

/** Empty reasoning may carry a signature. An empty text carries nothing that could be sent again. */
const saysSomething = (part: Whole): boolean =>
  part.type === 'tool_call' ||
  part.text !== '' ||
  (part.type === 'reasoning' && part.provider_metadata !== undefined);

export interface PartsOptions {
  /** Calls come beside the text, not in its order. */
  callsLast?: boolean;
  /** For reasoning that has text. */
  reasoningMetadata?: (() => Json) | undefined;
}

export const collectParts = ({ callsLast = false, reasoningMetadata }: PartsOptions): Parts => {
  const whole: Whole[] = [];
  const calls: ReceivedCall[] = [];
  const inputs = new Map<string, { index: number; name: string }>();
  const grow = growInto(whole);
  let error: { error: unknown } | undefined;
  const takeCall = (part: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>): void => {
    if (part.providerExecuted) {
      error ??= { error: new Error(`it ran "${part.toolName}" by itself, which nobody asked for`) };
      return;
    }
    const call = receivedCall(part);
    calls.push(call);
    if (!callsLast) whole.push(call);
  };
  /** The event that a part gives at once; whole parts are kept back until the answer is known to be whole. */
  const take = (part: LanguageModelV4StreamPart): ModelEvent | undefined => {
    switch (part.type) {
      case 'text-start':
        grow({ ...part, type: 'text' });
        return { type: 'start', part: 'text' };
      case 'reasoning-start':
        grow({ ...part, type: 'reasoning' });
        return { type: 'start', part: 'reasoning' };
      case 'tool-input-start':
        inputs.set(part.id, { index: inputs.size, name: part.toolName });
        return { type: 'start', part: 'tool_call' };
      case 'text-delta':
        grow({ ...part, type: 'text' });
        return { type: 'text', delta: part.delta };
      case 'reasoning-delta':
        grow({ ...part, type: 'reasoning' });
        return { type: 'reasoning', delta: part.delta };
      case 'text-end':
        grow({ ...part, type: 'text' });
        return undefined;
      case 'reasoning-end':
        grow({ ...part, type: 'reasoning' });
        return undefined;
      case 'tool-input-delta': {
        const call = inputs.get(part.id);
        return call && { type: 'tool_input', ...call, delta: part.delta };
      }
      case 'tool-call':
        takeCall(part);
        return undefined;
      case 'error':
        error ??= { error: part.error };
        return undefined;
      default:
        // Ends, files and metadata: nothing of the answer that we asked for; the finish is read from the wire.
        return undefined;
    }
  };
  const finished = (part: Whole): Whole =>
    part.type === 'reasoning' && part.text !== '' && reasoningMetadata
      ? { ...part, provider_metadata: reasoningMetadata() }
      : part;
  return {
    take,
    whole: () => [...whole.filter(saysSomething).map(finished), ...(callsLast ? calls : [])],
    calls: () => calls,
    error: () => error,
  };
};
