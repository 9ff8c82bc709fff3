/** Sends one request through a model and keeps every event, for the tests of this folder. */
import type { Clock, Model, ModelEvent, ModelInfo, ModelRequest } from '../../../src/ports.js';
import type { Failure } from '../../../src/shared/failure.js';
import { createWireModel, type WireEndpoint } from '../../../src/models/wire-model.js';
import { nodeFetch } from '../../../src/models/node-fetch.js';

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** A clock that stands at `at`; timers fire at once, in order, one a macrotask. */
export const clockAt = (at: number): Clock => ({
  now: () => at,
  elapsed: () => at,
  after: (_ms, fire) => {
    const timer = setImmediate(fire);
    return { dispose: () => clearImmediate(timer) };
  },
});

export const user = (text: string): ModelRequest => ({
  system: 'You are a test.',
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  tools: [],
});

export const chat = (
  baseUrl: string,
  options: Partial<Omit<WireEndpoint, 'info'>> & { info?: Partial<ModelInfo>; apiKey?: string } = {},
): Model =>
  createWireModel({
    kind: options.kind ?? 'openai-compatible',
    baseUrl,
    key: options.key ?? (() => Promise.resolve(options.apiKey)),
    fetch: options.fetch ?? nodeFetch,
    clock: options.clock ?? realClock,
    ...(options.headers && { headers: options.headers }),
    info: { provider: 'local', id: 'scripted', label: 'Scripted', ...options.info },
  });

export interface Attempted {
  events: ModelEvent[];
  text: string;
  last: ModelEvent | undefined;
  failure: Failure | undefined;
  bytes: number;
}

export const attempt = async (
  model: Model,
  request: ModelRequest = user('hello'),
  options: { signal?: AbortSignal; onEvent?: (event: ModelEvent) => void } = {},
): Promise<Attempted> => {
  const events: ModelEvent[] = [];
  let bytes = 0;
  const signal = options.signal ?? new AbortController().signal;
  for await (const event of model.attempt(request, { signal, onBytes: () => void (bytes += 1) })) {
    events.push(event);
    options.onEvent?.(event);
  }
  const last = events.at(-1);
  return {
    events,
    last,
    bytes,
    failure: last?.type === 'failure' ? last.failure : undefined,
    text: events.map((event) => (event.type === 'text' ? event.delta : '')).join(''),
  };
};

/** Exactly one end, and it is the last event. */
export const ends = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event, i) =>
    event.type === 'finish' || event.type === 'failure'
      ? [`${event.type}${i === events.length - 1 ? '' : ' in the middle'}`]
      : [],
  );

export const parts = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'part' ? [event.part] : []));
