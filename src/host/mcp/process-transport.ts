/**
 * Talks with a server that is a process: under the supervisor, so that it and all that it starts end with this window,
 * whatever ends it. Messages are lines on its standard input and output; its standard error is for people.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../ports.js';
import { byLine } from '../editor/by-line.js';
import { commandEnvironment, type Environment } from '../editor/shell.js';
import { killTree } from '../process-tree.js';
import type { SupervisorReport, SupervisorRequest } from '../supervisor.js';

export interface ProgramParts {
  /** The supervisor's script. */
  supervisor: string;
  clock: Clock;
  /** The environment the server starts from. */
  env: Environment;
}

export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

/** One message may be as long as a picture. */
const MOST_MESSAGE_BYTES = 32 * 1024 * 1024;
/** The supervisor forces its end within two seconds; if it does not, it is itself forced. */
const FORCE_MS = 5000;
const MOST_LINE = 4_000;

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  /** How it ended, in words; undefined while it runs. */
  ended: string | undefined;

  private readonly incoming = new ReadBuffer({ maxBufferSize: MOST_MESSAGE_BYTES });
  private readonly mark = randomBytes(12).toString('hex');
  private supervisor: ChildProcess | undefined;
  private pid: number | undefined;
  private gone: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: ProgramParts,
    private readonly program: Program,
    private readonly onSaid: (line: string) => void,
  ) {}

  /** Resolves once the process runs. */
  async start(): Promise<void> {
    const supervisor = spawn(process.execPath, [this.parts.supervisor], {
      env: { ...commandEnvironment(this.parts.env), ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      // A signal to the host's group must not take the supervisor before it has done its work.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.supervisor = supervisor;
    this.gone = new Promise((resolve) => {
      supervisor.once('exit', () => resolve());
      supervisor.once('error', () => resolve());
    });
    supervisor.stdout?.on('data', (chunk: Buffer) => this.take(chunk));
    supervisor.stderr?.on('data', spoken(this.onSaid));
    // Writing to what is gone; its exit tells what happened.
    for (const stream of supervisor.stdio) stream?.on('error', () => undefined);
    await this.begun(supervisor);
  }

  private begun(supervisor: ChildProcess): Promise<void> {
    const { command, args, env, cwd } = this.program;
    const request: SupervisorRequest = {
      command: '',
      cwd,
      shells: [],
      mark: this.mark,
      program: { file: command, args, env },
    };
    return new Promise((resolve, reject) => {
      supervisor.once('error', (error) => {
        this.end(`could not be started: ${error.message}`);
        reject(error);
      });
      const onReport = (report: SupervisorReport): void => {
        if (report.type === 'started') {
          this.pid = report.pid;
          resolve();
        } else if (report.type === 'failed') {
          const why = report.code === 'ENOENT' ? noProgram(command, cwd) : report.message;
          this.end(why);
          reject(new Error(why));
        } else this.end(endWords(report));
      };
      const reports = supervisor.stdio[3];
      if (reports instanceof Readable)
        reports.on(
          'data',
          byLine((line) => onReport(JSON.parse(line) as SupervisorReport)),
        );
      supervisor.once('exit', (code) => {
        // It has said how the server ended, and what it said may still be on its way.
        if (code === 0) return;
        // Ended from outside: nobody else watches over the server now.
        if (process.platform !== 'win32') killTree({ leader: this.pid, mark: this.mark });
        this.end('was ended from outside');
        reject(new Error('the process that watches over it was ended from outside'));
      });
      supervisor.once('close', () => {
        this.end('has ended');
        reject(new Error('the process that watches over it has ended'));
      });
      supervisor.stdin?.write(`${JSON.stringify(request)}\n`);
    });
  }

  private take(chunk: Buffer): void {
    try {
      this.incoming.append(chunk);
    } catch (error) {
      // Longer than any message may be: what follows can no longer be told apart.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.incoming.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.supervisor?.stdio[4];
    if (!(input instanceof Writable) || this.ended !== undefined)
      return Promise.reject(new Error(`the server ${this.ended ?? 'does not run'}`));
    return new Promise((resolve, reject) => {
      input.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Asks it to end by closing its input; the supervisor ends what does not. */
  async close(): Promise<void> {
    const { supervisor } = this;
    if (supervisor === undefined) return;
    const input = supervisor.stdio[4];
    if (input instanceof Writable) input.end();
    supervisor.stdin?.end();
    const force = this.parts.clock.after(FORCE_MS, () => supervisor.kill('SIGKILL'));
    await this.gone;
    force.dispose();
    this.end('was stopped');
  }

  private end(how: string): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    this.onclose?.();
  }
}

/** Lines as people read them; one that does not end is not waited for for ever. */
function spoken(take: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/[\r\n]+/);
    rest = lines.pop() ?? '';
    if (rest.length > MOST_LINE) {
      lines.push(rest);
      rest = '';
    }
    for (const line of lines) if (line.trim() !== '') take(line.slice(0, MOST_LINE));
  };
}

const noProgram = (command: string, cwd: string): string =>
  `there is no program "${command}", or no folder ${cwd}. Check "command" and "cwd", and that the program is installed.`;

function endWords({ code, signal }: Extract<SupervisorReport, { type: 'ended' }>): string {
  if (signal !== null) return `was ended by ${signal}`;
  return `ended with exit code ${code === null ? 'unknown' : String(code)}`;
}
