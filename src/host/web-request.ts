/**
 * One request to the web whose address is checked where the connection is made: between a look at the name and the
 * connection the name may come to stand for something else.
 *
 * Over node:http and node:https, not `fetch`, which takes no lookup. VS Code puts its proxies into these modules as well:
 * there the proxy is asked by name and looks it up in its own place, so nothing is looked up or checked here; what goes
 * out directly comes through this lookup, and a name that is not found is not opened.
 */
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';

/** The name stands for an address close by. */
export class HiddenPlace extends Error {
  constructor(
    readonly host: string,
    readonly address: string,
    readonly place: string,
  ) {
    super(`${host} stands for ${address}`);
  }
}

export const systemLookup: LookupFunction = (host, options, done) => dns.lookup(host, options, done);

export interface AskOptions {
  lookup: LookupFunction;
  /** Where an address is that may not be connected to; null for one that may. */
  nearby: (address: string) => string | null;
  signal: AbortSignal;
}

export async function ask(url: URL, { lookup, nearby, signal }: AskOptions): Promise<http.IncomingMessage> {
  signal.throwIfAborted();
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    request(url, {
      lookup: checked(lookup, nearby),
      signal,
      headers: {
        accept: 'text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1',
        'accept-encoding': 'gzip, br',
        'user-agent': 'Bough',
      },
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/** One address close by is enough: which of several is connected to is not for us to say. */
function checked(lookup: LookupFunction, nearby: AskOptions['nearby']): LookupFunction {
  return (host, options, done) => {
    lookup(host, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      for (const address of error ? [] : addresses) {
        const place = nearby(address);
        if (place === null) continue;
        done(new HiddenPlace(host, address, place), found, family);
        return;
      }
      done(error, found, family);
    });
  };
}

/** What it says, unpacked. A reader that stops early ends the connection. */
export function bodyOf(response: http.IncomingMessage): Readable {
  const unpack = unpacker(response);
  if (unpack === undefined) return response;
  // Whoever reads what comes out gets the error there.
  return pipeline(response, unpack, () => undefined);
}

function unpacker(response: http.IncomingMessage) {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'deflate':
      return zlib.createInflate();
    case undefined:
    case '':
    case 'identity':
      return undefined;
    default:
      response.destroy();
      throw new Error(`it is packed as "${encoding}", which cannot be unpacked.`);
  }
}
