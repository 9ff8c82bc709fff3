/** A server of tools over HTTP that wants a sign-in, and the one that gives it: both strict, on one port. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accountOf, type Account } from '../../../../src/host/mcp/account.js';
import { usual } from './fake-server.js';

export interface OAuthServer {
  url: string;
  origin: string;
  /** What was asked for: method and path, in order. */
  asked: string[];
  /** Every token it ever gave. */
  given: string[];
  /** Headers that reached the paths of the sign-in. */
  seenBySignIn: Record<string, unknown>[];
  /** No access token is taken any more; with `all` no sign-in either. */
  forget(all?: boolean): void;
  /** Of the next call: more rights than anybody has. */
  wantMore(scope: string): void;
  /** Whether it takes clients that it does not know. */
  register(how: 'open' | 'none' | 'refused'): void;
  /** Somebody registered this client with it. */
  know(clientId: string, redirect: string): void;
  close(): Promise<void>;
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const clients = new Map<string, string[]>();
  const codes = new Map<string, URLSearchParams>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const about = {
    asked: [] as string[],
    given: [] as string[],
    seenBySignIn: [] as Record<string, unknown>[],
  };
  let more: string | undefined;
  let registration: 'open' | 'none' | 'refused' = 'open';
  const give = (): object => {
    const [token, renewal] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.add(token);
    refresh.add(renewal);
    about.given.push(token, renewal);
    return { access_token: token, token_type: 'Bearer', refresh_token: renewal, scope: 'tools' };
  };
  const token = (form: URLSearchParams): object | undefined => {
    if (form.get('grant_type') === 'refresh_token')
      return refresh.delete(form.get('refresh_token') ?? '') ? give() : undefined;
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isTheirs =
      asked?.get('code_challenge') === proof &&
      asked.get('redirect_uri') === form.get('redirect_uri') &&
      asked.get('resource') === form.get('resource');
    return isTheirs ? give() : undefined;
  };
  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const redirect = query.get('redirect_uri') ?? '';
    const isKnown = clients.get(query.get('client_id') ?? '')?.includes(redirect) ?? false;
    if (!isKnown || query.get('code_challenge_method') !== 'S256') return void response.writeHead(400).end();
    const code = randomUUID();
    codes.set(code, query);
    const back = new URL(redirect);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  };
  const challenge = (origin: string, rest = ''): Record<string, string> => ({
    'www-authenticate': `Bearer resource_metadata="${origin}/where-to-sign-in", scope="tools"${rest}`,
  });
  const speak = (origin: string, request: IncomingMessage, body: string, response: ServerResponse): void => {
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!access.has(bearer)) return void response.writeHead(401, challenge(origin)).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: Record<string, unknown>;
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call' && more !== undefined) {
      const rest = `, error="insufficient_scope"`;
      const header =
        challenge(origin, rest)['www-authenticate']?.replace('scope="tools"', `scope="${more}"`) ?? '';
      more = undefined;
      return void response.writeHead(403, { 'www-authenticate': header }).end();
    }
    json(response, { jsonrpc: '2.0', id, result: usual[method]?.(params ?? {}) ?? {} });
  };
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
      const { pathname, searchParams } = new URL(request.url ?? '/', origin);
      about.asked.push(`${request.method ?? ''} ${pathname}`);
      if (pathname === '/mcp') return speak(origin, request, body, response);
      about.seenBySignIn.push(request.headers);
      switch (pathname) {
        case '/where-to-sign-in':
          return json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
        case '/.well-known/oauth-authorization-server':
          return json(response, {
            ...{ issuer: origin, authorization_endpoint: `${origin}/authorize` },
            token_endpoint: `${origin}/token`,
            ...(registration !== 'none' ? { registration_endpoint: `${origin}/register` } : {}),
            ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
            token_endpoint_auth_methods_supported: ['none'],
          });
        case '/register': {
          if (registration === 'refused') return json(response, { error: 'access_denied' }, 403);
          const metadata = JSON.parse(body) as { redirect_uris: string[] };
          const client_id = randomUUID();
          clients.set(client_id, metadata.redirect_uris);
          return json(response, { ...metadata, client_id }, 201);
        }
        case '/authorize':
          return authorize(searchParams, response);
        case '/token': {
          const tokens = token(new URLSearchParams(body));
          return json(response, tokens ?? { error: 'invalid_grant' }, tokens === undefined ? 400 : 200);
        }
        default:
          response.writeHead(404).end();
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    ...about,
    ...{ origin, url: `${origin}/mcp` },
    forget(all = false) {
      access.clear();
      if (all) refresh.clear();
    },
    wantMore: (scope) => void (more = scope),
    register: (how) => void (registration = how),
    know: (clientId, redirect) => void clients.set(clientId, [redirect]),
    close: () => new Promise((done) => (server.close(() => done()), server.closeAllConnections())),
  };
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** An account whose secrets are in memory. */
export function memoryAccount(secrets = new Map<string, string>(), hidden: string[] = []): Account {
  const known = {
    ...{ id: 'user\none', scope: 'user', file: 'your mcp.json', folder: undefined, name: 'one', hash: '' },
    ...{ config: { type: 'http' as const, url: 'http://127.0.0.1:1', headers: {} }, inputs: [] },
  };
  return accountOf(known, {
    secrets: {
      get: (name) => Promise.resolve(secrets.get(name)),
      store: (name, value) => Promise.resolve(void secrets.set(name, value)),
      delete: (name) => Promise.resolve(void secrets.delete(name)),
    },
    hide: (words) => hidden.push(...words),
  });
}
