/** Signing in to a server over HTTP, through the protocol's own library and a strict server. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../../src/host/clock.js';
import type { Account } from '../../../../src/host/mcp/account.js';
import { connect } from '../../../../src/host/mcp/connect.js';
import { CallError, SignInNeeded, type Interaction } from '../../../../src/host/mcp/connection.js';
import { openRedirect, type Redirect } from '../../../../src/host/mcp/redirect.js';
import { signIn } from '../../../../src/host/mcp/sign-in.js';
import { memoryAccount, startOAuthServer, type OAuthServer } from './oauth-server.js';

let server: OAuthServer;
let redirect: Redirect;
beforeEach(async () => {
  server = await startOAuthServer();
  redirect = await openRedirect('Done.');
});
afterEach(async () => {
  redirect.dispose();
  await server.close();
});

const headers = { 'X-Secret': 'of-the-server' };

function reached(account: Account, known: { clientId?: string } = {}) {
  const events = { onTools: () => undefined, onEnded: () => undefined, onSaid: () => undefined };
  return connect(
    { type: 'http', url: server.url, headers, ...known },
    {
      ...{ version: '1', roots: () => [], supervisor: '', clock: systemClock, env: {}, fetch },
      account,
    },
    { signal: new AbortController().signal, events },
  );
}

const echo = (account: Account) =>
  reached(account).then(async (connection) => {
    const { content } = await connection.call('echo', { a: 1 }, callOptions());
    await connection.close();
    return JSON.stringify(content);
  });

const callOptions = () => ({
  ...{ signal: new AbortController().signal, timeoutMs: 10_000, longestMs: 10_000 },
  onProgress: () => undefined,
});

/** A browser in which the person says yes. */
const browser = (): Interaction => ({
  ...{ redirectUrl: redirect.url, state: redirect.state },
  visit: async (address) => {
    expect(await (await fetch(address)).text()).toBe('Done.');
    return redirect.answer;
  },
});

it('asks nobody, and goes nowhere else, before the person signs in', async () => {
  await expect(reached(memoryAccount())).rejects.toThrow(SignInNeeded);
  expect(new Set(server.asked)).toEqual(new Set(['POST /mcp']));
});

it('signs in, calls, keeps it for the next window, and renews what has run out without asking', async () => {
  const secrets = new Map<string, string>();
  const hidden: string[] = [];
  const account = memoryAccount(secrets, hidden);
  await expect(reached(account)).rejects.toThrow('it asks for a sign-in');
  await signIn({ account, fetch }, browser());
  expect(await echo(account)).toContain('{\\"a\\":1}');
  expect(await echo(memoryAccount(secrets))).toContain('{\\"a\\":1}');

  server.forget();
  expect(await echo(memoryAccount(secrets, hidden))).toContain('{\\"a\\":1}');
  expect(server.asked.filter((asked) => asked === 'GET /authorize')).toHaveLength(1);
  expect(hidden).toEqual(expect.arrayContaining(server.given));
  // What the configuration sends to the server is for nobody else.
  expect(server.seenBySignIn.some((seen) => 'x-secret' in seen)).toBe(false);
});

it('says in the middle of a call that the sign-in is no longer taken, and forgets it', async () => {
  const secrets = new Map<string, string>();
  const account = memoryAccount(secrets);
  await reached(account).catch(() => undefined);
  await signIn({ account, fetch }, browser());
  const connection = await reached(account);
  server.forget(true);
  const refused = await connection.call('echo', {}, callOptions()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CallError);
  expect(refused).toMatchObject({
    trouble: 'signed-out',
    message: expect.stringContaining('no longer taken') as string,
  });
  expect(secrets.size).toBe(0);
  await connection.close();
});

it('asks for a sign-in with more rights, and then for those', async () => {
  const account = memoryAccount();
  await reached(account).catch(() => undefined);
  await signIn({ account, fetch }, browser());
  const connection = await reached(account);
  server.wantMore('write');
  await expect(connection.call('echo', {}, callOptions())).rejects.toMatchObject({ trouble: 'signed-out' });
  await connection.close();
  let address: URL | undefined;
  const looks: Interaction = {
    ...browser(),
    visit: (to) => {
      address = to;
      return Promise.resolve(new URLSearchParams({ error: 'access_denied', error_description: 'not you' }));
    },
  };
  await expect(signIn({ account, fetch }, looks)).rejects.toThrow('its sign-in was refused: not you');
  expect(address?.searchParams.get('scope')).toBe('tools write');
});

it('takes no answer to another sign-in, and keeps nothing of it', async () => {
  const secrets = new Map<string, string>();
  const account = memoryAccount(secrets);
  await reached(account).catch(() => undefined);
  const foreign: Interaction = {
    ...browser(),
    visit: () => Promise.resolve(new URLSearchParams({ code: 'x', state: 'of another' })),
  };
  await expect(signIn({ account, fetch }, foreign)).rejects.toThrow('no answer to it');
  expect((await fetch(`${redirect.url}?code=x&state=of-another`)).status).toBe(404);
  expect(secrets.size).toBe(0);
});

it('a sign-in is for the address it was made at', async () => {
  const secrets = new Map<string, string>();
  const account = memoryAccount(secrets);
  await reached(account).catch(() => undefined);
  await signIn({ account, fetch }, browser());
  const signedIn = await account.read();
  if (signedIn !== undefined) await account.write({ ...signedIn, url: 'https://elsewhere.example/mcp' });
  await expect(reached(account)).rejects.toThrow('it asks for a sign-in');
});

it.each([
  ['none', 'takes none that is not known there'],
  ['refused', 'refused it (403)'],
] as const)('says what to do where no client can register itself: %s', async (how, why) => {
  server.register(how);
  const account = memoryAccount();
  await reached(account).catch(() => undefined);
  const said = await signIn({ account, fetch }, browser()).catch(String);
  const { pathname } = new URL(redirect.url);
  expect(said).toContain(`could not be registered as a client at ${server.origin}, which ${why}.`);
  expect(said).toContain(`comes back to http://127.0.0.1${pathname} with any port`);
  expect(said).toContain('"oauth": { "clientId": "…" }');
});

it.each([
  ['with a client that the configuration names', { clientId: 'known-there' }],
  ['without one', {}],
])('says what else goes wrong as it is, %s', async (_, known) => {
  server.register('none');
  server.know('known-there', redirect.url);
  const account = memoryAccount();
  await reached(account, known).catch(() => undefined);
  const astray: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!(input instanceof Request ? input.url : String(input)).includes('where-to-sign-in')) return response;
    return Response.json({
      ...((await response.json()) as object),
      resource: 'https://elsewhere.example/mcp',
    });
  };
  const said = await signIn({ account, fetch: astray }, browser()).catch(String);
  expect(said).toContain('elsewhere.example');
  expect(said).not.toContain('could not be registered');
});

it('signs in as the client that the configuration names, without registering', async () => {
  server.register('none');
  server.know('known-there', redirect.url);
  const account = memoryAccount();
  await reached(account, { clientId: 'known-there' }).catch(() => undefined);
  await signIn({ account, fetch }, browser());
  expect(await echo(account)).toContain('{\\"a\\":1}');
  expect(server.asked).not.toContain('POST /register');
  expect((await account.read())?.client.client_id).toBe('known-there');
});
