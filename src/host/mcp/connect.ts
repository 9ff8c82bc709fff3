/** Speaks the Model Context Protocol with one server. Loaded with its library when the first server starts. */
import {
  Client,
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type JsonSchemaValidator,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Account } from './account.js';
import type { HttpServer } from './config.js';
import {
  CallError,
  SignInNeeded,
  type CallOptions,
  type ConnectParts,
  type Connection,
  type ConnectionEvents,
  type Reach,
  type ServerTool,
} from './connection.js';
import { ProcessTransport } from './process-transport.js';
import type { CallResult } from './result.js';
import { bearer } from './sign-in.js';

/** A server may have to be fetched first (`npx`, `uvx`, `docker`). */
const CONNECT_MS = 120_000;
const LIST_MS = 30_000;
const MOST_DESCRIPTION = 4_000;
/** Of JSON-RPC. */
const METHOD_NOT_FOUND = -32_601;

interface About {
  events: ConnectionEvents;
  signal: AbortSignal;
}

export async function connect(reach: Reach, parts: ConnectParts, about: About): Promise<Connection> {
  switch (reach.type) {
    case 'stdio': {
      const begin = () => new ProcessTransport(parts, reach.program, about.events.onSaid);
      return connectOver(begin, parts, about);
    }
    case 'sse':
      return connectOver(() => sse(reach, parts), parts, about);
    case 'http':
      try {
        return await connectOver(() => streamable(reach, parts), parts, about);
      } catch (error) {
        // Servers of before 2025 know only the older way.
        if (!(error instanceof SdkHttpError) || ![400, 404, 405].includes(error.status)) throw error;
        about.events.onSaid(`answered ${error.status}; trying the older way over server-sent events`);
        return connectOver(() => sse(reach, parts), parts, about);
      }
  }
}

const sse = (reach: HttpServer, parts: HttpParts): Transport =>
  new SSEClientTransport(new URL(reach.url), httpOptions(reach, parts));

const streamable = (reach: HttpServer, parts: HttpParts): Transport =>
  new StreamableHTTPClientTransport(new URL(reach.url), httpOptions(reach, parts));

type HttpParts = Pick<ConnectParts, 'fetch' | 'account'>;

function httpOptions({ url, headers, clientId }: HttpServer, { fetch, account }: HttpParts) {
  const options = { requestInit: { headers }, fetch };
  // Who brings a token of their own signs in with it.
  if (hasToken(headers)) return options;
  return { ...options, authProvider: bearer({ url, clientId }, { account, fetch }) };
}

const hasToken = (headers: HttpServer['headers']): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

type OpenParts = Pick<ConnectParts, 'version' | 'roots'> & Partial<Pick<ConnectParts, 'account'>>;

/** A server that knows only revisions without `initialize` refuses it, and is then asked what it knows. */
export async function connectOver(
  begin: () => Transport,
  parts: OpenParts,
  about: About,
): Promise<Connection> {
  try {
    return await open(begin(), parts, about, 'legacy');
  } catch (error) {
    if (!(error instanceof ProtocolError) || about.signal.aborted) throw error;
    about.events.onSaid(`refused the handshake (${error.message}); asking which one it knows`);
    return open(begin(), parts, about, 'auto');
  }
}

async function open(
  transport: Transport,
  parts: OpenParts,
  { events, signal }: About,
  mode: 'legacy' | 'auto',
): Promise<Connection> {
  let isClosing = false;
  let isOpen = false;
  const connection: Connection = {
    tools: [],
    call: async (tool, input, options) => {
      try {
        return await call(client, { tool, input, options });
      } catch (error) {
        throw callError(signInError(error, parts.account), options.signal, transport);
      }
    },
    close: async () => {
      isClosing = true;
      await client.close();
      await transport.close();
    },
  };
  const client = new Client(
    { name: 'bough', title: 'Bough', version: parts.version },
    {
      capabilities: { roots: { listChanged: true } },
      versionNegotiation: { mode },
      jsonSchemaValidator: { getValidator: acceptAll },
      listChanged: {
        tools: {
          onChanged: (error, tools) => {
            if (error !== null) events.onSaid(`could not list its tools again: ${error.message}`);
            if (tools === null) return;
            connection.tools = tools.map(toolOf);
            events.onTools(connection.tools);
          },
        },
      },
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: parts.roots() }));
  // No model of the person works for a server: what it asks of one is told to it as refused, and to the person in the log.
  client.fallbackRequestHandler = (request) => {
    events.onSaid(`asked for ${request.method}, which Bough does not do for servers`);
    return Promise.reject(new ProtocolError(METHOD_NOT_FOUND, `Bough does not answer ${request.method}.`));
  };
  client.setNotificationHandler('notifications/message', ({ params }) => {
    events.onSaid(
      `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`,
    );
  });
  client.onerror = (error) => events.onSaid(error.message);
  client.onclose = () => {
    if (isOpen && !isClosing) events.onEnded(endOf(transport));
  };
  try {
    await client.connect(transport, { signal, timeout: CONNECT_MS });
    if (client.getServerCapabilities()?.tools !== undefined) {
      const { tools } = await client.listTools(undefined, { signal, timeout: LIST_MS });
      connection.tools = tools.map(toolOf);
    }
  } catch (error) {
    isClosing = true;
    await transport.close();
    throw startError(signInError(error, parts.account), transport);
  }
  isOpen = true;
  return connection;
}

/** A result that does not keep to the server's own schema is still its result. */
const acceptAll =
  <T>(): JsonSchemaValidator<T> =>
  (data) => ({ valid: true, data: data as T, errorMessage: undefined });

const endOf = (transport: Transport): string =>
  transport instanceof ProcessTransport ? (transport.ended ?? 'has ended') : 'closed the connection';

/** A process that ended says more than the request that it left open. */
function startError(error: unknown, transport: Transport): unknown {
  if (!(transport instanceof ProcessTransport) || transport.ended === undefined) return error;
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return new Error(`it ${transport.ended} before it answered`, { cause: error });
  return error;
}

/** More is asked for than the sign-in allows, or the token of the configuration is not taken. */
function signInError(error: unknown, account: Account | undefined): unknown {
  if (error instanceof InsufficientScopeError && account !== undefined) {
    const { requiredScope: scope, resourceMetadataUrl } = error;
    account.challenge = { scope, resourceMetadataUrl };
    return new SignInNeeded('it asks for a sign-in with more rights', { cause: error });
  }
  const isRefused = error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
  if (!isRefused) return error;
  return new Error(
    `it refuses what it is reached with (it answered ${String(error.status)}). Put a token that it takes into its "headers" in mcp.json, as "Authorization": "Bearer \${input:token}" with an input of type promptString and "password": true`,
    { cause: error },
  );
}

/** Some providers refuse a schema that names its dialect, or that has no properties. */
function toolOf({ name, title, description, inputSchema }: Tool): ServerTool {
  const { $schema: _dialect, ...schema } = inputSchema;
  return {
    name,
    description: shortened(description ?? title ?? ''),
    inputSchema: { properties: {}, ...schema, type: 'object' },
  };
}

/** It goes along with every request. */
const shortened = (text: string): string =>
  text.length <= MOST_DESCRIPTION ? text : `${text.slice(0, MOST_DESCRIPTION).toWellFormed()}… [cut]`;

/** Under which name a server finds it. */
const OPERATION_KEY = 'bough/operation-key';

async function call(
  client: Client,
  { tool, input, options }: { tool: string; input: Record<string, unknown>; options: CallOptions },
): Promise<CallResult> {
  const { signal, timeoutMs, longestMs, onProgress, operationKey } = options;
  const { content, structuredContent, isError } = await client.callTool(
    {
      ...{ name: tool, arguments: input },
      ...(operationKey === undefined ? {} : { _meta: { [OPERATION_KEY]: operationKey } }),
    },
    {
      signal,
      timeout: timeoutMs,
      maxTotalTimeout: longestMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, total, message }) => {
        const share = total === undefined ? String(progress) : `${progress} of ${total}`;
        onProgress(message === undefined ? `${share}\n` : `${share} ${message}\n`);
      },
    },
  );
  return { content, structuredContent, isError };
}

function callError(error: unknown, signal: AbortSignal, transport: Transport): CallError {
  const message = error instanceof Error ? error.message : String(error);
  const as = (trouble: CallError['trouble'], words = message) =>
    new CallError(trouble, words, { cause: error });
  if (signal.aborted) return as('stopped');
  if (error instanceof SignInNeeded) return as('signed-out');
  const hasEnded = transport instanceof ProcessTransport && transport.ended !== undefined;
  if (hasEnded) return as('ended', endOf(transport));
  if (error instanceof ProtocolError) return as('refused');
  // A session that the server no longer knows: it did not even look at the call.
  if (error instanceof SdkHttpError) return as(error.status === 404 ? 'lost' : 'refused');
  if (!(error instanceof SdkError)) return as('ended');
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return as('timeout');
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return as('ended', endOf(transport));
    default:
      return as('refused');
  }
}
