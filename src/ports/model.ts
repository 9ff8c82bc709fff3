/** A model, and what goes to it and comes from it. */
import type { ReasoningPart, TextPart, ToolCallPart } from '../shared/entry.js';
import type { Failure } from '../shared/failure.js';

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input object. */
  input_schema: Record<string, unknown>;
}

/** What a model is told, provider-neutral and already acceptable to a strict provider (agent/context builds it). */
export type ModelMessage =
  | {
      role: 'user';
      parts: (TextPart | { type: 'image' | 'file'; mime: string; name: string; bytes: Uint8Array })[];
    }
  | {
      role: 'assistant';
      /** `call_id` of a call is what is sent: valid, unique, the same in its result. */
      parts: (TextPart | ReasoningPart | ToolCallPart)[];
    }
  | { role: 'tool'; parts: { call_id: string; name: string; content: string; is_error: boolean }[] };

export interface ModelRequest {
  system: string;
  messages: ModelMessage[];
  tools: ToolSpec[];
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  /** In US dollars, when it is known. */
  cost?: number;
}

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/**
 * One attempt's events. `start` parts and keepalives carry no content and never prevent a retry. It ends with exactly one
 * `finish` or one `failure`; the iterable never throws.
 */
export type ModelEvent =
  | { type: 'response'; status?: number }
  | { type: 'start'; part: 'text' | 'reasoning' | 'tool_call' }
  | { type: 'text'; delta: string }
  | { type: 'reasoning'; delta: string }
  /** Part of a call's arguments as they stream, for display only. */
  | { type: 'tool_input'; index: number; name: string; delta: string }
  /** A whole part, in order; its deltas were seen before (text, reasoning) or not at all. */
  | { type: 'part'; part: TextPart | ReasoningPart | ReceivedCall }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason; usage?: Usage }
  | { type: 'failure'; failure: Failure; usage?: Usage };

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other' | 'unknown';

/** A tool call as received: `raw_input` is the argument text, `input` its value when it parsed as JSON. */
export interface ReceivedCall {
  type: 'tool_call';
  provider_call_id?: string;
  name: string;
  raw_input: string;
  input?: unknown;
  provider_metadata?: Record<string, unknown>;
}

export interface ModelInfo {
  provider: string;
  id: string;
  /** For people: "GPT-5 (OpenAI)". */
  label: string;
  contextWindow?: number;
  maxOutput?: number;
  images?: boolean;
  tools?: boolean;
  /** On loopback: a first byte may take 30 minutes. */
  local?: boolean;
  /** As the person stated it. */
  price?: Price;
  /** Requests with reasoning content belong to this provider + model only. */
  reasoning?: 'off' | 'low' | 'medium' | 'high';
}

export interface Model {
  readonly info: ModelInfo;
  /** Sends one request, no retries. `onBytes` is called for every network chunk, keepalives too. */
  attempt(
    request: ModelRequest,
    options: { signal: AbortSignal; onBytes: () => void },
  ): AsyncIterable<ModelEvent>;
}

/** Finds models by "provider/model" or "auto". A model that cannot be had is a failure with the action that mends it. */
export interface Models {
  resolve(wanted: string): Promise<Model | Failure>;
  /** What the picker offers; asked only when it opens. */
  list(): Promise<ModelInfo[]>;
}
