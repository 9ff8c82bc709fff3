/**
 * What a scripted model answers, built from small parts. A reply is plain data: a list of steps the server walks through.
 *
 * ```ts
 * server.enqueue(
 *   reply.text('Hel', 'lo'),                                    // two deltas, finish_reason stop, usage, [DONE]
 *   reply.status(429, { 'retry-after': '2' }),
 *   reply.calls([{ name: 'read', args: { path: 'a.ts' } }]),    // finish_reason tool_calls
 *   reply.cut(['a', 'b', 'c']),                                 // three deltas, then the connection breaks
 * );
 * const held = reply.hold(['slow ', 'text'], [' and the rest']);
 * server.enqueue(held);
 * await held.reached;                                           // both deltas are on the wire, nothing else follows…
 * held.release();                                               // …until the test says so
 * ```
 */

/** One thing the server does while it answers. */
export type Step =
  | { do: 'write'; text: string }
  | { do: 'bytes'; bytes: Uint8Array }
  /** Waits for {@link Gate.release}. */
  | { do: 'gate'; gate: Gate }
  /** The connection breaks: what was written arrives, the body never ends. */
  | { do: 'break' }
  /** Neither more bytes nor an end, until the client goes away. */
  | { do: 'stall' };

export interface Reply {
  /** `undefined`: the socket is destroyed before any header (connection reset). */
  status: number | undefined;
  headers: Record<string, string>;
  steps: Step[];
  /** Cut what is written into network chunks of this many bytes, whatever characters it splits. */
  chunkBytes?: number;
}

/** A place where the server waits for the test: no fixed sleeps. */
export interface Gate {
  /** Resolves when the server has written everything before the gate. */
  readonly reached: Promise<void>;
  readonly released: Promise<void>;
  release(): void;
  /** Called by the server. */
  reach(): void;
}

/** A promise with its resolve function outside (Node 20 has no `Promise.withResolvers`). */
export const deferred = <T>(): { promise: Promise<T>; resolve: (value: T) => void } => {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve?.(value) };
};

export const gate = (): Gate => {
  const reached = deferred<void>();
  const released = deferred<void>();
  return {
    reached: reached.promise,
    released: released.promise,
    release: () => released.resolve(),
    reach: () => reached.resolve(),
  };
};

export interface ScriptedCall {
  name: string;
  /** Sent as JSON. */
  args?: unknown;
  /** Sent as it is instead of `args`: broken or cut arguments. */
  raw?: string;
  /** Default `call_<n>`; `''` sends an empty id, `null` none. */
  id?: string | null;
  /** How many characters of the arguments a delta carries. Default: everything in two deltas. */
  fragment?: number;
}

export interface ScriptedUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens: number };
}

const defaultUsage: ScriptedUsage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
};

const chunk = (choices: unknown[], extra: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'scripted',
  choices,
  ...extra,
});

const callDeltas = (call: ScriptedCall, index: number): object[] => {
  const text = call.raw ?? JSON.stringify(call.args ?? {});
  const size = call.fragment ?? Math.max(1, Math.ceil(text.length / 2));
  const id = call.id === undefined ? `call_${index + 1}` : call.id;
  const first = {
    index,
    ...(id !== null && { id }),
    type: 'function',
    function: { name: call.name, arguments: '' },
  };
  const rest: object[] = [];
  for (let at = 0; at < text.length; at += size) {
    rest.push({ index, function: { arguments: text.slice(at, at + size) } });
  }
  return [first, ...rest];
};

const write = (text: string): Step => ({ do: 'write', text });
const frame = (value: unknown): Step =>
  write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
const delta = (value: object): Step => frame(chunk([{ index: 0, delta: value, finish_reason: null }]));

/** The small parts of a stream, for {@link reply.stream}. */
export const part = {
  /** The first chunk of most servers: a role and no content. */
  role: (): Step => delta({ role: 'assistant', content: '' }),
  text: (...pieces: string[]): Step[] => pieces.map((content) => delta({ content })),
  reasoning: (...pieces: string[]): Step[] => pieces.map((reasoning_content) => delta({ reasoning_content })),
  calls: (...calls: ScriptedCall[]): Step[] =>
    calls.flatMap((call, index) => callDeltas(call, index).map((one) => delta({ tool_calls: [one] }))),
  /** Any delta object, for what no other part can say. */
  delta,
  finish: (reason: string): Step => frame(chunk([{ index: 0, delta: {}, finish_reason: reason }])),
  usage: (usage: ScriptedUsage = defaultUsage): Step => frame(chunk([], { usage })),
  done: (): Step => frame('[DONE]'),
  /** An SSE comment: a keepalive. */
  comment: (text = 'PROCESSING'): Step => write(`: ${text}\n\n`),
  /** A `data:` frame with this value, an error for example. */
  frame,
  /** These characters, as they are. */
  raw: write,
  bytes: (bytes: Uint8Array): Step => ({ do: 'bytes', bytes }),
  gate: (at: Gate): Step => ({ do: 'gate', gate: at }),
  break: (): Step => ({ do: 'break' }),
  stall: (): Step => ({ do: 'stall' }),
} as const;

const stream = (...steps: (Step | Step[])[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  steps: steps.flat(),
});

const ending = (reason: string, usage?: ScriptedUsage): Step[] => [
  part.finish(reason),
  part.usage(usage),
  part.done(),
];

const answer = (pieces: readonly string[]): Step[] => [part.role(), ...part.text(...pieces)];

/** Whole replies. */
export const reply = {
  /** A 200 event stream of these parts and nothing else: it has the end that its parts give it. */
  stream,

  /** A normal answer. */
  text: (...pieces: string[]): Reply => stream(answer(pieces), ending('stop')),

  /** Reasoning, then a normal answer. */
  reasoning: (thoughts: string[], pieces: string[]): Reply =>
    stream(part.role(), part.reasoning(...thoughts), part.text(...pieces), ending('stop')),

  /** Tool calls, after `text` if given. */
  calls: (
    calls: ScriptedCall[],
    options: { text?: string; finish?: string; usage?: ScriptedUsage } = {},
  ): Reply =>
    stream(
      answer(options.text === undefined ? [] : [options.text]),
      part.calls(...calls),
      ending(options.finish ?? 'tool_calls', options.usage),
    ),

  /** An HTTP status with a body: an object is sent as JSON. */
  status: (status: number, headers: Record<string, string> = {}, body: unknown = undefined): Reply => ({
    status,
    headers: {
      ...(body !== undefined && typeof body !== 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
    steps: body === undefined ? [] : [write(typeof body === 'string' ? body : JSON.stringify(body))],
  }),

  /** An OpenAI-shaped error. */
  error: (
    status: number,
    error: { message: string; type?: string; code?: string | number },
    headers: Record<string, string> = {},
  ): Reply => reply.status(status, headers, { error }),

  /** These deltas, then the connection breaks. */
  cut: (pieces: string[]): Reply => stream(answer(pieces), part.break()),

  /** These deltas, then an orderly end of the body, without finish_reason or [DONE]. */
  unfinished: (pieces: string[]): Reply => stream(answer(pieces)),

  /** The socket is reset before any header. */
  reset: (): Reply => ({ status: undefined, headers: {}, steps: [] }),

  /** These deltas, then silence. */
  stall: (pieces: string[]): Reply => stream(answer(pieces), part.stall()),

  /** No byte of a header until the client goes. */
  silent: (): Reply => ({
    status: undefined,
    headers: {},
    steps: [part.stall()],
  }),

  /** `before`, then nothing until `release()`, then `after` and a normal end. */
  hold: (before: string[], after: string[] = []): Reply & Gate => {
    const here = gate();
    return {
      ...stream(answer(before), part.gate(here), part.text(...after), ending('stop')),
      ...here,
    };
  },

  /** A page with status 200, as a captive portal or a wrong base URL gives. */
  html: (body = '<!doctype html><html><body>Please sign in to the network</body></html>'): Reply =>
    reply.status(200, { 'content-type': 'text/html; charset=utf-8' }, body),

  /** Status 200, an event stream, not one byte. */
  empty: (): Reply => stream(),

  /** These deltas, then a frame with a top-level `error`, then [DONE] as if all were well. */
  errorInStream: (
    pieces: string[],
    error: unknown = { message: 'Overloaded', type: 'overloaded_error' },
  ): Reply => stream(answer(pieces), frame({ error }), part.done()),

  /** These deltas, then `event: error` with this data (none by default), then the end of the body. */
  errorEvent: (pieces: string[], data?: unknown): Reply =>
    stream(
      answer(pieces),
      write(`event: error\n${data === undefined ? '' : `data: ${JSON.stringify(data)}\n`}\n`),
    ),

  /** These deltas, then a chunk that is no JSON, then a normal end. */
  broken: (pieces: string[]): Reply =>
    stream(answer(pieces), frame('{"id":"chatcmpl-1", broken'), ending('stop')),

  /** Cuts a reply into network chunks of `bytes`, in the middle of characters too. */
  chopped: (whole: Reply, bytes = 1): Reply => ({
    ...whole,
    chunkBytes: bytes,
  }),
} as const;
