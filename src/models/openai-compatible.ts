/**
 * Chat completions over HTTP behind the Model port: one request an attempt, no retries, and exactly one `finish` or one
 * `failure` at its end. The protocol library maps the frames; whether the answer was whole is decided by what came over
 * the wire (stream-watch), never by the library's idea of it.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Clock, Model, ModelEvent, ModelInfo, ModelRequest, Usage } from '../ports.js';
import { cancelled, type Failure } from '../shared/failure.js';
import { joinUrl, type Fetch } from './address.js';
import { callOptions, LIBRARY_NAME, needsReasoningEcho, type RequestRules } from './chat-request.js';
import { classify, type Trouble } from './classify.js';
import { brokenOffBy, finishOf, usageOf } from './chat-finish.js';
import { collectParts, type Parts } from './chat-parts.js';
import { letGo, orStopped } from './stopping.js';
import { createWatch, watchingFetch, type Watch } from './stream-watch.js';
import type { Endpoint } from './verdicts.js';

export interface ChatEndpoint {
  info: ModelInfo;
  baseUrl: string;
  headers?: Record<string, string>;
  /** Asked for each attempt, so that a key set meanwhile counts. Without a key no auth header is sent. */
  key: () => Promise<string | undefined>;
  fetch: Fetch;
  clock: Clock;
}

type AttemptOptions = Parameters<Model['attempt']>[1];

export const createChatModel = (endpoint: ChatEndpoint): Model => ({
  info: endpoint.info,
  attempt: (request, options) => attempt(endpoint, request, options),
});

async function* attempt(
  endpoint: ChatEndpoint,
  request: ModelRequest,
  options: AttemptOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const watch = createWatch();
  const parts = collectParts(watch);
  const exchange = openExchange(endpoint, watch, options);
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
  yield* conclude({ endpoint, watch, parts, thrown, at: exchange.at(), signal: options.signal });
}

// ------------------------------------------------------------------------------------------------------ the exchange

interface Exchange {
  /** Sends the request; resolves with the status when an answer began. */
  start(request: ModelRequest): Promise<number | undefined>;
  next(): Promise<LanguageModelV4StreamPart | undefined>;
  close(): void;
  at(): Endpoint;
}

const openExchange = (
  endpoint: ChatEndpoint,
  watch: Watch,
  { signal, onBytes }: AttemptOptions,
): Exchange => {
  const { info, baseUrl } = endpoint;
  const at: Endpoint = { provider: info.provider, model: info.id, baseUrl, hasKey: false, secrets: [] };
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
      const model = libraryModel(endpoint, key, watchingFetch(endpoint.fetch, watch, { onBytes }));
      const sent = model.doStream({ ...callOptions(request, info, rulesOf(endpoint)), abortSignal: signal });
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

const libraryModel = ({ info, baseUrl, headers }: ChatEndpoint, key: string | undefined, fetch: Fetch) =>
  createOpenAICompatible({
    name: LIBRARY_NAME,
    baseURL: joinUrl(baseUrl, ''),
    includeUsage: true,
    ...(key !== undefined && { apiKey: key }),
    ...(headers && { headers }),
    fetch,
  }).chatModel(info.id);

const rulesOf = ({ info, baseUrl }: ChatEndpoint): RequestRules => ({
  echoReasoning: needsReasoningEcho(baseUrl, info.id),
  images: info.images !== false,
});

/** Values that look like keys: headers of settings may carry them under any name. */
const secretHeaders = (headers: Record<string, string> = {}): string[] =>
  Object.values(headers).filter((value) => value.length >= 8);

// ----------------------------------------------------------------------------------------------------------- the end

interface End {
  endpoint: ChatEndpoint;
  watch: Watch;
  parts: Parts;
  thrown: { error: unknown } | undefined;
  at: Endpoint;
  signal: AbortSignal;
}

/** What was wrong with the answer, most certain first; undefined when it was whole. */
const troubleOf = ({ watch, parts, thrown }: End): Trouble | undefined => {
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
  if (thrown) return { type: 'thrown', error: thrown.error };
  if (watch.frames === 0) return { type: 'page', body: watch.head, headers };
  if (watch.finishReason === undefined) {
    return { type: 'protocol', what: 'ended its stream before it said that the answer was complete' };
  }
  return brokenOffBy(watch.finishReason) ?? offenceOf(parts, watch);
};

const offenceOf = (parts: Parts, watch: Watch): Trouble | undefined => {
  const offence = parts.error();
  if (offence) {
    const detail = offence.error instanceof Error ? offence.error.message : JSON.stringify(offence.error);
    return { type: 'protocol', what: 'sent a piece of its stream that is no chat completion', detail };
  }
  const calls = parts.calls();
  if (calls.length === 0 && finishOf(watch.finishReason ?? '') === 'tool_calls') {
    return { type: 'protocol', what: 'announced a tool call and sent none' };
  }
  const chars = calls.reduce((sum, call) => sum + call.raw_input.length, 0);
  if (chars === watch.argumentChars) return undefined;
  return {
    type: 'protocol',
    what: 'sent tool calls whose arguments cannot be told apart',
    detail: `${watch.argumentChars} characters of arguments came, ${chars} could be attributed`,
  };
};

const failureOf = (end: End): Failure | undefined => {
  // Asked first: an abort comes back wrapped in whatever was going on.
  if (end.signal.aborted) return cancelled();
  const trouble = troubleOf(end);
  return trouble && classify(trouble, end.at, end.endpoint.clock.now());
};

function* conclude(end: End): Generator<ModelEvent> {
  const usage: Usage | undefined = usageOf(end.watch.usage);
  const counted = usage && { usage };
  const failure = failureOf(end);
  if (failure) {
    yield { type: 'failure', failure, ...counted };
    return;
  }
  for (const part of end.parts.whole()) yield { type: 'part', part };
  yield { type: 'finish', reason: finishOf(end.watch.finishReason ?? ''), ...counted };
}
