/** What a wire protocol is made of: how a request is written and what the frames of its answer say. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Clock, FinishReason, ModelInfo, ModelRequest, Usage } from '../ports.js';
import type { Fetch } from './address.js';
import type { Trouble } from './classify.js';
import type { Json } from './json.js';

/** A model at a server. */
export interface ModelEndpoint {
  info: ModelInfo;
  baseUrl: string;
  headers?: Record<string, string>;
  /** Asked for each attempt, so that a key set meanwhile counts. Without a key no auth header is sent. */
  key: () => Promise<string | undefined>;
  fetch: Fetch;
  clock: Clock;
}

/** How the stream goes on after a frame. */
export type Reading =
  /** The library gets it, or what stands in its place. */
  | { go: 'on'; frame?: Json }
  /** It says nothing to the library. */
  | { go: 'past' }
  /** The answer's last frame: the library gets it, and whatever follows is ignored. */
  | { go: 'end' }
  /** It came after the answer's end. */
  | { go: 'over' }
  | { go: 'error'; error: unknown };

export const on: Reading = { go: 'on' };
export const past: Reading = { go: 'past' };

/** Reads the frames of one answer: what they say decides how it ended, never the library's idea of it. */
export interface FrameReader {
  read(frame: Json): Reading;
  /** The protocol's own end was seen and nothing can undo it, though frames may follow. */
  isComplete(): boolean;
  /**
   * All that the answer holds has come, though the mark of its end has not: a break or a silence takes nothing away, an
   * error still counts. Where it is not said, this is so only once it is complete.
   */
  isWhole?(): boolean;
  /** How the answer ended by the protocol's own word; undefined when it did not say so. */
  ended(): { reason: FinishReason } | { trouble: Trouble } | undefined;
  /** As the server counted it. */
  usage(): Usage | undefined;
  /** What came of calls: what the library makes of it must be as much. */
  announced(): { calls?: number; argumentChars?: number };
  /** Metadata of reasoning that the library does not give. */
  reasoningMetadata?: () => Record<string, unknown>;
}

export interface WireProtocol {
  /** What a frame is called: "chat completion". */
  frameName: string;
  /** Calls come beside the text, not in its order. */
  callsLast?: boolean;
  reader(): FrameReader;
  /** `fetch` puts the key into its header; the library's own word for it is only a stand-in. */
  model(endpoint: ModelEndpoint, fetch: Fetch): LanguageModelV4;
  options(request: ModelRequest, endpoint: ModelEndpoint): Omit<LanguageModelV4CallOptions, 'abortSignal'>;
}

/** Stands for the key inside a library, which would otherwise look for one in the environment. */
export const STAND_IN_KEY = 'none';
