/**
 * A fetch over node:http for servers on this machine: without the 300 s limits of the global one, so that a local model
 * may think for as long as our own watchdog lets it. A body that breaks off is an error, never an end. It follows no
 * redirect.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Fetch } from './address.js';
import { asError, reasonOf } from './stopping.js';

const headersOf = (response: IncomingMessage): Headers => {
  const headers = new Headers();
  const raw = response.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i] ?? '', raw[i + 1] ?? '');
  return headers;
};

const brokenOff = (): Error =>
  Object.assign(new Error('the connection was closed before the answer was complete'), {
    code: 'ECONNRESET',
  });

const unpackers: Record<string, () => Readable & NodeJS.WritableStream> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Nothing of the kind is asked for; a proxy in between may press an answer all the same. */
const unpacked = (response: IncomingMessage): Readable => {
  const packing = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const unpacker = Object.hasOwn(unpackers, packing) ? unpackers[packing]?.() : undefined;
  if (!unpacker) return response;
  response.once('close', () => {
    if (!response.complete) unpacker.destroy(brokenOff());
  });
  // What a break leaves is as good as no end, whatever the unpacker calls it.
  response.on('error', () => unpacker.destroy(brokenOff()));
  unpacker.once('close', () => response.destroy());
  return response.pipe(unpacker);
};

/** A server that is read faster than its answer is used waits beyond this. */
const BUFFER_BYTES = 1024 * 1024;

/**
 * Node says "aborted" or nothing at all when a body is cut: both become an error of the stream. What came before the cut
 * is taken as it comes and handed on first: a break in the same moment must not swallow it.
 */
const bodyOf = (response: IncomingMessage): ReadableStream<Uint8Array> => {
  const source = unpacked(response);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let ended: 'whole' | Error | undefined;
  let wake = (): void => undefined;
  const end = (how: 'whole' | Error): void => {
    ended ??= how;
    wake();
  };
  source.on('data', (chunk: Buffer) => {
    chunks.push(new Uint8Array(chunk));
    bytes += chunk.length;
    if (bytes > BUFFER_BYTES) source.pause();
    wake();
  });
  source.once('end', () => end(response.complete ? 'whole' : brokenOff()));
  source.on('error', (error) => end(source === response ? error : brokenOff()));
  source.once('close', () => end(response.complete ? 'whole' : brokenOff()));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (chunks.length === 0 && ended === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
        }
        const chunk = chunks.shift();
        if (chunk === undefined) {
          if (ended === 'whole') return controller.close();
          throw ended ?? brokenOff();
        }
        bytes -= chunk.length;
        if (bytes <= BUFFER_BYTES) source.resume();
        controller.enqueue(chunk);
      },
      cancel() {
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
};

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

const responseOf = (message: IncomingMessage): Response => {
  const status = message.statusCode ?? 0;
  const init = { status, statusText: message.statusMessage ?? '', headers: headersOf(message) };
  if (!hasNoBody(status)) return new Response(bodyOf(message), init);
  message.resume();
  return new Response(null, init);
};

export const nodeFetch: Fetch = (input, init) =>
  new Promise((resolve, reject) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const signal = init?.signal ?? undefined;
    if (signal?.aborted) return reject(reasonOf(signal));
    const body = init?.body ?? undefined;
    if (body !== undefined && typeof body !== 'string') {
      return reject(new TypeError('nodeFetch sends text bodies only'));
    }
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: init?.method ?? 'GET',
      // A body of known length is not sent in chunks, which some small servers cannot read.
      headers: {
        ...Object.fromEntries(new Headers(init?.headers).entries()),
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      timeout: 0,
    });
    const stop = (): void => {
      if (signal) request.destroy(reasonOf(signal));
    };
    signal?.addEventListener('abort', stop, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', stop));
    // Stays for the whole exchange: after the response it is the body's stream that reports the error.
    request.on('error', reject);
    request.once('response', (message) => {
      try {
        resolve(responseOf(message));
      } catch (error) {
        message.destroy();
        reject(asError(error));
      }
    });
    request.end(body);
  });
