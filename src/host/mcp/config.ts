/**
 * VS Code's `mcp.json`: which servers it names, and what it asks the person for. What cannot be used is told with its place,
 * never guessed; one wrong server hides no other. Free of vscode, so that it can be tested.
 */
import { parseTree, getNodeValue, printParseErrorCode, type ParseError } from 'jsonc-parser';
import * as z from 'zod';

const text = z.string().min(1, 'must not be empty');

const stdioSchema = z.object({
  type: z.literal('stdio').optional(),
  command: text,
  args: z.array(z.union([z.string(), z.number().transform(String)])).default([]),
  env: z.record(z.string(), z.union([z.string(), z.number().transform(String), z.null()])).default({}),
  envFile: text.optional(),
  cwd: text.optional(),
});

const httpSchema = z.object({
  type: z.enum(['http', 'sse']).optional(),
  url: text,
  headers: z.record(z.string(), z.string()).default({}),
  /** A client that was registered by hand where the server has its sign-in. */
  oauth: z.object({ clientId: text.optional() }).optional(),
});

const inputSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('promptString'),
    id: text,
    description: z.string().optional(),
    default: z.string().optional(),
    password: z.boolean().default(false),
  }),
  z.object({
    type: z.literal('pickString'),
    id: text,
    description: z.string().optional(),
    default: z.string().optional(),
    options: z
      .array(
        z.union([z.string(), z.object({ label: z.string(), value: z.string() }).transform((o) => o.value)]),
      )
      .min(1, 'must not be empty'),
  }),
]);

export interface StdioServer {
  type: 'stdio';
  command: string;
  args: string[];
  /** null takes a variable away. */
  env: Record<string, string | null>;
  envFile?: string;
  cwd?: string;
}

export interface HttpServer {
  type: 'http' | 'sse';
  url: string;
  headers: Record<string, string>;
  /** As whom Bough signs in, where it cannot register itself. */
  clientId?: string;
}

export type ServerConfig = StdioServer | HttpServer;
export type ServerInput = z.infer<typeof inputSchema>;

export interface McpConfig {
  servers: { name: string; config: ServerConfig }[];
  inputs: ServerInput[];
  /** Sentences for the person, each with the file it is about. */
  problems: string[];
}

type Items = Readonly<Record<string, unknown>>;

const isItems = (value: unknown): value is Items =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `file` is how the person knows it. */
export function parseMcpConfig(content: string, file: string): McpConfig {
  const source = content.replace(/^\uFEFF/, '');
  const empty = (problem?: string): McpConfig => ({
    servers: [],
    inputs: [],
    problems: problem === undefined ? [] : [`${file}: ${problem}`],
  });
  if (source.trim() === '') return empty();
  const errors: ParseError[] = [];
  const tree = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = source.slice(0, error.offset).split('\n').length;
    return empty(
      `line ${line} is not valid JSON (${printParseErrorCode(error.error)}). No server of it runs.`,
    );
  }
  const root: unknown = tree === undefined ? undefined : getNodeValue(tree);
  if (!isItems(root)) return empty('it is no object with "servers".');
  const { servers, inputs } = root;
  if (servers === undefined && root['mcpServers'] !== undefined)
    return empty('it names "mcpServers"; VS Code\'s format calls them "servers".');
  if (servers !== undefined && !isItems(servers)) return empty('"servers" is no object.');
  return collect(servers ?? {}, inputs, file);
}

function collect(servers: Items, inputs: unknown, file: string): McpConfig {
  const config: McpConfig = { servers: [], inputs: [], problems: [] };
  for (const [name, given] of Object.entries(servers)) {
    const server = readServer(given);
    if (typeof server === 'string')
      config.problems.push(`${file}: the server "${name}" cannot be used: ${server}`);
    else config.servers.push({ name, config: server });
  }
  if (inputs !== undefined && !Array.isArray(inputs)) config.problems.push(`${file}: "inputs" is no list.`);
  for (const given of Array.isArray(inputs) ? (inputs as unknown[]) : []) {
    const input = inputSchema.safeParse(given);
    if (input.success) config.inputs.push(input.data);
    else config.problems.push(`${file}: the input ${idOf(given)} cannot be used: ${wrongIn(input.error)}`);
  }
  return config;
}

const idOf = (given: unknown): string =>
  isItems(given) && typeof given['id'] === 'string' ? `"${given['id']}"` : 'without an id';

/** The server, or why it cannot be one. */
function readServer(given: unknown): ServerConfig | string {
  if (!isItems(given)) return 'it is no object.';
  const type = given['type'] ?? ('url' in given && !('command' in given) ? 'http' : 'stdio');
  if (type === 'stdio') {
    const read = stdioSchema.safeParse(given);
    if (!read.success) return wrongIn(read.error);
    const { type: _type, envFile, cwd, ...rest } = read.data;
    return {
      type: 'stdio',
      ...rest,
      ...(envFile === undefined ? {} : { envFile }),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
  if (type !== 'http' && type !== 'sse')
    return `its type is ${JSON.stringify(type)}, not "stdio", "http" or "sse".`;
  const read = httpSchema.safeParse(given);
  if (!read.success) return wrongIn(read.error);
  const { oauth, ...rest } = read.data;
  return { ...rest, type, ...(oauth?.clientId === undefined ? {} : { clientId: oauth.clientId }) };
}

const wrongIn = (error: z.ZodError): string =>
  `${error.issues.map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`).join('; ')}.`;
