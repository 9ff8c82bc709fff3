/**
 * Signs in to a server over HTTP by OAuth, as its answer asks for. Nobody is sent anywhere before the person said so: a
 * refused request only renews what is there, or fails with `SignInNeeded`. Loaded with the protocol's library.
 */
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  RegistrationRejectedError,
  type AuthProvider,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { SignedIn } from './account.js';
import { SignInNeeded, type Interaction, type SignInAbout } from './connection.js';

/** What a request is sent with, renewed where it has run out. */
export function bearer(
  { url, clientId }: { url: string; clientId: string | undefined },
  { account, fetch }: SignInAbout,
): AuthProvider {
  account.url = url;
  account.clientId = clientId;
  let used: string | undefined;
  let renewing: Promise<void> | undefined;
  const current = async (): Promise<SignedIn | undefined> => {
    const signedIn = await account.read();
    return signedIn?.url === url ? signedIn : undefined;
  };
  return {
    async token() {
      used = (await current())?.tokens.access_token;
      return used;
    },
    async onUnauthorized({ response }) {
      const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
      account.challenge = { scope, resourceMetadataUrl };
      const signedIn = await current();
      if (signedIn === undefined) throw new SignInNeeded('it asks for a sign-in');
      // Another window has renewed it meanwhile.
      if (signedIn.tokens.access_token !== used) return;
      renewing ??= renew(signedIn, { account, fetch }).finally(() => (renewing = undefined));
      await renewing;
    },
  };
}

async function renew(signedIn: SignedIn, { account, fetch }: SignInAbout): Promise<void> {
  const { refresh_token: refreshToken } = signedIn.tokens;
  const { metadata, client, resource, issuer } = signedIn;
  if (refreshToken === undefined) throw new SignInNeeded('the sign-in has run out');
  try {
    const tokens = await refreshAuthorization(issuer, {
      ...{ clientInformation: client, refreshToken, fetchFn: fetch },
      ...(metadata === undefined ? {} : { metadata: metadata as NonNullable<Metadata> }),
      ...(resource === undefined ? {} : { resource }),
    });
    await account.write({ ...signedIn, tokens: { ...signedIn.tokens, ...tokens } });
  } catch (error) {
    if (!(error instanceof OAuthError) || !OVER.includes(error.code)) throw error;
    const now = await account.read();
    if (now !== undefined && now.tokens.refresh_token !== refreshToken) return;
    await account.write(undefined);
    throw new SignInNeeded(`the sign-in is no longer taken (${error.code})`, { cause: error });
  }
}

type Metadata = OAuthDiscoveryState['authorizationServerMetadata'];

const OVER: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
];

/** Resolves when the person is signed in; what they did is kept only then. */
export async function signIn({ account, fetch }: SignInAbout, interaction: Interaction): Promise<void> {
  const { url, clientId, challenge } = account;
  if (url === undefined) throw new Error('it was not reached yet, and asked for no sign-in');
  const { provider, kept } = visitor(interaction, clientId);
  const scope = computeScopeUnion((await account.read())?.tokens.scope, challenge.scope);
  const { resourceMetadataUrl } = challenge;
  const options = {
    ...{ serverUrl: url, fetchFn: fetch },
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  };
  await orUnregistered(kept, interaction, () => auth(provider, options));
  const { address } = kept;
  if (address === undefined) throw new Error('its sign-in has no page to go to');
  if (!isSafe(address)) throw new Error(`its sign-in is at ${address.origin}, which is not https`);
  const answer = await interaction.visit(address);
  const refused = answer.get('error');
  if (refused !== null)
    throw new Error(`its sign-in was refused: ${answer.get('error_description') ?? refused}`);
  const authorizationCode = answer.get('code');
  if (authorizationCode === null || answer.get('state') !== interaction.state)
    throw new Error('what came back from its sign-in is no answer to it');
  const iss = answer.get('iss');
  await auth(provider, { ...options, authorizationCode, ...(iss === null ? {} : { iss }) });
  const { tokens, client, discovery, resource } = kept;
  if (tokens === undefined || client === undefined || discovery === undefined)
    throw new Error('its sign-in gave no token');
  await account.write({
    ...{ url, tokens: { ...tokens }, client: { ...client } },
    issuer: discovery.authorizationServerUrl,
    metadata: discovery.authorizationServerMetadata,
    ...(resource === undefined ? {} : { resource }),
  });
}

/** Many servers know only clients that somebody registered with them: then the person can do that, and is told how. */
async function orUnregistered(
  kept: Kept,
  { redirectUrl }: Interaction,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { client, discovery, isToRegister } = kept;
    const metadata = discovery?.authorizationServerMetadata;
    const knowsNoNew = metadata !== undefined && metadata.registration_endpoint === undefined;
    const isRefused = error instanceof RegistrationRejectedError;
    const isOther = client !== undefined || isToRegister !== true;
    if (isOther || (!knowsNoNew && !isRefused)) throw error;
    const { origin } = new URL(metadata?.issuer ?? discovery?.authorizationServerUrl ?? redirectUrl);
    const why = isRefused ? `refused it (${String(error.status)})` : 'takes none that is not known there';
    const back = new URL(redirectUrl);
    const ports = back.hostname === '127.0.0.1' ? ' with any port' : '';
    throw new Error(
      `Bough could not be registered as a client at ${origin}, which ${why}. Register a public client there that ` +
        `comes back to ${back.protocol}//${back.hostname}${back.pathname}${ports}, and name it in mcp.json beside the ` +
        `server's "url": "oauth": { "clientId": "…" }`,
      { cause: error },
    );
  }
}

/** By the code alone nobody gets in; but what the person types there must not be read on the way. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname));

interface Kept {
  address?: URL;
  verifier?: string;
  client?: StoredOAuthClientInformation;
  /** It was asked for a client and had none, after all else that can go wrong before. */
  isToRegister?: boolean;
  discovery?: OAuthDiscoveryState;
  tokens?: OAuthTokens;
  resource?: string;
}

/** Each sign-in is a client of its own: the address that the browser comes back to is another each time. */
function visitor(
  { redirectUrl, state }: Interaction,
  clientId: string | undefined,
): { provider: OAuthClientProvider; kept: Kept } {
  const kept: Kept = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Bough',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    clientInformation: () => {
      const known = kept.client ?? (clientId === undefined ? undefined : { client_id: clientId });
      kept.isToRegister = known === undefined;
      return known;
    },
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => undefined,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (address) => void (kept.address = address),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
    saveResourceUrl: (resource) => void (kept.resource = resource),
    saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
    discoveryState: () => kept.discovery,
  };
  return { provider, kept };
}
