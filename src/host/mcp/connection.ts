/** What a connected server offers, free of the protocol's own types: the code that speaks it is loaded when one is needed. */
import type { Clock } from '../../ports.js';
import type { CallResult } from './result.js';
import type { HttpServer } from './config.js';
import type { Program, ProgramParts } from './process-transport.js';

export interface ServerTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface ConnectionEvents {
  onTools: (tools: ServerTool[]) => void;
  /** It ended by itself: how, in words. */
  onEnded: (how: string) => void;
  /** A line for the log. */
  onSaid: (line: string) => void;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Without a sign of progress, and in all. */
  timeoutMs: number;
  longestMs: number;
  onProgress: (text: string) => void;
  /** The same for each try of one iteration of a goal. */
  operationKey?: string;
}

/** Why a call has no result. `lost`: the server did not take it, and another connection may. */
export type CallTrouble = 'timeout' | 'stopped' | 'ended' | 'refused' | 'lost';

export class CallError extends Error {
  constructor(
    readonly trouble: CallTrouble,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface Connection {
  tools: ServerTool[];
  /** @throws CallError */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  close(): Promise<void>;
}

/** How to reach it, with everything put in. */
export type Reach = { type: 'stdio'; program: Program } | HttpServer;

export interface ConnectParts extends ProgramParts {
  version: string;
  /** Folders that the server may take as its roots. */
  roots: () => { uri: string; name: string }[];
  fetch: typeof globalThis.fetch;
  clock: Clock;
}

export type Connect = (
  reach: Reach,
  parts: ConnectParts,
  about: { events: ConnectionEvents; signal: AbortSignal },
) => Promise<Connection>;
