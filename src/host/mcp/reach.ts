/**
 * How a configured server is reached: its variables put in, the person asked for what it needs, its environment put
 * together. Every secret in it is made known before anything can be said of the server. Free of vscode.
 */
import path from 'node:path';
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import { commandEnvironment, type Environment } from '../editor/shell.js';
import type { HttpServer, ServerInput, StdioServer } from './config.js';
import type { Reach } from './connection.js';
import { secretsOf } from './secrets.js';
import type { Known } from './servers.js';
import { parseEnvFile, resolveServer, type VariableFacts } from './variables.js';

export interface ReachParts {
  env: Environment;
  home: string;
  /** Paths of the open folders by name, in order. */
  folders: () => Readonly<Record<string, string>>;
  readFile: (path: string) => Promise<string>;
  secrets: {
    get: (name: string) => PromiseLike<string | undefined>;
    store: (name: string, value: string) => PromiseLike<void>;
    delete: (name: string) => PromiseLike<void>;
  };
  /** undefined: the person gave nothing. */
  ask: (input: ServerInput, server: string) => Promise<string | undefined>;
  /** These words never appear in a log from now on. */
  hide: (words: readonly string[]) => void;
}

/** Two servers may need the same: the person is asked one thing at a time, and each thing once. */
export function createReach(parts: ReachParts) {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
  const nameOf = (known: Known, id: string): string => `mcp-input:${known.scope}:${id}`;
  const hideIfSecret = (input: ServerInput, value: string): string => {
    if (input.type === 'promptString' && input.password) parts.hide([value]);
    return value;
  };

  async function input(known: Known, id: string, onAsk: () => void): Promise<string | Failure> {
    const described = known.inputs.find((one) => one.id === id);
    if (described === undefined)
      return toolFailure(
        'configuration',
        `${known.file} has no input "${id}" (type promptString or pickString).`,
      );
    return inTurn(async () => {
      const stored = await parts.secrets.get(nameOf(known, id));
      if (stored !== undefined) return hideIfSecret(described, stored);
      onAsk();
      const given = await parts.ask(described, known.name);
      if (given === undefined) return toolFailure('no-input', `it needs "${id}", and nothing was given.`);
      hideIfSecret(described, given);
      await parts.secrets.store(nameOf(known, id), given);
      return given;
    });
  }

  return {
    async reach(known: Known, onAsk: () => void): Promise<Reach | Failure> {
      const folders = parts.folders();
      const facts: VariableFacts = {
        folder: known.folder ?? Object.values(folders)[0],
        folders,
        home: parts.home,
        env: parts.env,
        separator: path.sep,
        input: (id) => input(known, id, onAsk),
      };
      const config = await resolveServer(known.config, facts);
      if (isFailure(config)) return config;
      parts.hide(secretsOf(config));
      return config.type === 'stdio' ? programOf(parts, config, facts) : httpOf(config);
    },
    /** The person is asked again at the next start. */
    async forget(known: Known): Promise<void> {
      for (const { id } of known.inputs) await parts.secrets.delete(nameOf(known, id));
    },
  };
}

async function programOf(
  parts: ReachParts,
  config: StdioServer,
  { folder, home }: VariableFacts,
): Promise<Reach | Failure> {
  const from = folder ?? home;
  const absolute = (name: string): string => path.resolve(from, withHome(name, home));
  const fromFile = config.envFile === undefined ? {} : await readEnv(parts, absolute(config.envFile));
  if (isFailure(fromFile)) return fromFile;
  parts.hide(secretsOf({ ...config, env: fromFile }));
  const env = { ...commandEnvironment(parts.env), ...fromFile };
  for (const [name, value] of Object.entries(config.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const cwd = config.cwd === undefined ? from : absolute(config.cwd);
  return {
    type: 'stdio',
    program: { command: withHome(config.command, home), args: config.args, env, cwd },
  };
}

async function readEnv(parts: ReachParts, file: string): Promise<Record<string, string> | Failure> {
  try {
    return parseEnvFile(await parts.readFile(file));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return toolFailure('configuration', `its "envFile" ${file} cannot be read (${why}).`);
  }
}

const withHome = (name: string, home: string): string =>
  name === '~' || name.startsWith('~/') ? path.join(home, name.slice(1)) : name;

function httpOf(config: HttpServer): Reach | Failure {
  const url = URL.parse(config.url);
  if (url !== null && /^https?:$/.test(url.protocol)) return config;
  return toolFailure('configuration', `its "url" is no http address.`);
}
