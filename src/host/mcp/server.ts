/**
 * One server of this window: started when it is needed, once; what became of it is said in words. A server that ended by
 * itself starts again at its next use; one that could not be started, or that the person stopped, waits for the person.
 */
import type { ToolOutcome } from '../../ports.js';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import type { ServerConfig } from './config.js';
import {
  CallError,
  type CallOptions,
  type Connection,
  type ConnectParts,
  type Reach,
  SignInNeeded,
  type Speaker,
  type ServerTool,
} from './connection.js';
import { outcomeOf } from './result.js';

export type ServerState =
  | { kind: 'off' }
  /** The person is asked for something it needs. */
  | { kind: 'asking' }
  | { kind: 'starting' }
  | { kind: 'running' }
  | { kind: 'ended'; why: string }
  | { kind: 'failed'; why: string }
  /** The person has to sign in. */
  | { kind: 'signed-out'; why: string }
  | { kind: 'stopped' };

export interface ServerParts {
  name: string;
  config: ServerConfig;
  /** Puts everything in; says when it has to ask the person for something. */
  reach: (onAsk: () => void) => Promise<Reach | Failure>;
  /** Loads what speaks the protocol. */
  load: () => Promise<Speaker>;
  connectParts: ConnectParts;
  /** It runs no more, or not at all, before the person signs in. */
  onSignedOut: (why: string) => void;
  /** State or tools are others now. */
  onChange: () => void;
  log: (level: 'info' | 'warn', text: string) => void;
}

/** Without a sign of progress, and in all. */
const CALL_MS = 2 * 60_000;
const LONGEST_CALL_MS = 30 * 60_000;

export class Server {
  private current: ServerState = { kind: 'off' };
  private known: ServerTool[] = [];
  private connection: Connection | undefined;
  private starting: Promise<Connection | Failure> | undefined;
  private ending = new AbortController();

  constructor(private readonly parts: ServerParts) {}

  get name(): string {
    return this.parts.name;
  }
  get config(): ServerConfig {
    return this.parts.config;
  }
  get state(): ServerState {
    return this.current;
  }
  /** Those it had when it was last heard of; none when the person stopped it. */
  get tools(): readonly ServerTool[] {
    return this.known;
  }
  /** Whether it starts by itself when a turn begins. */
  get wantsStart(): boolean {
    return this.current.kind === 'off' || this.current.kind === 'ended';
  }
  /** Something is on its way that needs no person. */
  get isComing(): boolean {
    return this.current.kind === 'starting';
  }

  /** Resolves when it runs, or with why it does not. */
  start(): Promise<Connection | Failure> {
    if (this.connection !== undefined) return Promise.resolve(this.connection);
    return this.starting ?? this.startAfter(undefined);
  }

  /** What ran before ends first. */
  private startAfter(before: Connection | undefined): Promise<Connection | Failure> {
    const starting = this.begin(before).finally(() => {
      if (this.starting === starting) this.starting = undefined;
    });
    this.starting = starting;
    return starting;
  }

  /** By the person, or because it is no longer configured. */
  async stop(): Promise<void> {
    const connection = this.letGo();
    this.known = [];
    this.become({ kind: 'stopped' });
    await connection?.close();
  }

  /** On its way from here on, with the tools that it had: a turn whose call this ends waits for it with its next request. */
  restart(): Promise<Connection | Failure> {
    return this.startAfter(this.letGo());
  }

  private letGo(): Connection | undefined {
    this.ending.abort();
    this.ending = new AbortController();
    const { connection } = this;
    this.connection = undefined;
    this.starting = undefined;
    return connection;
  }

  async call(
    tool: string,
    input: Record<string, unknown>,
    options: Pick<CallOptions, 'signal' | 'onProgress' | 'operationKey'>,
  ): Promise<ToolOutcome> {
    const given: CallOptions = { ...options, timeoutMs: CALL_MS, longestMs: LONGEST_CALL_MS };
    for (let isAgain = false; ; isAgain = true) {
      const connection = await unlessAborted(options.signal, this.start());
      if (connection === null) return { content: this.stoppedText(), is_error: true };
      if (isFailure(connection)) return { content: connection.message, is_error: true };
      try {
        return outcomeOf(await connection.call(tool, input, given));
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        if (error.trouble === 'lost' && !isAgain) {
          this.lose('no longer knew this session');
          continue;
        }
        if (error.trouble === 'signed-out') this.signedOut(error.message);
        return { content: this.troubleText(tool, error), is_error: true };
      }
    }
  }

  private troubleText(tool: string, { trouble, message }: CallError): string {
    const who = `The MCP server "${this.name}"`;
    switch (trouble) {
      case 'timeout':
        return `${who} did not answer the call of ${tool} in time (${message}). The call was cancelled; it may have partly run.`;
      case 'stopped':
        return this.stoppedText();
      case 'ended':
        return `${who} was lost during the call of ${tool}: it ${message}. What the call did is not known. The server starts again with the next call.`;
      case 'signed-out':
        return `${who} did not take the call of ${tool}: ${message}. Only the person can sign in.`;
      case 'refused':
      case 'lost':
        return `${who} refused the call of ${tool}: ${message}`;
    }
  }

  private stoppedText(): string {
    return `The call was stopped before the MCP server "${this.name}" answered. It may have partly run.`;
  }

  private async begin(before: Connection | undefined): Promise<Connection | Failure> {
    const { name, log } = this.parts;
    const { signal } = this.ending;
    this.become({ kind: 'starting' });
    try {
      await before?.close();
      const reach = await this.parts.reach(() => {
        if (!signal.aborted) this.become({ kind: 'asking' });
      });
      if (signal.aborted) return this.notStarted('it was stopped.');
      if (isFailure(reach)) return this.fail(reach.message);
      if (this.current.kind === 'asking') this.become({ kind: 'starting' });
      log('info', `MCP server ${name}: starting`);
      const { connect } = await this.parts.load();
      const connection = await connect(reach, this.parts.connectParts, {
        signal,
        events: {
          onTools: (tools) => {
            // Another list may come while the first is still asked for.
            if (this.connection?.tools !== tools) return;
            this.known = tools;
            log('info', `MCP server ${name}: has ${String(tools.length)} tools now`);
            this.parts.onChange();
          },
          onEnded: (how) => this.lose(how),
          onSaid: (line) => log('info', `MCP server ${name}: ${line}`),
        },
      });
      if (signal.aborted) {
        await connection.close();
        return this.notStarted('it was stopped.');
      }
      this.connection = connection;
      this.known = connection.tools;
      log('info', `MCP server ${name}: runs, with ${String(this.known.length)} tools`);
      this.become({ kind: 'running' });
      return connection;
    } catch (error) {
      if (signal.aborted) return this.notStarted('it was stopped.');
      if (error instanceof SignInNeeded) return this.signedOut(error.message);
      return this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** It ended by itself: its tools stay, and the next call starts it again. */
  private lose(why: string): void {
    const { connection } = this;
    this.connection = undefined;
    this.parts.log('warn', `MCP server ${this.name}: ${why}`);
    this.become({ kind: 'ended', why });
    connection?.close().catch((error: unknown) => {
      this.parts.log('warn', `MCP server ${this.name}: ${String(error)}`);
    });
  }

  private fail(why: string): Failure {
    this.known = [];
    this.parts.log('warn', `MCP server ${this.name}: could not be started: ${why}`);
    this.become({ kind: 'failed', why });
    return this.notStarted(why);
  }

  private signedOut(why: string): Failure {
    const { connection } = this;
    this.connection = undefined;
    this.known = [];
    this.parts.log('info', `MCP server ${this.name}: ${why}`);
    this.become({ kind: 'signed-out', why });
    this.parts.onSignedOut(why);
    connection?.close().catch((error: unknown) => {
      this.parts.log('warn', `MCP server ${this.name}: ${String(error)}`);
    });
    return this.notStarted(`${why}. Only the person can sign in.`);
  }

  private notStarted(why: string): Failure {
    return toolFailure('no-server', `The MCP server "${this.name}" could not be started: ${why}`);
  }

  private become(state: ServerState): void {
    this.current = state;
    this.parts.onChange();
  }
}

/** null when the signal was first; the work goes on. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(null);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
