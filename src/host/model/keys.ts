/**
 * Keys of providers in VS Code's secret storage, each bound to the origin it was given for: a base URL that points
 * elsewhere gets none. Free of vscode, so that it can be tested.
 */
import { factsOf, type Kind } from '../../models/kinds.js';
import { readProvider } from '../../models/providers.js';
import { isFailure } from '../../shared/failure.js';

export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
}

export interface ProviderSecret {
  origin: string;
  key?: string;
  /** Headers that carry a secret, found in the settings. */
  headers?: Record<string, string>;
}

export class Keys {
  /** What was read or written last: providers are read without waiting. */
  private readonly known = new Map<string, ProviderSecret | undefined>();
  private isUnreadable = false;

  constructor(
    private readonly store: SecretStore,
    /** Words that must not appear in the output channel. */
    private readonly onSecrets: (words: string[]) => void,
    /** Once, when what is stored cannot be read. */
    private readonly onUnreadable: (error: unknown) => void = () => undefined,
  ) {}

  /** The key for this provider at this origin, or undefined: then no auth header is sent. */
  async key(provider: string, origin: string): Promise<string | undefined> {
    const secret = await this.load(provider);
    return secret?.origin === origin ? secret.key : undefined;
  }

  /** Secret headers of a provider, as far as they have been loaded. */
  headers(provider: string, origin: string): Record<string, string> {
    const secret = this.known.get(provider);
    return secret?.origin === origin ? (secret.headers ?? {}) : {};
  }

  /** The origin a key is stored for, whatever the settings say now. */
  async originOf(provider: string): Promise<string | undefined> {
    return (await this.load(provider))?.origin;
  }

  /** Those of the names for which something secret is stored, in their order. */
  async stored(names: readonly string[]): Promise<string[]> {
    const all = await Promise.all(names.map((name) => this.load(name)));
    return names.filter((_, index) => all[index] !== undefined);
  }

  /** As `stored`, where it must not matter that the storage cannot be read: there is none then. */
  async storedIfReadable(names: readonly string[]): Promise<string[]> {
    try {
      return await this.stored(names);
    } catch (error) {
      if (!this.isUnreadable) this.onUnreadable(error);
      this.isUnreadable = true;
      return [];
    }
  }

  /** Replaces the key; headers of the same origin stay unless others are given. */
  async set(provider: string, secret: ProviderSecret): Promise<void> {
    const before = await this.load(provider);
    const kept = before?.origin === secret.origin ? before : undefined;
    const merged: ProviderSecret = { ...kept, ...secret };
    await this.store.store(nameOf(provider), JSON.stringify(merged));
    this.remember(provider, merged);
  }

  /** False when there was none. */
  async remove(provider: string): Promise<boolean> {
    const had = (await this.load(provider)) !== undefined;
    await this.store.delete(nameOf(provider));
    this.known.set(provider, undefined);
    return had;
  }

  /** Reads what another window may have changed. */
  async load(provider: string): Promise<ProviderSecret | undefined> {
    const text = await this.store.get(nameOf(provider));
    const secret = text === undefined ? undefined : parse(text);
    this.remember(provider, secret);
    return secret;
  }

  private remember(provider: string, secret: ProviderSecret | undefined): void {
    this.known.set(provider, secret);
    const words = [secret?.key ?? '', ...Object.values(secret?.headers ?? {})].filter((word) => word !== '');
    if (words.length > 0) this.onSecrets(words);
  }
}

const nameOf = (provider: string): string => `provider:${provider}`;

function parse(text: string): ProviderSecret | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSecret(value) ? value : undefined;
  } catch {
    // Not ours, or garbled: as good as none, and the next key replaces it.
    return undefined;
  }
}

function isSecret(value: unknown): value is ProviderSecret {
  return typeof value === 'object' && value !== null && 'origin' in value && typeof value.origin === 'string';
}

// ------------------------------------------------------------------------------------------- secrets in the settings

const secretHeader = /^(proxy-)?authorization$|^cookie$|api[-_]?key|auth|token|secret/i;

export interface FoundSecret extends ProviderSecret {
  provider: string;
}

export interface Sorted {
  /** The setting without its secrets; the same object when there are none. */
  cleaned: unknown;
  found: FoundSecret[];
}

/** Takes keys and auth headers out of `bough.providers`. What has no valid base URL stays: there is nothing to bind it to. */
export function takeSecrets(providers: unknown): Sorted {
  if (!isRecord(providers)) return { cleaned: providers, found: [] };
  const found: FoundSecret[] = [];
  const cleaned: Record<string, unknown> = {};
  for (const [provider, settings] of Object.entries(providers)) {
    // Whatever else is wrong with it: a key is to lie in no file meanwhile.
    const known = readProvider(provider, isRecord(settings) ? placeIn(settings) : settings);
    const taken = isRecord(settings) && !isFailure(known) ? takeFrom(settings, known.kind) : undefined;
    cleaned[provider] = taken?.rest ?? settings;
    if (taken && !isFailure(known)) found.push({ provider, origin: known.origin, ...taken.secret });
  }
  return found.length > 0 ? { cleaned, found } : { cleaned: providers, found };
}

const placeIn = ({ kind, baseUrl }: Record<string, unknown>): Record<string, unknown> => ({
  kind,
  ...(baseUrl === undefined ? {} : { baseUrl }),
});

function takeFrom(settings: Record<string, unknown>, kind: Kind): Taken | undefined {
  const { apiKey, headers, ...others } = settings;
  const all = isRecord(headers) ? Object.entries(headers) : [];
  const isSecret = (entry: [string, unknown]): entry is [string, string] =>
    secretHeader.test(entry[0]) && typeof entry[1] === 'string';
  const secrets = all.filter(isSecret);
  if (apiKey === undefined && secrets.length === 0) return undefined;
  const carrier = secrets.find((entry) => keyIn(entry, kind) !== undefined);
  const stated = typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey.trim() : undefined;
  const key = stated ?? (carrier && keyIn(carrier, kind));
  const other = Object.fromEntries(secrets.filter((entry) => entry !== carrier));
  const plain = Object.fromEntries(all.filter((entry) => !isSecret(entry)));
  return {
    rest: { ...others, ...(headers === undefined ? {} : keptHeaders(headers, plain)) },
    secret: {
      ...(key === undefined ? {} : { key }),
      ...(Object.keys(other).length > 0 ? { headers: other } : {}),
    },
  };
}

/** What is no map of headers is for whoever reads the setting to say. */
const keptHeaders = (headers: unknown, plain: Record<string, unknown>): { headers?: unknown } => {
  if (!isRecord(headers)) return { headers };
  return Object.keys(plain).length > 0 ? { headers: plain } : {};
};

interface Taken {
  rest: Record<string, unknown>;
  secret: Omit<ProviderSecret, 'origin'>;
}

/** The key in the header by which this kind of provider is given it. */
function keyIn([name, value]: [string, string], kind: Kind): string | undefined {
  const [wanted, form = ''] = Object.entries(factsOf[kind].keyHeader(''))[0] ?? [];
  if (wanted === undefined || name.toLowerCase() !== wanted.toLowerCase()) return undefined;
  const scheme = form.trim();
  if (scheme === '') return value.trim();
  const isScheme = value.trim().toLowerCase().startsWith(`${scheme.toLowerCase()} `);
  return isScheme ? value.trim().slice(scheme.length).trim() : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
