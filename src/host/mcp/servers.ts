/**
 * The servers of this window, as the configuration files name them now: those of the person, and those of the folders that
 * the person said yes to. None runs before a turn needs it. Free of vscode, so that it can be tested.
 */
import { createHash } from 'node:crypto';
import type { Clock, Disposable, Tool } from '../../ports.js';
import { parseMcpConfig, type ServerConfig, type ServerInput } from './config.js';
import { toolNames, type Named } from './names.js';
import { Server, type ServerParts } from './server.js';
import { toolOf } from './tool-of.js';

/** One configuration file as it is now. */
export interface Source {
  /** "user", or the URI of the folder. */
  scope: string;
  /** For people. */
  file: string;
  text: string;
  /** Why it could not be read. */
  unreadable?: string;
  /** Path of the folder; undefined for the person's own. */
  folder?: string;
}

export interface Known {
  /** Scope and name. */
  id: string;
  scope: string;
  file: string;
  folder: string | undefined;
  name: string;
  config: ServerConfig;
  inputs: readonly ServerInput[];
  hash: string;
}

export interface ServersParts {
  /** Empty in a workspace that is not trusted. */
  sources: () => Promise<Source[]>;
  /** The hashes that the person said yes to, by id. */
  allowed: {
    read: () => Readonly<Record<string, string>>;
    write: (all: Record<string, string>) => Promise<void>;
  };
  serverParts: (known: Known) => Pick<ServerParts, 'reach' | 'load' | 'connectParts' | 'onSignedOut'>;
  clock: Clock;
  /** Servers that wait for a first yes, or for another one since they changed. */
  onUnasked: (all: readonly Known[]) => void;
  /** One that was started by itself could not be. */
  onFailed: (name: string, why: string) => void;
  onError: (error: unknown) => void;
  log: ServerParts['log'];
}

/** How long a request waits for servers that are starting; later they are there for the next one. */
const WAIT_MS = 20_000;

interface Entry {
  known: Known;
  server: Server;
}

export class McpServers implements Disposable {
  private entries: readonly Entry[] = [];
  private toldUnasked = new Set<string>();
  private saidProblems = '';
  private looking: Promise<void> | undefined;
  private cache: Tool[] | undefined;
  private readonly waiting = new Set<() => void>();
  /** Waited for once; no further request waits for them. */
  private readonly late = new Set<Server>();
  problems: readonly string[] = [];
  unasked: readonly Known[] = [];

  constructor(private readonly parts: ServersParts) {}

  list(): readonly Entry[] {
    return this.entries;
  }

  /** Reads the configuration again; what is no longer there, or has changed, ends. */
  look(): Promise<void> {
    this.looking ??= this.read().finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** What a request waits for: servers that may run are started, and waited for for a while. */
  async prepare(): Promise<void> {
    await this.look();
    for (const { server } of this.entries) {
      if (server.wantsStart) this.startByItself(server).catch(this.parts.onError);
    }
    await this.arrivals();
  }

  private async startByItself(server: Server): Promise<void> {
    await server.start();
    if (server.state.kind === 'failed') this.parts.onFailed(server.name, server.state.why);
  }

  /** One that asks the person is not waited for: its tools come with a later request. */
  private arrivals(): Promise<void> {
    const coming = () =>
      this.entries.map(({ server }) => server).filter((server) => server.isComing && !this.late.has(server));
    if (coming().length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        timer.dispose();
        this.waiting.delete(check);
        resolve();
      };
      const check = (): void => {
        if (coming().length === 0) done();
      };
      const timer = this.parts.clock.after(WAIT_MS, () => {
        for (const server of coming()) this.late.add(server);
        done();
      });
      this.waiting.add(check);
    });
  }

  /** The person says yes to this configuration; it starts with the next turn. */
  async allow({ id, hash }: Known): Promise<void> {
    await this.parts.allowed.write({ ...this.parts.allowed.read(), [id]: hash });
    await this.look();
  }

  tools(): readonly Tool[] {
    this.cache ??= this.makeTools();
    return this.cache;
  }

  /** Ends all; resolves when their processes are gone. */
  async close(): Promise<void> {
    const all = this.entries;
    this.entries = [];
    await Promise.all(all.map(({ server }) => server.stop()));
  }

  dispose(): void {
    this.close().catch(this.parts.onError);
  }

  private changed = (): void => {
    this.cache = undefined;
    for (const server of this.late) if (!server.isComing) this.late.delete(server);
    for (const check of [...this.waiting]) check();
  };

  private async read(): Promise<void> {
    const { found, problems } = await this.readSources();
    this.tellProblems(problems);
    const allowed = this.parts.allowed.read();
    const isAllowed = (known: Known): boolean =>
      known.folder === undefined || allowed[known.id] === known.hash;
    const before = this.entries;
    this.entries = found.filter(isAllowed).map((known) => {
      const same = before.find((entry) => entry.known.id === known.id && entry.known.hash === known.hash);
      return same ?? { known, server: this.makeServer(known) };
    });
    const ending = before.filter((entry) => !this.entries.includes(entry));
    this.unasked = found.filter((known) => !isAllowed(known));
    if (ending.length > 0 || this.entries.length !== before.length) this.changed();
    await Promise.all(ending.map(({ server }) => server.stop()));
    this.tellUnasked();
  }

  private async readSources(): Promise<{ found: Known[]; problems: string[] }> {
    const found: Known[] = [];
    const problems: string[] = [];
    for (const { scope, file, text, unreadable, folder } of await this.parts.sources()) {
      if (unreadable !== undefined) {
        problems.push(`${file} cannot be read (${unreadable}). No server of it runs.`);
        continue;
      }
      const parsed = parseMcpConfig(text, file);
      problems.push(...parsed.problems);
      for (const { name, config } of parsed.servers) {
        const { inputs } = parsed;
        const hash = createHash('sha256').update(JSON.stringify(config)).digest('hex');
        found.push({ id: `${scope}\n${name}`, scope, file, folder, name, config, inputs, hash });
      }
    }
    return { found, problems };
  }

  private makeServer(known: Known): Server {
    const { log, serverParts } = this.parts;
    const { name, config } = known;
    return new Server({ name, config, log, onChange: this.changed, ...serverParts(known) });
  }

  private tellProblems(problems: readonly string[]): void {
    this.problems = problems;
    const said = problems.join('\n');
    if (said === this.saidProblems) return;
    this.saidProblems = said;
    for (const problem of problems) this.parts.log('warn', problem);
  }

  /** Once for each configuration and window. */
  private tellUnasked(): void {
    const fresh = this.unasked.filter(({ id, hash }) => !this.toldUnasked.has(`${id}\n${hash}`));
    if (fresh.length === 0) return;
    for (const { id, hash } of fresh) this.toldUnasked.add(`${id}\n${hash}`);
    this.parts.onUnasked(fresh);
  }

  private makeTools(): Tool[] {
    const offered = this.entries.flatMap(({ known, server }) =>
      server.tools.map((tool) => ({ known, server, tool })),
    );
    const names = toolNames(
      offered.map(({ known, tool }): Named => ({
        parts: ['mcp', known.name, tool.name],
        identity: `${known.id}\n${tool.name}`,
      })),
    );
    return offered.map(({ known, server, tool }, index) =>
      toolOf(names[index] ?? '', { server, tool, identity: known.hash.slice(0, 16) }),
    );
  }
}
