/**
 * A model at a server behind the Model port: one request an attempt, no retries, and exactly one `finish` or one
 * `failure` at its end. The protocol library maps the frames; whether the answer was whole is decided by what came over
 * the wire (stream-watch and the protocol's frame reader).
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Model, ModelEvent, ModelRequest } from '../ports.js';
import { cancelled, type Failure } from '../shared/failure.js';
import type { Fetch } from './address.js';
import { collectParts, type Parts } from './answer-parts.js';
import { classify, type Trouble } from './classify.js';
import { factsOf, type Kind } from './kinds.js';
import { loadProtocol } from './protocols.js';
import { letGo, orStopped } from './stopping.js';
import { createWatch, watchingFetch, type Watch } from './stream-watch.js';
import type { Endpoint } from './verdicts.js';
import type { ModelEndpoint, WireProtocol } from './wire.js';

type AttemptOptions = Parameters<Model['attempt']>[1];

export interface WireEndpoint extends ModelEndpoint {
  kind: Kind;
}

export const createWireModel = (endpoint: WireEndpoint): Model => ({
  info: endpoint.info,
  attempt: (request, options) => attempt(endpoint, request, options),
});

async function* attempt(
  endpoint: WireEndpoint,
  request: ModelRequest,
  options: AttemptOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  let protocol: WireProtocol;
  try {
    protocol = await loadProtocol(endpoint.kind);
  } catch (error) {
    const failure = classify({ type: 'thrown', error }, addressOf(endpoint), endpoint.clock.now());
    yield { type: 'failure', failure };
    return;
  }
  yield* speak(protocol, endpoint, request, options);
}

async function* speak(
  protocol: WireProtocol,
  endpoint: WireEndpoint,
  request: ModelRequest,
  options: AttemptOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const watch = createWatch(protocol.reader());
  const { reasoningMetadata } = watch.reader;
  const parts = collectParts({ callsLast: protocol.callsLast ?? false, reasoningMetadata });
  const exchange = openExchange({ protocol, endpoint, watch, options });
  let thrown: { error: unknown } | undefined;
  try {
    const status = await exchange.start(request);
    if (status !== undefined) yield { type: 'response', status };
    for (;;) {
      const part = await exchange.next();
      if (!part) break;
      const event = parts.take(part);
      if (event) yield event;
    }
  } catch (error) {
    thrown = { error };
  } finally {
    exchange.close();
  }
  yield* conclude({ protocol, endpoint, watch, parts, thrown, at: exchange.at(), signal: options.signal });
}

// ------------------------------------------------------------------------------------------------------ the exchange

interface Exchange {
  /** Sends the request; resolves with the status when an answer began. */
  start(request: ModelRequest): Promise<number | undefined>;
  next(): Promise<LanguageModelV4StreamPart | undefined>;
  close(): void;
  at(): Endpoint;
}

interface Opening {
  protocol: WireProtocol;
  endpoint: WireEndpoint;
  watch: Watch;
  options: AttemptOptions;
}

const openExchange = ({ protocol, endpoint, watch, options: { signal, onBytes } }: Opening): Exchange => {
  const at = addressOf(endpoint);
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  // Ends the pending read at once, also when a fetch does not listen to the signal.
  const stop = (): void => letGo(reader);
  signal.addEventListener('abort', stop, { once: true });
  return {
    async start(request) {
      signal.throwIfAborted();
      const key = await orStopped(endpoint.key(), signal);
      at.hasKey = key !== undefined;
      at.secrets = [...(key === undefined ? [] : [key]), ...secretHeaders(endpoint.headers)];
      const watched = watchingFetch(endpoint.fetch, watch, { onBytes, clock: endpoint.clock });
      const model = protocol.model(endpoint, withKey(watched, endpoint, key));
      const sent = model.doStream({ ...protocol.options(request, endpoint), abortSignal: signal });
      const { stream } = await orStopped(sent, signal, (late) => letGo(late.stream.getReader()));
      reader = stream.getReader();
      return watch.status;
    },
    async next() {
      const part = await reader?.read();
      signal.throwIfAborted();
      return part?.value;
    },
    close() {
      signal.removeEventListener('abort', stop);
      letGo(reader);
    },
    at: () => at,
  };
};

const addressOf = ({ kind, info, baseUrl }: WireEndpoint): Endpoint => ({
  provider: info.provider,
  model: info.id,
  baseUrl,
  hasKey: false,
  secrets: [],
  service: factsOf[kind],
});

/** The key goes into its header here and nowhere else; without one no such header is sent, unless the settings state it. */
const withKey = (fetch: Fetch, { kind, headers = {} }: WireEndpoint, key: string | undefined): Fetch => {
  const { keyHeader } = factsOf[kind];
  return (input, init) => {
    const sent = new Headers(init?.headers);
    for (const name of Object.keys(keyHeader(''))) sent.delete(name);
    for (const [name, value] of Object.entries({
      ...(key !== undefined && keyHeader(key)),
      ...lowerCase(headers),
    })) {
      sent.set(name, value);
    }
    return fetch(input, { ...init, headers: sent });
  };
};

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Values that look like keys: headers of settings may carry them under any name. */
const secretHeaders = (headers: Record<string, string> = {}): string[] =>
  Object.values(headers).filter((value) => value.length >= 8);

// ----------------------------------------------------------------------------------------------------------- the end

interface End {
  protocol: WireProtocol;
  endpoint: WireEndpoint;
  watch: Watch;
  parts: Parts;
  thrown: { error: unknown } | undefined;
  at: Endpoint;
  signal: AbortSignal;
}

/** What was wrong with the answer, most certain first; undefined when it was whole. */
const troubleOf = (end: End): Trouble | undefined => {
  const { watch, thrown } = end;
  const { status = 0, headers, refusal } = watch;
  if (refusal !== undefined) {
    return status >= 200 && status < 300
      ? { type: 'page', body: refusal, headers }
      : { type: 'status', status, headers, body: refusal };
  }
  if (watch.error) return { type: 'frame', error: watch.error.value, headers };
  if (watch.broken !== undefined) {
    return { type: 'protocol', what: 'sent a broken piece of its stream', detail: watch.broken };
  }
  if (watch.lost) return { type: 'thrown', error: watch.lost.error };
  if (thrown) return { type: 'thrown', error: thrown.error };
  if (watch.frames === 0) return { type: 'page', body: watch.head, headers };
  const ended = watch.reader.ended();
  if (!ended) {
    return { type: 'protocol', what: 'ended its stream before it said that the answer was complete' };
  }
  return 'trouble' in ended ? ended.trouble : offenceOf(end);
};

/** What the library made of the answer is not what came. */
const offenceOf = ({ parts, watch, protocol }: End): Trouble | undefined => {
  const offence = parts.error();
  if (offence) {
    const detail = offence.error instanceof Error ? offence.error.message : JSON.stringify(offence.error);
    return { type: 'protocol', what: `sent a piece of its stream that is no ${protocol.frameName}`, detail };
  }
  const calls = parts.calls();
  const announced = watch.reader.announced();
  const isCalling = reasonOf(watch) === 'tool_calls';
  if (calls.length < (announced.calls ?? 0) || (calls.length === 0 && isCalling)) {
    return {
      type: 'protocol',
      what: `announced a tool call and sent ${calls.length === 0 ? 'none' : 'fewer'}`,
    };
  }
  const chars = calls.reduce((sum, call) => sum + call.raw_input.length, 0);
  if (announced.argumentChars === undefined || chars === announced.argumentChars) return undefined;
  return {
    type: 'protocol',
    what: 'sent tool calls whose arguments cannot be told apart',
    detail: `${announced.argumentChars} characters of arguments came, ${chars} could be attributed`,
  };
};

const reasonOf = ({ reader }: Watch) => {
  const ended = reader.ended();
  return ended && 'reason' in ended ? ended.reason : 'other';
};

const failureOf = (end: End): Failure | undefined => {
  // Asked first: an abort comes back wrapped in whatever was going on.
  if (end.signal.aborted) return cancelled();
  const trouble = troubleOf(end);
  return trouble && classify(trouble, end.at, end.endpoint.clock.now());
};

function* conclude(end: End): Generator<ModelEvent> {
  const usage = end.watch.reader.usage();
  const counted = usage && { usage };
  const failure = failureOf(end);
  if (failure) {
    yield { type: 'failure', failure, ...counted };
    return;
  }
  for (const part of end.parts.whole()) yield { type: 'part', part };
  yield { type: 'finish', reason: reasonOf(end.watch), ...counted };
}
