/**
 * Opens one page of the web as text: what the person allowed and nothing beside it. Redirects are followed within the origin
 * only, a public name that leads into a private network is refused, and at most 2 MB are read.
 */
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import type { Web, WebPage } from '../ports.js';
import { cancelled, isFailure, toolFailure, type Failure } from '../shared/failure.js';
import { nearbyAddress, nearbyName } from './nearby.js';
import { ask, bodyOf, HiddenPlace, systemLookup } from './web-request.js';

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;

export interface WebParts {
  lookup: LookupFunction;
  /** Where an address is that the card has to tell of; null for one of the whole net. */
  nearby: (address: string) => string | null;
}

const ours: WebParts = { lookup: systemLookup, nearby: nearbyAddress };

export function createWeb(parts: WebParts = ours): Web {
  return {
    nearby: ({ hostname }) => nearbyName(hostname),
    async open(url, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        return await follow(url, parts, limited);
      } catch (error) {
        if (signal.aborted) return cancelled();
        if (error instanceof HiddenPlace) return hidden(error);
        if (limited.aborted)
          return toolFailure(
            'timeout',
            `${url.href} did not answer within ${String(TIMEOUT_MS / 1000)} seconds.`,
          );
        return toolFailure('unreachable', `${url.href} could not be opened: ${reasonOf(error)}`);
      }
    },
  };
}

/** What the card could not tell: the name of a public page that stands for an address close by. */
const hidden = ({ host, address, place }: HiddenPlace): Failure =>
  toolFailure(
    'private',
    `${host} stands for ${address}, an address ${place}, which its name does not say. It was not connected to. Fetch that address itself if it is meant.`,
  );

async function follow(
  from: URL,
  { lookup, nearby }: WebParts,
  signal: AbortSignal,
): Promise<WebPage | Failure> {
  let url = from;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    // The card said already where these are.
    const isKnown = nearbyName(url.hostname) !== null || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
    const response = await ask(url, { lookup, nearby: isKnown ? () => null : nearby, signal });
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined)
      return readPage(url, response);
    response.destroy();
    const next = nextAddress(url, location);
    if (isFailure(next)) return next;
    url = next;
  }
  return toolFailure('redirects', `${from.href} leads from one address to the next without an end.`);
}

function nextAddress(url: URL, location: string): URL | Failure {
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (next === undefined)
    return toolFailure('redirects', `${url.href} leads to "${location}", which is no address.`);
  const isUpgrade =
    url.protocol === 'http:' &&
    next.protocol === 'https:' &&
    next.hostname === url.hostname &&
    url.port === '' &&
    next.port === '';
  if (next.origin === url.origin || isUpgrade) return next;
  return toolFailure(
    'other-origin',
    `${url.href} leads to ${next.href}, which is another site. It was not opened. Fetch that address to go there: the person is asked about it.`,
  );
}

const isText = (type: string): boolean =>
  type === '' ||
  /^text\/|^application\/(.*\+)?(json|xml|javascript|ecmascript|yaml|toml|x-(yaml|sh|ndjson))$/.test(type);

async function readPage(url: URL, response: IncomingMessage): Promise<WebPage | Failure> {
  const given = response.headers['content-type'] ?? '';
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!isText(type)) {
    response.destroy();
    return toolFailure('not-text', `${url.href} is ${type}, not text, so it was not read.`);
  }
  const { bytes, isCut } = await readBytes(response);
  if (type === '' && bytes.includes(0))
    return toolFailure('not-text', `${url.href} is not text, so it was not read.`);
  const charset = /charset=["']?([\w-]+)/i.exec(given)?.[1] ?? charsetIn(bytes);
  const status = response.statusCode ?? 0;
  return { url: url.href, status, type, text: decode(bytes, charset), isCut };
}

async function readBytes(response: IncomingMessage): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyOf(response)) {
    const bytes = chunk as Uint8Array;
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_BYTES) return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** What a page says of itself at its beginning. */
const charsetIn = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]+charset=["']?([\w-]+)/i.exec(Buffer.from(bytes.subarray(0, 2048)).toString('latin1'))?.[1];

function decode(bytes: Uint8Array, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    // An encoding that nobody knows.
    if (!(error instanceof RangeError)) throw error;
    return new TextDecoder().decode(bytes);
  }
}

function reasonOf(error: unknown): string {
  // Several addresses were tried: each has a reason of its own, the whole has none.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  return first instanceof Error ? first.message : String(first);
}
