/** What a connected server offers, free of the protocol's own types: the code that speaks it is loaded when one is needed. */
import type { Clock } from '../../ports.js';
import type { Account } from './account.js';
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

/** The person has to sign in first: why, in words. */
export class SignInNeeded extends Error {}

/** Why a call has no result. `lost`: the server did not take it, and another connection may. */
export type CallTrouble = 'timeout' | 'stopped' | 'ended' | 'refused' | 'lost' | 'signed-out';

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
  /** The person's sign-in to this server. */
  account: Account;
}

/** Loaded with the protocol's library. */
export interface Speaker {
  connect: Connect;
  signIn: (about: SignInAbout, interaction: Interaction) => Promise<void>;
}

export interface SignInAbout {
  account: Account;
  /** Without the headers of the configuration: those are for the server, not for whom it sends us to. */
  fetch: typeof globalThis.fetch;
}

export interface Interaction {
  /** Where the browser comes back to, and by what it is known. */
  redirectUrl: string;
  state: string;
  /** Sends the person there, and gives what came back. */
  visit: (address: URL) => Promise<URLSearchParams>;
}

export type Connect = (
  reach: Reach,
  parts: ConnectParts,
  about: { events: ConnectionEvents; signal: AbortSignal },
) => Promise<Connection>;
