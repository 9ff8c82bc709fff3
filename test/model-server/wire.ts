/** What a protocol's frames look like, for replies that are told alike in all of them. */
import type { ScriptedCall, ScriptedUsage, Step } from './reply.js';

/** A piece of text, or something the server does between two pieces. */
export type Piece = string | Step;

export interface TextContent {
  text: readonly Piece[];
}
export interface ReasoningContent {
  reasoning: readonly Piece[];
  signature?: string;
}
export type Content = TextContent | ReasoningContent | { calls: readonly ScriptedCall[] };

export type End = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface Told {
  content: readonly Content[];
  /** Leaves the last part open: the answer breaks off in it. */
  isOpen?: boolean;
  /** None: the stream has no end of its own. `null` for usage: none is told. */
  end?: { reason: End; usage?: ScriptedUsage | null };
}

export interface Wire {
  steps(told: Told): Step[];
  /** An error within a stream, as the protocol has it. */
  errorFrame(error: ScriptedError): Step;
  /** The body of a status that is no success. */
  errorBody(status: number, error: ScriptedError): unknown;
  /** What keeps a silent connection open. */
  ping(): Step;
  /** A frame cut in its middle, with the blank line of a whole one. */
  brokenFrame(): Step;
}

export interface ScriptedError {
  message: string;
  /** In the protocol's own words: "rate_limit_error", "RESOURCE_EXHAUSTED". */
  type?: string;
  code?: string | number;
  details?: unknown[];
}

export const write = (text: string): Step => ({ do: 'write', text });

export const frame = (value: unknown, event?: string): Step =>
  write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`);

/** A frame for each piece of text; what is no text stays what it is. */
export const perPiece = (pieces: readonly Piece[], toStep: (text: string) => Step): Step[] =>
  pieces.map((piece) => (typeof piece === 'string' ? toStep(piece) : piece));

export const argumentsOf = (call: ScriptedCall): string => call.raw ?? JSON.stringify(call.args ?? {});

export const fragmentsOf = (call: ScriptedCall): string[] => {
  const text = argumentsOf(call);
  const size = call.fragment ?? Math.max(1, Math.ceil(text.length / 2));
  const fragments: string[] = [];
  for (let at = 0; at < text.length; at += size) fragments.push(text.slice(at, at + size));
  return fragments;
};

export const defaultUsage: ScriptedUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export const cachedOf = (usage: ScriptedUsage): number => usage.prompt_tokens_details?.cached_tokens ?? 0;
