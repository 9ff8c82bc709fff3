/**
 * Stands between the network and the protocol library and decides by itself what a chat-completions answer was: whether
 * it was an event stream, whether it said how it ended, whether an error hid in it. Only sound frames pass; at the
 * protocol's end, an error or a broken frame the stream is over, whatever bytes follow.
 */
import type { Fetch } from './address.js';
import { createEventDecoder, type StreamEvent } from './event-stream.js';
import { isRecord, parseJson, textOf, type Json } from './json.js';
import { letGo } from './stopping.js';

/** How much of an answer that is no event stream is kept to say what it was. */
const HEAD_BYTES = 64 * 1024;

/** What was seen of one answer. */
export interface Watch {
  status: number | undefined;
  headers: Record<string, string>;
  /** The body (its head) of a status that is no success, or of a page. */
  refusal: string | undefined;
  /** The body's head as long as it held no frame. */
  head: string;
  frames: number;
  /** A top-level error; `value` is undefined when it came without data. */
  error: { value: unknown } | undefined;
  /** A frame that is no JSON object. */
  broken: string | undefined;
  finishReason: string | undefined;
  isDone: boolean;
  /** Usage as the server counted it. */
  usage: Json | undefined;
  /** Characters of tool-call arguments: what the library makes of them must have as many. */
  argumentChars: number;
  /** The field in which reasoning came: some servers want it back under the same name. */
  reasoningField: 'reasoning_content' | 'reasoning' | undefined;
}

export const createWatch = (): Watch => ({
  status: undefined,
  headers: {},
  refusal: undefined,
  head: '',
  frames: 0,
  error: undefined,
  broken: undefined,
  finishReason: undefined,
  isDone: false,
  usage: undefined,
  argumentChars: 0,
  reasoningField: undefined,
});

const noteDelta = (watch: Watch, delta: Json): void => {
  if (typeof delta['reasoning_content'] === 'string') watch.reasoningField = 'reasoning_content';
  else if (typeof delta['reasoning'] === 'string') watch.reasoningField ??= 'reasoning';
  if (!Array.isArray(delta['tool_calls'])) return;
  for (const call of delta['tool_calls'] as unknown[]) {
    const called = isRecord(call) && isRecord(call['function']) ? call['function'] : {};
    watch.argumentChars += textOf(called['arguments'])?.length ?? 0;
  }
};

const noteChunk = (watch: Watch, chunk: Json): void => {
  watch.frames += 1;
  if (isRecord(chunk['usage'])) watch.usage = chunk['usage'];
  const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
  if (!isRecord(choice)) return;
  watch.finishReason = textOf(choice['finish_reason']) ?? watch.finishReason;
  if (isRecord(choice['delta'])) noteDelta(watch, choice['delta']);
};

/** The error a frame carries: top-level, of its first choice, or the frame itself. */
const errorOf = (chunk: Json): unknown => {
  if (chunk['error'] != null) return chunk['error'];
  if (chunk['object'] === 'error' || chunk['type'] === 'error') return chunk;
  const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
  return isRecord(choice) ? (choice['error'] ?? undefined) : undefined;
};

type Verdict = { pass: string } | 'skip' | 'stop';

const judge = (watch: Watch, { event, data }: StreamEvent): Verdict => {
  const text = data?.trim() ?? '';
  if (event === 'error') {
    const value = parseJson(text) ?? (text === '' ? undefined : text);
    watch.error = { value: isRecord(value) ? (errorOf(value) ?? value) : value };
    return 'stop';
  }
  // A frame without data is a keepalive.
  if (text === '') return 'skip';
  if (text === '[DONE]') {
    watch.isDone = true;
    return 'stop';
  }
  const chunk = parseJson(text);
  if (!isRecord(chunk)) {
    watch.broken = text;
    return 'stop';
  }
  const error = errorOf(chunk);
  if (error !== undefined) {
    watch.error = { value: error };
    return 'stop';
  }
  noteChunk(watch, chunk);
  // The library takes `error: null` for an error.
  if ('error' in chunk) return { pass: JSON.stringify({ ...chunk, error: undefined }) };
  return { pass: text.replaceAll('\n', ' ') };
};

interface Sieve {
  /** The sound frames of a network chunk, or of the end of the body, and whether the stream is over with them. */
  push(chunk: Uint8Array): Sifted;
  end(): Sifted;
}
interface Sifted {
  text: string;
  isOver: boolean;
}

const createSieve = (watch: Watch): Sieve => {
  const decoder = createEventDecoder();
  const headDecoder = new TextDecoder();
  let headBytes = 0;
  const keepHead = (chunk: Uint8Array): void => {
    if (watch.frames > 0 || headBytes >= HEAD_BYTES) return;
    watch.head += headDecoder.decode(chunk.subarray(0, HEAD_BYTES - headBytes), { stream: true });
    headBytes += chunk.length;
  };
  const sift = (events: readonly StreamEvent[]): Sifted => {
    let text = '';
    for (const event of events) {
      const verdict = judge(watch, event);
      if (verdict === 'stop') return { text, isOver: true };
      if (verdict !== 'skip') text += `data: ${verdict.pass}\n\n`;
    }
    // A page without an end is no stream either.
    return { text, isOver: watch.frames === 0 && headBytes >= HEAD_BYTES };
  };
  return {
    push(chunk) {
      keepHead(chunk);
      return sift(decoder.push(chunk));
    },
    end() {
      const rest = decoder.rest();
      return { ...sift(rest ? [rest] : []), isOver: true };
    },
  };
};

const soundFrames = (
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  onBytes: () => void,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  const sieve = createSieve(watch);
  const encoder = new TextEncoder();
  const next = async (): Promise<Sifted> => {
    const { done, value } = await reader.read();
    if (done) return sieve.end();
    onBytes();
    return sieve.push(value);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let sifted = await next();
        while (sifted.text === '' && !sifted.isOver) sifted = await next();
        if (sifted.text !== '') controller.enqueue(encoder.encode(sifted.text));
        if (!sifted.isOver) return;
        controller.close();
        letGo(reader);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};

const readHead = async (body: ReadableStream<Uint8Array> | null, onBytes: () => void): Promise<string> => {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let bytes = 0; bytes < HEAD_BYTES;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      onBytes();
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
    letGo(reader);
    return text;
  } catch (error) {
    // The status says what failed; the body that explains it broke off.
    return `${text} [${error instanceof Error ? error.message : String(error)}]`;
  }
};

/** Thrown into the library when `watch.refusal` says it all. */
export const refused = new Error('refused');

export const watchingFetch = (base: Fetch, watch: Watch, seen: { onBytes: () => void }): Fetch => {
  return async (input, init) => {
    // A redirect would carry prompt and headers to a host that nobody chose.
    const response = await base(input, { ...init, redirect: 'manual' });
    watch.status = response.status;
    watch.headers = Object.fromEntries(response.headers.entries());
    if (!response.ok || /html/i.test(watch.headers['content-type'] ?? '')) {
      watch.refusal = await readHead(response.body, seen.onBytes);
      throw refused;
    }
    const body = response.body ?? new ReadableStream({ start: (controller) => controller.close() });
    return new Response(soundFrames(body, watch, seen.onBytes), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
};
