import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo, type LookupFunction } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nearbyAddress } from '../../../src/host/nearby.js';
import { createWeb } from '../../../src/host/web.js';

const signal = new AbortController().signal;
let server: Server;
let origin: string;
const asked: string[] = [];

const packed = (response: ServerResponse, how: string, bytes: Uint8Array) =>
  response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': how }).end(bytes);

const answers: Record<string, (response: ServerResponse) => void> = {
  '/page': (response) => response.setHeader('content-type', 'text/html').end('<p>ä</p>'),
  '/latin': (response) =>
    response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from('ä', 'latin1')),
  '/meta': (response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(Buffer.from('<meta charset="windows-1252"><p>ä</p>', 'latin1')),
  '/here': (response) => response.writeHead(302, { location: '/page' }).end(),
  '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
  '/away': (response) => response.writeHead(302, { location: 'http://example.com/steal?x=1' }).end(),
  '/script': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/image': (response) => response.setHeader('content-type', 'image/png').end('x'),
  '/none': (response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here'),
  '/huge': (response) => response.setHeader('content-type', 'text/plain').end('x'.repeat(3 * 1024 * 1024)),
  '/gzip': (response) => packed(response, 'gzip', gzipSync('packed')),
  '/br': (response) => packed(response, 'br', brotliCompressSync('packed')),
  '/bomb': (response) => packed(response, 'gzip', gzipSync('x'.repeat(30 * 1024 * 1024))),
  '/broken': (response) => packed(response, 'gzip', Buffer.from('this is no gzip')),
  '/odd': (response) => packed(response, 'odd', Buffer.from('x')),
  '/hangs': () => undefined,
};

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.url ?? ''} ${String(request.headers.cookie)}`);
    answers[request.url ?? '']?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = (path: string) => createWeb().open(new URL(path, origin), signal);

describe('a page of the web', () => {
  it('comes as text in its own encoding, with its status', async () => {
    expect(await open('/page')).toEqual({
      ...{ url: `${origin}/page`, status: 200, type: 'text/html', text: '<p>ä</p>', isCut: false },
    });
    expect(await open('/latin')).toMatchObject({ text: 'ä' });
    expect(await open('/meta')).toMatchObject({ text: expect.stringContaining('ä') as string });
    expect(await open('/none')).toMatchObject({ status: 404, text: 'nothing here' });
  });

  it('is followed within its site only; where else it leads is told and not opened', async () => {
    expect(await open('/here')).toMatchObject({ url: `${origin}/page` });
    expect(await open('/away')).toMatchObject({
      code: 'other-origin',
      message: expect.stringContaining('http://example.com/steal?x=1') as string,
    });
    expect(await open('/script')).toMatchObject({ code: 'other-origin' });
    expect(await open('/round')).toMatchObject({ code: 'redirects' });
  });

  it('is read up to 2 MB, and only when it is text', async () => {
    expect(await open('/huge')).toMatchObject({ isCut: true });
    expect(await open('/image')).toMatchObject({ code: 'not-text' });
  });

  it('ends with Stop, and says when nobody answers', async () => {
    const controller = new AbortController();
    const waiting = createWeb().open(new URL('/hangs', origin), controller.signal);
    controller.abort();
    expect(await waiting).toMatchObject({ kind: 'cancelled' });
    expect(await createWeb().open(new URL('http://127.0.0.1:1/'), signal)).toMatchObject({
      code: 'unreachable',
    });
  });

  it.each([
    ['http://localhost:3000/', 'on this computer'],
    ['http://a.localhost/', 'on this computer'],
    ['http://127.1/', 'on this computer'],
    ['http://0x7f000001/', 'on this computer'],
    ['http://2130706433/', 'on this computer'],
    ['http://[::1]/', 'on this computer'],
    ['http://[::ffff:127.0.0.1]/', 'on this computer'],
    ['http://0.0.0.0/', 'on this computer'],
    ['http://10.1.2.3/', 'in your own network'],
    ['http://192.168.0.1/', 'in your own network'],
    ['http://169.254.169.254/latest/meta-data', 'in your own network'],
    ['http://[fd00::1]/', 'in your own network'],
    ['http://printer/', 'in your own network'],
    ['http://nas.local/', 'in your own network'],
    ['https://example.com/', null],
    ['http://8.8.8.8/', null],
  ])('%s is %s', (url, where) => {
    expect(createWeb().nearby(new URL(url))).toBe(where);
  });

  it.each([
    ['http://[64:ff9b::7f00:1]/', 'on this computer'],
    ['http://[64:ff9b::10.0.0.0]/', 'in your own network'],
    ['http://[64:ff9b::169.254.169.254]/', 'in your own network'],
    ['http://[64:ff9b::]/', 'on this computer'],
    ['http://[64:ff9b::8.8.8.8]/', null],
    ['http://[64:ff9b:1::8.8.8.8]/', 'in your own network'],
  ])('%s, an address that is translated, is %s', (url, where) => {
    expect(createWeb().nearby(new URL(url))).toBe(where);
  });

  it('comes unpacked, and says when it cannot be', async () => {
    expect(await open('/gzip')).toMatchObject({ text: 'packed', isCut: false });
    expect(await open('/br')).toMatchObject({ text: 'packed' });
    expect(await open('/bomb')).toMatchObject({ isCut: true });
    for (const path of ['/broken', '/odd']) expect(await open(path)).toMatchObject({ code: 'unreachable' });
  });
});

describe('a public name that stands for an address close by', () => {
  /** Each look at a name finds the next of these. */
  const finding = (...answers: string[][]): LookupFunction => {
    return (_host, { all }, done) => {
      const found = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
      const addresses = found.map((address) => ({ address, family: isIP(address) }));
      if (all === true) done(null, addresses);
      else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
    };
  };
  const at = (host: string, path: string): URL => new URL(path, origin.replace('127.0.0.1', host));

  it.each([
    ['127.0.0.1'],
    ['93.184.216.34', '10.0.0.1'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fe80::1%lo'],
  ])('is refused before anything is asked of it: %s', async (...addresses) => {
    asked.length = 0;
    const web = createWeb({ lookup: finding(addresses), nearby: nearbyAddress });
    const page = await web.open(at('rebind.example.com', '/page'), signal);
    expect(page).toMatchObject({
      code: 'private',
      message: expect.stringContaining(
        `rebind.example.com stands for ${addresses.at(-1) ?? ''}, an address `,
      ) as string,
    });
    expect(asked).toEqual([]);
  });

  it('is refused at the connection that would be made, also on a later hop', async () => {
    asked.length = 0;
    const nearby = (address: string) => (address === '127.0.0.1' ? null : nearbyAddress(address));
    const web = createWeb({ lookup: finding(['127.0.0.1'], ['127.0.0.2']), nearby });
    expect(await web.open(at('rebind.example.com', '/here'), signal)).toMatchObject({ code: 'private' });
    expect(asked.map((line) => line.split(' ')[0])).toEqual(['/here']);
  });

  it('is opened where the name says that it is close by', async () => {
    const web = createWeb({ lookup: finding(['127.0.0.1']), nearby: nearbyAddress });
    expect(await web.open(at('app.localhost', '/page'), signal)).toMatchObject({ text: '<p>ä</p>' });
  });

  it('is not opened when nobody knows it', async () => {
    const lookup: LookupFunction = (host, _options, done) => done(new Error(`ENOTFOUND ${host}`), '', 0);
    const web = createWeb({ lookup, nearby: nearbyAddress });
    expect(await web.open(new URL('https://nobody.example.com/'), signal)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ENOTFOUND nobody.example.com') as string,
    });
  });
});
