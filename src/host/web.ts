/**
 * Opens one page of the web as text: what the person allowed and nothing beside it. Redirects are followed within the origin
 * only, a public name that leads into a private network is refused, and at most 2 MB are read.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { Web, WebPage } from '../ports.js';
import { cancelled, isFailure, toolFailure, type Failure } from '../shared/failure.js';

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;

export interface WebParts {
  fetch: typeof fetch;
  /** The addresses a name stands for. */
  addresses: (host: string) => Promise<string[]>;
}

const ours: WebParts = {
  fetch: (...args) => fetch(...args),
  addresses: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
};

export function createWeb({ fetch, addresses }: WebParts = ours): Web {
  return {
    nearby: ({ hostname }) => nearbyName(hostname),
    async open(url, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        const hidden = await hiddenPlace(url, addresses);
        return hidden ?? (await follow(url, fetch, limited));
      } catch (error) {
        if (signal.aborted) return cancelled();
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

// ------------------------------------------------------------------------------------------------ where it is

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addSubnet('0.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');
loopback.addAddress('::', 'ipv6');

const inside = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  inside.addSubnet(net, bits);
inside.addSubnet('fc00::', 7, 'ipv6');
inside.addSubnet('fe80::', 10, 'ipv6');

function nearbyName(hostname: string): string | null {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(host) !== 0) return nearbyAddress(host);
  if (host === 'localhost' || host.endsWith('.localhost')) return 'on this computer';
  const isInside = !host.includes('.') || /\.(local|internal|intranet|lan|home|corp|home\.arpa)$/.test(host);
  return isInside ? 'in your own network' : null;
}

function nearbyAddress(address: string): string | null {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'on this computer';
  return inside.check(address, family) ? 'in your own network' : null;
}

/** What the card could not tell: the name of a public page that stands for an address close by. */
async function hiddenPlace(url: URL, addresses: WebParts['addresses']): Promise<Failure | null> {
  if (nearbyName(url.hostname) !== null || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  // Behind a proxy names may not be known here; whoever answers is then asked by name.
  const found = await addresses(url.hostname).catch((): string[] => []);
  const near = found.find((address) => nearbyAddress(address) !== null);
  if (near === undefined) return null;
  return toolFailure(
    'private',
    `${url.hostname} stands for ${near}, an address ${nearbyAddress(near) ?? ''}, which its name does not say. Nothing was asked of it. Fetch that address itself if it is meant.`,
  );
}

// ------------------------------------------------------------------------------------------------ what it says

async function follow(from: URL, fetch: WebParts['fetch'], signal: AbortSignal): Promise<WebPage | Failure> {
  let url = from;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await fetch(url.href, {
      redirect: 'manual',
      credentials: 'omit',
      signal,
      headers: {
        accept: 'text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1',
        'user-agent': 'Bough',
      },
    });
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null)
      return readPage(url, response);
    await response.body?.cancel();
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

async function readPage(url: URL, response: Response): Promise<WebPage | Failure> {
  const given = response.headers.get('content-type') ?? '';
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!isText(type)) {
    await response.body?.cancel();
    return toolFailure('not-text', `${url.href} is ${type}, not text, so it was not read.`);
  }
  const { bytes, isCut } = await readBytes(response);
  if (type === '' && bytes.includes(0))
    return toolFailure('not-text', `${url.href} is not text, so it was not read.`);
  const charset = /charset=["']?([\w-]+)/i.exec(given)?.[1] ?? charsetIn(bytes);
  return { url: url.href, status: response.status, type, text: decode(bytes, charset), isCut };
}

async function readBytes(response: Response): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size <= MAX_BYTES) continue;
    await reader.cancel();
    return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), isCut: true };
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
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
