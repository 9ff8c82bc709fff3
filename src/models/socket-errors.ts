/** What a connection's errors mean: which pass by themselves, and what to change about the others. */
import type { FailureAction } from '../shared/failure.js';

interface SocketVerdict {
  kind: 'network';
  transient: boolean;
  sentence: string;
  action?: FailureAction;
  code?: string;
}

interface Address {
  provider: string;
  baseUrl: string;
}

type Cause =
  | 'refused'
  | 'broken'
  | 'timeout'
  | 'unreachable'
  | 'dns'
  | 'no-host'
  | 'certificate'
  | 'no-tls'
  | 'no-http'
  | 'bad-url';

const causeOfCode: Record<string, Cause> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'broken',
  ECONNABORTED: 'broken',
  EPIPE: 'broken',
  ERR_STREAM_PREMATURE_CLOSE: 'broken',
  UND_ERR_SOCKET: 'broken',
  UND_ERR_CLOSED: 'broken',
  UND_ERR_ABORTED: 'broken',
  ERR_HTTP2_STREAM_ERROR: 'broken',
  ETIMEDOUT: 'timeout',
  ESOCKETTIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  ENETRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EAI_AGAIN: 'dns',
  ENOTFOUND: 'no-host',
  EAI_NONAME: 'no-host',
  EPROTO: 'no-tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no-tls',
  ERR_INVALID_URL: 'bad-url',
};

/** Chromium's names, when the editor fetches through it. */
const causeOfChromium: readonly [RegExp, Cause][] = [
  [/ERR_CONNECTION_REFUSED/, 'refused'],
  [/ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_HTTP2_|ERR_QUIC_|ERR_INCOMPLETE/, 'broken'],
  [/ERR_(CONNECTION_)?TIMED_OUT/, 'timeout'],
  [/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_|ERR_ADDRESS_UNREACHABLE/, 'unreachable'],
  [/ERR_NAME_NOT_RESOLVED/, 'no-host'],
  [/ERR_CERT_/, 'certificate'],
  [/ERR_SSL_/, 'no-tls'],
];

const causeOf = (code: string, message: string): Cause | undefined => {
  if (Object.hasOwn(causeOfCode, code)) return causeOfCode[code];
  if (/CERT|^UNABLE_TO_|SELF_SIGNED|ERR_TLS_/.test(code)) return 'certificate';
  if (/^ERR_SSL_/.test(code)) return 'no-tls';
  if (/^HPE_/.test(code)) return 'no-http';
  if (message.includes('net::ERR_')) return causeOfChromium.find(([shape]) => shape.test(message))?.[1];
  return undefined;
};

/** The innermost error that says something, along `cause` and into an AggregateError (both address families). */
const findCause = (error: unknown): { code: string; cause: Cause } | undefined => {
  const seen = new Set<unknown>();
  const open: unknown[] = [error];
  while (open.length > 0) {
    const next = open.shift();
    if (!(next instanceof Error) || seen.has(next)) continue;
    seen.add(next);
    const code = 'code' in next && typeof next.code === 'string' ? next.code : '';
    const cause = causeOf(code, next.message);
    if (cause) return { code: code === '' ? (/net::(ERR_\w+)/.exec(next.message)?.[1] ?? '') : code, cause };
    if (next.name === 'TimeoutError') return { code: 'ETIMEDOUT', cause: 'timeout' };
    open.push(next.cause, ...(next instanceof AggregateError ? (next.errors as unknown[]) : []));
  }
  return undefined;
};

const settings = 'open-settings' as const;

const verdicts: Record<Cause, (at: Address) => Omit<SocketVerdict, 'kind' | 'code'>> = {
  refused: (at) => ({
    transient: true,
    action: settings,
    sentence: `Nothing answers at ${at.baseUrl} (connection refused). Start that server, or change the base URL of "${at.provider}".`,
  }),
  broken: (at) => ({ transient: true, sentence: `The connection to "${at.provider}" was lost.` }),
  timeout: (at) => ({
    transient: true,
    sentence: `"${at.provider}" did not answer in time at ${at.baseUrl}.`,
  }),
  unreachable: (at) => ({
    transient: true,
    sentence: `The network does not reach ${at.baseUrl}. Check the connection.`,
  }),
  dns: (at) => ({
    transient: true,
    sentence: `The address of ${at.baseUrl} could not be looked up just now. Check the connection.`,
  }),
  'no-host': (at) => ({
    transient: false,
    action: settings,
    sentence: `There is no host of that name: ${at.baseUrl}. Check the connection and the base URL of "${at.provider}".`,
  }),
  certificate: (at) => ({
    transient: false,
    action: settings,
    sentence: `The certificate of ${at.baseUrl} is not trusted. Add the authority to the system's certificates (VS Code reads them), or check the base URL of "${at.provider}".`,
  }),
  'no-tls': (at) => ({
    transient: false,
    action: settings,
    sentence: `${at.baseUrl} does not speak TLS as expected. Check whether the base URL of "${at.provider}" begins with http:// or https://.`,
  }),
  'no-http': (at) => ({
    transient: false,
    action: settings,
    sentence: `What answers at ${at.baseUrl} does not speak HTTP. Check host and port in the base URL of "${at.provider}".`,
  }),
  'bad-url': (at) => ({
    transient: false,
    action: settings,
    sentence: `"${at.baseUrl}" is no valid address. Correct the base URL of "${at.provider}".`,
  }),
};

export const classifySocket = (at: Address, error: unknown): SocketVerdict => {
  const found = findCause(error);
  if (found) return { kind: 'network', code: found.code, ...verdicts[found.cause](at) };
  const message = error instanceof Error ? error.message : String(error);
  return {
    kind: 'network',
    transient: false,
    action: 'show-log',
    sentence: `The request to "${at.provider}" failed: ${message.replace(/[.\s]+$/, '')}.`,
  };
};
