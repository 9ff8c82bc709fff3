import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, it, expect } from 'vitest';
import { nodeFetch } from '../../../src/models/node-fetch.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
const serve = async (listener: RequestListener): Promise<string> => {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/x`;
};

describe('fetch over node:http', () => {
  it('sends method, headers and a body of known length, and gives status, headers and body', async () => {
    const url = await serve((request, response) => {
      request.pipe(
        response.writeHead(201, {
          'x-method': request.method,
          'x-length': request.headers['content-length'],
          'x-own': request.headers['x-own'],
        }),
      );
    });
    const response = await nodeFetch(url, { method: 'POST', headers: { 'X-Own': 'yes' }, body: 'größer' });
    expect([
      response.status,
      response.headers.get('x-method'),
      response.headers.get('x-length'),
      response.headers.get('x-own'),
    ]).toEqual([201, 'POST', '8', 'yes']);
    expect(await response.text()).toBe('größer');
  });

  it('takes an answer without a body', async () => {
    const response = await nodeFetch(await serve((_, response) => void response.writeHead(204).end()));
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it('follows no redirect', async () => {
    const response = await nodeFetch(
      await serve((_, response) => void response.writeHead(302, { location: '/y' }).end()),
    );
    expect([response.status, response.headers.get('location')]).toEqual([302, '/y']);
  });

  it('D1: a body that breaks off is an error with a code, chunked and with a length', async () => {
    for (const headers of [{}, { 'content-length': '100' }]) {
      const url = await serve((_, response) => {
        response.writeHead(200, headers);
        response.write('half', () => response.socket?.destroy());
      });
      const response = await nodeFetch(url);
      await expect(response.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('reads an answer that a proxy pressed (%s), and sees when it breaks off', async (packing, press) => {
    const packed = press('data: größer\n\n'.repeat(1000));
    const whole = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': packing }).end(packed),
    );
    expect(await (await nodeFetch(whole)).text()).toBe('data: größer\n\n'.repeat(1000));
    for (const isCut of [true, false]) {
      const half = await serve((_, response) => {
        response.writeHead(200, { 'content-encoding': packing });
        response.write(packed.subarray(0, packed.length - 9), () =>
          isCut ? response.socket?.destroy() : response.end(),
        );
      });
      const response = await nodeFetch(half);
      await expect(response.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
  });

  it('D1: gives all that came before the break, also when it is read late', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((request, response) => {
      request.socket.once('close', () => closed?.());
      response.writeHead(200);
      for (const piece of ['one ', 'two ', 'three']) response.write(piece);
      response.write('', () => response.socket?.destroy());
    });
    const reader = (await nodeFetch(url)).body?.getReader();
    await gone;
    await new Promise((resolve) => setTimeout(resolve, 20));
    let text = '';
    const read = async (): Promise<void> => {
      for (;;) {
        const next = await reader?.read();
        if (next === undefined || next.done) return;
        text += new TextDecoder().decode(next.value);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(text).toBe('one two three');
  });

  it('lets a server that is faster than its reader wait, and loses nothing', async () => {
    const whole = Buffer.alloc(8 * 1024 * 1024, 'x');
    const url = await serve((_, response) => void response.writeHead(200).end(whole));
    const response = await nodeFetch(url);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await response.arrayBuffer()).byteLength).toBe(whole.length);
  });

  it('refuses with the code of the socket', async () => {
    const url = await serve((request) => request.socket.resetAndDestroy());
    await expect(nodeFetch(url)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('rejects with the reason of the signal: before, while waiting, and in the body', async () => {
    const reason = new Error('enough');
    const stopped = expect.objectContaining({ message: 'enough' });
    await expect(nodeFetch('http://127.0.0.1:1/', { signal: AbortSignal.abort(reason) })).rejects.toEqual(
      stopped,
    );

    const stop = new AbortController();
    const url = await serve(() => stop.abort(reason));
    await expect(nodeFetch(url, { signal: stop.signal })).rejects.toEqual(stopped);

    const late = new AbortController();
    const streaming = await serve((_, response) => void response.writeHead(200).write('half'));
    const reader = (await nodeFetch(streaming, { signal: late.signal })).body?.getReader();
    await reader?.read();
    late.abort(reason);
    await expect(reader?.read()).rejects.toThrow();
  });

  it('lets go of the connection when the body is cancelled', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((request, response) => {
      request.socket.once('close', () => closed?.());
      response.writeHead(200).write('half');
    });
    await (await nodeFetch(url)).body?.cancel();
    await gone;
  });
});
