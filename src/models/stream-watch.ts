/**
 * Stands between the network and the protocol library and decides by itself what an answer was: whether it was an event
 * stream, whether it said how it ended, whether an error hid in it. Only sound frames pass; at the protocol's end, an
 * error or a broken frame the stream is over, whatever bytes follow.
 */
import type { Clock } from '../ports.js';
import type { Fetch } from './address.js';
import { createEventDecoder, type StreamEvent } from './event-stream.js';
import { isRecord, parseJson, type Json } from './json.js';
import { letGo } from './stopping.js';
import type { FrameReader } from './wire.js';

/** How much of an answer that is no event stream is kept to say what it was. */
const HEAD_BYTES = 64 * 1024;

/** How long a stream may stay open behind a complete answer before it is taken for over. */
const GRACE_MS = 2_000;

/** What was seen of one answer. */
export interface Watch {
  reader: FrameReader;
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
  /** What broke the connection off. */
  lost: { error: unknown } | undefined;
}

export const createWatch = (reader: FrameReader): Watch => ({
  reader,
  status: undefined,
  headers: {},
  refusal: undefined,
  head: '',
  frames: 0,
  error: undefined,
  broken: undefined,
  lost: undefined,
});

/** The error a frame carries, or is. */
const errorOf = (frame: Json): unknown => {
  if (frame['error'] != null) return frame['error'];
  return frame['object'] === 'error' || frame['type'] === 'error' ? frame : undefined;
};

type Verdict = { pass: string; isLast: boolean } | 'skip' | 'stop';

const judge = (watch: Watch, { event, data }: StreamEvent): Verdict => {
  const text = data?.trim() ?? '';
  // A frame without data is a keepalive, unless it is an error.
  if (text === '' && event !== 'error') return 'skip';
  if (text === '[DONE]') return 'stop';
  const frame = parseJson(text);
  const error = isRecord(frame) ? errorOf(frame) : undefined;
  if (error !== undefined || event === 'error') {
    const value = error ?? frame ?? (text === '' ? undefined : text);
    if (!watch.reader.isComplete()) watch.error = { value };
    return 'stop';
  }
  if (!isRecord(frame)) {
    if (!watch.reader.isComplete()) watch.broken = text;
    return 'stop';
  }
  return judgeFrame(watch, frame, text);
};

const judgeFrame = (watch: Watch, frame: Json, text: string): Verdict => {
  watch.frames += 1;
  const reading = watch.reader.read(frame);
  switch (reading.go) {
    case 'on':
    case 'end': {
      const isLast = reading.go === 'end';
      if (reading.go === 'on' && reading.frame) return { pass: JSON.stringify(reading.frame), isLast };
      // The library takes `error: null` for an error.
      if ('error' in frame) return { pass: JSON.stringify({ ...frame, error: undefined }), isLast };
      return { pass: text.replaceAll('\n', ' '), isLast };
    }
    case 'past':
      return 'skip';
    case 'over':
      return 'stop';
    case 'error':
      watch.error = { value: reading.error };
      return 'stop';
  }
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
      if (verdict === 'skip') continue;
      text += `data: ${verdict.pass}\n\n`;
      if (verdict.isLast) return { text, isOver: true };
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

export interface Seeing {
  onBytes: () => void;
  clock: Clock;
}

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

/** Behind a whole answer neither a break nor a silence matters. */
const readOn = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  watch: Watch,
  clock: Clock,
): Promise<Read> => {
  const isWhole = watch.reader.isWhole?.() ?? watch.reader.isComplete();
  if (!isWhole) return reader.read();
  const over: Read = { done: true, value: undefined };
  return new Promise((resolve) => {
    const timer = clock.after(GRACE_MS, () => resolve(over));
    const settle = (read: Read): void => {
      timer.dispose();
      resolve(read);
    };
    reader.read().then(settle, () => settle(over));
  });
};

const soundFrames = (
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  { onBytes, clock }: Seeing,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  const sieve = createSieve(watch);
  const encoder = new TextEncoder();
  const next = async (): Promise<Sifted> => {
    let read: Read;
    try {
      read = await readOn(reader, watch, clock);
    } catch (error) {
      // An error in the library's own streams would drop what they still hold: this one ends, and the watch knows why.
      watch.lost = { error };
      return { text: '', isOver: true };
    }
    if (read.done) return sieve.end();
    onBytes();
    return sieve.push(read.value);
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
const refused = new Error('refused');

export const watchingFetch = (base: Fetch, watch: Watch, seeing: Seeing): Fetch => {
  return async (input, init) => {
    // A redirect would carry prompt and headers to a host that nobody chose.
    const response = await base(input, { ...init, redirect: 'manual' });
    watch.status = response.status;
    watch.headers = Object.fromEntries(response.headers.entries());
    if (!response.ok || /html/i.test(watch.headers['content-type'] ?? '')) {
      watch.refusal = await readHead(response.body, seeing.onBytes);
      throw refused;
    }
    const body = response.body ?? new ReadableStream({ start: (controller) => controller.close() });
    return new Response(soundFrames(body, watch, seeing), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
};
