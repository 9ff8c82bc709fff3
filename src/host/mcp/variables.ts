/**
 * What stands for something else in a server's configuration: `${workspaceFolder}`, `${userHome}`, `${env:NAME}`,
 * `${input:id}`. Each is put in once, so that no value can bring in another; what is not known fails with its name.
 */
import { isFailure, toolFailure, type Failure } from '../../shared/failure.js';
import type { ServerConfig } from './config.js';

export interface VariableFacts {
  /** Path of the folder whose file it is, or of the first one. */
  folder: string | undefined;
  /** Paths of the open folders by name. */
  folders: Readonly<Record<string, string>>;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  separator: string;
  /** Asks the person, once. */
  input: (id: string) => Promise<string | Failure>;
}

const VARIABLE = /\$\{([^${}]+)\}/g;

export async function resolveServer<T extends ServerConfig>(
  config: T,
  facts: VariableFacts,
): Promise<T | Failure> {
  const values = new Map<string, string>();
  for (const [, name = ''] of JSON.stringify(config).matchAll(VARIABLE)) {
    if (values.has(name)) continue;
    const value = await valueOf(name, facts);
    if (isFailure(value)) return value;
    values.set(name, value);
  }
  return mapStrings(config, (text) =>
    text.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole),
  );
}

async function valueOf(name: string, facts: VariableFacts): Promise<string | Failure> {
  const [kind = '', ...rest] = name.split(':');
  const argument = rest.join(':');
  switch (kind) {
    case 'workspaceFolder': {
      const folder = rest.length === 0 ? facts.folder : facts.folders[argument];
      return folder ?? unknown(name, 'no such folder on this machine is open.');
    }
    case 'userHome':
      return facts.home;
    case 'pathSeparator':
    case '/':
      return facts.separator;
    case 'env':
      return facts.env[argument] ?? '';
    case 'input':
      return facts.input(argument);
    default:
      return unknown(name, 'Bough does not know this variable.');
  }
}

const unknown = (name: string, why: string): Failure =>
  toolFailure('configuration', `\${${name}} cannot be put in: ${why}`);

/** The same value with every text in it changed; names of fields stay. */
function mapStrings<T>(value: T, change: (text: string) => string): T;
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings<unknown>(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapStrings<unknown>(item, change)]),
  );
}

/** A file of `NAME=value` lines, as `.env` files are: comments, `export`, quotes. */
export function parseEnvFile(content: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of content.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=(.*)$/s.exec(line);
    if (match === null) continue;
    const [, name = '', given = ''] = match;
    const raw = given.trim();
    const quoted = /^(["'`])([\s\S]*)\1(?:\s+#.*)?$/.exec(raw);
    const comment = raw.search(/\s#/);
    if (quoted === null) values[name] = comment < 0 ? raw : raw.slice(0, comment).trimEnd();
    else values[name] = quoted[1] === '"' ? (quoted[2] ?? '').replaceAll('\\n', '\n') : (quoted[2] ?? '');
  }
  return values;
}
