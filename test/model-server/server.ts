/**
 * A scripted HTTP model on 127.0.0.1: it answers the n-th chat request with the n-th reply of its script, keeps every
 * request for the test to look at, and can fail in the ways that packaged mocks cannot. It takes requests of four
 * protocols at their paths; which one a reply speaks is the script's business.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { deferred, type Reply, type Step } from './reply.js';

export interface ChatMessage {
  role: string;
  content: unknown;
  reasoning_content?: string;
  tool_calls?: {
    id: string;
    type: string;
    function: { name: string; arguments: string };
  }[];
  tool_call_id?: string;
}

export interface ChatBody {
  model: string;
  messages: ChatMessage[];
  tools?: {
    type: string;
    function: { name: string; description?: string; parameters: unknown };
  }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  reasoning_effort?: string;
}

/** One chat request as it arrived. */
export interface SeenRequest {
  /** ms since the epoch. */
  at: number;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** As chat completions have it; that of another protocol is read from `text`. */
  body: ChatBody;
  /** The body's text: what a test greps for what must not be sent. */
  text: string;
  /** Resolves when the exchange is over; true when the client left before the reply was whole. */
  closed: Promise<boolean>;
}

export type Script = (request: SeenRequest, index: number) => Reply | Promise<Reply>;

export interface ModelServer {
  /** Base URL for a provider's settings: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** Chat requests, in order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Every other request ("GET /v1/models"). */
  readonly others: readonly string[];
  /** Answers of the next requests, one each. */
  enqueue(...replies: Reply[]): void;
  /** Answers whatever finds no enqueued reply. Without it such a request gets a 400 that says so. */
  script(script: Script): void;
  /** What GET /v1/models names; a reply instead of names is sent as it is. */
  models(models: readonly string[] | Reply): void;
  /** Resolves with the n-th chat request (1 = the first) as soon as it has arrived. */
  request(n: number): Promise<SeenRequest>;
  /** Ends all connections and the server, if that was not done before. */
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const untilClosed = (response: ServerResponse): Promise<void> =>
  response.destroyed || response.closed
    ? Promise.resolve()
    : new Promise((resolve) => response.once('close', () => resolve()));

/** Writes one network chunk and resolves when the kernel has it, so that chunks are not joined on the way out. */
const send = (response: ServerResponse, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) return resolve();
    response.once('close', resolve);
    response.write(bytes, () => {
      response.off('close', resolve);
      setImmediate(resolve);
    });
  });

const sendChopped = async (response: ServerResponse, bytes: Uint8Array, size: number): Promise<void> => {
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    await send(response, bytes.subarray(at, at + size));
  }
};

/** Carries out one step; false when the reply is over with it. */
const perform = async (response: ServerResponse, step: Step, chunkBytes: number): Promise<boolean> => {
  switch (step.do) {
    case 'write':
      await sendChopped(response, Buffer.from(step.text, 'utf8'), chunkBytes);
      return true;
    case 'bytes':
      await sendChopped(response, step.bytes, chunkBytes);
      return true;
    case 'gate':
      step.gate.reach();
      await Promise.race([step.gate.released, untilClosed(response)]);
      return true;
    case 'break':
      // An orderly FIN in mid-body: unlike a reset it lets everything written before arrive.
      response.socket?.destroy();
      return false;
    case 'stall':
      await untilClosed(response);
      return false;
  }
};

const answer = async (response: ServerResponse, reply: Reply): Promise<void> => {
  if (reply.status === undefined) {
    if (reply.steps.some((step) => step.do === 'stall')) return untilClosed(response);
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  for (const step of reply.steps) {
    if (response.destroyed || !(await perform(response, step, reply.chunkBytes ?? Infinity))) return;
  }
  response.end();
};

const unscripted = (index: number): Reply => ({
  status: 400,
  headers: { 'content-type': 'application/json' },
  steps: [
    {
      do: 'write',
      text: JSON.stringify({
        error: { message: `The script has no reply for request ${index + 1}.` },
      }),
    },
  ],
});

const modelList = (models: readonly string[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  steps: [
    {
      do: 'write',
      text: JSON.stringify({
        object: 'list',
        data: models.map((id) => ({ id, object: 'model' })),
      }),
    },
  ],
});

type Deferred = ReturnType<typeof deferred<SeenRequest>>;

interface State {
  requests: SeenRequest[];
  others: string[];
  queue: Reply[];
  script: Script | undefined;
  models: Reply;
  waiting: Map<number, Deferred>;
}

const handleChat = async (
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const at = Date.now();
  const text = await readBody(request);
  const seen: SeenRequest = {
    at,
    path: request.url ?? '',
    headers: request.headers,
    body: JSON.parse(text) as ChatBody,
    text,
    closed: untilClosed(response).then(() => !response.writableFinished),
  };
  const index = state.requests.push(seen) - 1;
  state.waiting.get(index + 1)?.resolve(seen);
  const reply = state.queue.shift() ?? (await state.script?.(seen, index)) ?? unscripted(index);
  await answer(response, reply);
};

/** Chat completions, responses, messages, Gemini. */
const modelPaths = /\/(chat\/completions|responses|messages|models\/[^/]+:streamGenerateContent)$/;

const handle = async (state: State, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'POST' && modelPaths.test(pathname)) {
    return handleChat(state, request, response);
  }
  state.others.push(`${request.method} ${request.url}`);
  request.resume();
  if (request.method === 'GET' && pathname.endsWith('/models')) return answer(response, state.models);
  return answer(response, {
    status: 404,
    headers: {},
    steps: [{ do: 'write', text: '404 page not found' }],
  });
};

/** `port`: 0 takes a free one; a fixed one is for a client that was configured before the server ran. */
export const startModelServer = async (options: { port?: number } = {}): Promise<ModelServer> => {
  const state: State = {
    requests: [],
    others: [],
    queue: [],
    script: undefined,
    models: modelList(['scripted']),
    waiting: new Map(),
  };
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => {
      // A mistake of the script itself: the test must see it, not wait for it.
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    });
  });
  server.requestTimeout = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A client that leaves in mid-reply is normal here.
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: state.requests,
    others: state.others,
    enqueue: (...replies) => void state.queue.push(...replies),
    script: (script) => void (state.script = script),
    models: (models) => void (state.models = 'steps' in models ? models : modelList(models)),
    request: (n) => {
      const seen = state.requests[n - 1];
      if (seen) return Promise.resolve(seen);
      const waiting = state.waiting.get(n) ?? deferred<SeenRequest>();
      state.waiting.set(n, waiting);
      return waiting.promise;
    },
    close: () =>
      new Promise<void>((resolve, reject) => {
        if (!server.listening) return resolve();
        server.close((error) => (error ? reject(error) : resolve()));
        for (const socket of sockets) socket.destroy();
      }),
  };
};
