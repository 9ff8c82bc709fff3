/**
 * Finds models: "provider/model" or "auto" from the settings, the demo, local servers and the host's own sources. Settings
 * and keys are read anew each time, so that a change counts for the next request. What cannot be had is a failure that
 * says what to change.
 */
import type { Clock, Model, ModelInfo, Models, Outcome } from '../ports.js';
import { isFailure, type Failure } from '../shared/failure.js';
import { isLoopback, type Fetch } from './address.js';
import { listModels, type CatalogRequest } from './catalog.js';
import { checkServer, missingModel, type ServerCheck } from './check.js';
import { createDemoModel, demoInfo } from './demo/tour.js';
import { localServers, type LocalServer } from './local-servers.js';
import { nodeFetch } from './node-fetch.js';
import { infoOf, readProvider, unknownProvider, type Provider } from './providers.js';
import { createWireModel } from './wire-model.js';

/** Models of the host, `vscode.lm` for example: "<provider>/<id>" goes to the source of that provider. */
export interface ModelSource {
  readonly provider: string;
  resolve(id: string): Promise<Outcome<Model>>;
  list(): Promise<ModelInfo[]>;
}

export interface ModelsParts {
  /** The setting `bough.providers`, as it stands. */
  providers: () => Readonly<Record<string, unknown>>;
  /** The key stored for this provider and bound to this origin. */
  key: (provider: string, origin: string) => Promise<string | undefined>;
  /** For remote hosts; hosts on this machine are reached over node:http. */
  fetch: Fetch;
  clock: Clock;
  extra?: readonly ModelSource[];
  /** Local servers to offer; those at their usual ports by default. */
  local?: readonly LocalServer[];
  /** Told why a server's models are not in the list. */
  log?: (level: 'debug' | 'warn', text: string) => void;
}

const LIST_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 1_000;

export interface ModelCheck {
  /** What is wrong. */
  failure: Failure | null;
  /** It answers at this base URL instead. */
  elsewhere?: string;
  /** The settings name the model, but the server does not list it: not every server lists all it has. */
  doubt?: Failure;
}

/** What there is to choose from. */
export interface Offer {
  models: ModelInfo[];
  /** Of these none is in the list. Of a server at a usual port only when something answers there. */
  failing: Failing[];
}
export interface Failing {
  /** As the settings name it, or as the server is called. */
  provider: string;
  message: string;
}

/** Asked before a choice is final. */
export interface ModelChecks {
  /** The list, and why some are not in it. */
  offer(): Promise<Offer>;
  /** Null where nothing is wrong, or nothing can be found out without paying for an answer. */
  check(info: Pick<ModelInfo, 'provider' | 'id'>): Promise<ModelCheck>;
  /** What a server has that is not in the settings yet. */
  checkAddress(baseUrl: string, key: string | undefined): Promise<ServerCheck>;
}

export const createModels = (parts: ModelsParts): Models & ModelChecks => {
  const finder: Finder = { parts, demo: createDemoModel(parts), firstOf: new Map() };
  return {
    resolve: (wanted) =>
      wanted === 'auto' || wanted === '' ? resolveAuto(finder) : resolveNamed(finder, wanted),
    list: async () => (await offer(finder)).models,
    offer: () => offer(finder),
    check: (info) => check(parts, info),
    checkAddress: (baseUrl, key) =>
      checkServer({
        ...{ kind: 'openai-compatible', provider: new URL(baseUrl).host, baseUrl, headers: {}, key },
        ...{ fetch: fetchFor(parts, baseUrl), clock: parts.clock, timeoutMs: LIST_TIMEOUT_MS },
      }),
  };
};

interface Finder {
  parts: ModelsParts;
  demo: Model;
  /** The first model of a server that was asked, by base URL: asked once, and the choice does not wander. */
  firstOf: Map<string, string>;
}

// -------------------------------------------------------------------------------------------------------- named ones

/** Names of providers may hold a slash as model ids do: the longest configured name wins. */
const split = (wanted: string, names: readonly string[]): { provider: string; id: string } => {
  const known = names.filter((name) => wanted.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0];
  const at = known?.length ?? wanted.indexOf('/');
  return at < 0 ? { provider: wanted, id: '' } : { provider: wanted.slice(0, at), id: wanted.slice(at + 1) };
};

const noModel = (wanted: string, message: string): Failure => ({
  kind: 'refused',
  transient: false,
  code: 'no-model',
  action: 'select-model',
  message:
    message === '' ? `"${wanted}" names no model. Choose one; a model is written provider/model.` : message,
});

const resolveNamed = async ({ parts, demo }: Finder, wanted: string): Promise<Model | Failure> => {
  const settings = parts.providers();
  const { provider, id } = split(wanted, Object.keys(settings));
  if (id === '') return noModel(wanted, '');
  if (provider === demoInfo.provider) {
    return id === demoInfo.id
      ? demo
      : noModel(
          wanted,
          `The built-in demo is demo/${demoInfo.id}, there is no "${wanted}". Choose it, or another model.`,
        );
  }
  if (Object.hasOwn(settings, provider)) {
    const known = readProvider(provider, settings[provider]);
    return isFailure(known) ? known : modelOf(parts, known, id);
  }
  const source = parts.extra?.find((one) => one.provider === provider);
  if (source) return source.resolve(id);
  const local = localOf(parts).find(({ name }) => name === provider);
  return local
    ? wireModel(parts, localProvider(local), id)
    : unknownProvider(provider, Object.keys(settings));
};

const modelOf = (parts: ModelsParts, provider: Provider, id: string): Model | Failure => {
  const { models, name } = provider;
  if (models.length === 0 || models.some((model) => model.id === id)) return wireModel(parts, provider, id);
  const listed = models.map((model) => model.id).join(', ');
  return noModel(
    id,
    `Provider "${name}" has no model "${id}" (the settings list: ${listed}). Choose one of them, or add it there.`,
  );
};

const wireModel = (parts: ModelsParts, provider: Provider, id: string): Model =>
  createWireModel({
    kind: provider.kind,
    info: infoOf(provider, id),
    baseUrl: provider.baseUrl,
    headers: provider.headers,
    key: () => parts.key(provider.name, provider.origin),
    fetch: fetchFor(parts, provider.baseUrl),
    clock: parts.clock,
  });

const fetchFor = (parts: ModelsParts, url: string): Fetch => (isLoopback(url) ? nodeFetch : parts.fetch);

const localOf = ({ local = localServers }: ModelsParts): readonly LocalServer[] => local;

const localProvider = ({ name, baseUrl }: LocalServer): Provider => ({
  name,
  kind: 'openai-compatible',
  baseUrl,
  origin: new URL(baseUrl).origin,
  isLocal: true,
  headers: {},
  models: [],
});

// --------------------------------------------------------------------------------------------------------------- auto

/** The first that has a key or is on this machine; one that is set up wrongly is told only when none works. */
const resolveAuto = async (finder: Finder): Promise<Model | Failure> => {
  const { parts, demo } = finder;
  let wrong: Failure | undefined;
  for (const [name, settings] of Object.entries(parts.providers())) {
    const provider = readProvider(name, settings);
    if (isFailure(provider)) {
      wrong ??= provider;
      continue;
    }
    if (!provider.isLocal && (await parts.key(name, provider.origin)) === undefined) continue;
    return firstModel(finder, provider);
  }
  return wrong ?? demo;
};

const firstModel = async ({ parts, firstOf }: Finder, provider: Provider): Promise<Model | Failure> => {
  const stated = provider.models[0]?.id ?? firstOf.get(provider.baseUrl);
  if (stated !== undefined) return wireModel(parts, provider, stated);
  const ids = await idsOf(parts, provider, LIST_TIMEOUT_MS);
  if (isFailure(ids)) return ids;
  const [first] = ids;
  if (first === undefined) {
    return noModel(
      provider.name,
      `"${provider.name}" at ${provider.baseUrl} has no model loaded. Load one there, or choose another model.`,
    );
  }
  firstOf.set(provider.baseUrl, first);
  return wireModel(parts, provider, first);
};

const idsOf = async (
  parts: ModelsParts,
  provider: Provider,
  timeoutMs: number,
): Promise<string[] | Failure> => listModels(await catalogOf(parts, provider, timeoutMs));

const catalogOf = async (
  parts: ModelsParts,
  provider: Provider,
  timeoutMs: number,
): Promise<CatalogRequest> => ({
  kind: provider.kind,
  provider: provider.name,
  baseUrl: provider.baseUrl,
  headers: provider.headers,
  key: await parts.key(provider.name, provider.origin),
  fetch: fetchFor(parts, provider.baseUrl),
  clock: parts.clock,
  timeoutMs,
});

const check = async (
  parts: ModelsParts,
  { provider: name, id }: Pick<ModelInfo, 'provider' | 'id'>,
): Promise<ModelCheck> => {
  const settings = parts.providers();
  const local = localOf(parts).find((server) => server.name === name);
  const provider = Object.hasOwn(settings, name)
    ? readProvider(name, settings[name])
    : local && localProvider(local);
  if (provider === undefined) return { failure: null };
  if (isFailure(provider)) return { failure: provider };
  const { found, elsewhere } = await checkServer(await catalogOf(parts, provider, LIST_TIMEOUT_MS));
  const isStated = provider.models.some((model) => model.id === id);
  if (!isFailure(found)) {
    const missing = missingModel(name, id, found);
    return missing !== null && isStated ? { failure: null, doubt: missing } : { failure: missing };
  }
  // A server that is known by the models that the settings name need not have a list of them.
  if (found.code === 'no-list' && isStated) return { failure: null };
  return { failure: found, ...(elsewhere === undefined ? {} : { elsewhere }) };
};

// ---------------------------------------------------------------------------------------------------------- the list

const offer = async ({ parts }: Finder): Promise<Offer> => {
  const providers: Provider[] = [];
  const failing: Failing[] = [];
  for (const [name, value] of Object.entries(parts.providers())) {
    const provider = readProvider(name, value);
    if (!isFailure(provider)) {
      providers.push(provider);
      continue;
    }
    parts.log?.('warn', provider.message);
    failing.push({ provider: name, message: provider.message });
  }
  const taken = new Set([...providers.map(({ origin }) => origin), ...providers.map(({ name }) => name)]);
  const probed = localOf(parts).filter(
    ({ name, baseUrl }) => !taken.has(name) && !taken.has(new URL(baseUrl).origin),
  );
  const found = await Promise.all([
    ...providers.map((provider) => listProvider(parts, provider)),
    ...(parts.extra ?? []).map((source) => source.list()),
    ...probed.map((server) => probe(parts, server)),
  ]);
  const models = found.filter((one) => Array.isArray(one)).flat();
  return { models: [...models, demoInfo], failing: [...failing, ...found.filter(isFailing)] };
};

const isFailing = (one: ModelInfo[] | Failing): one is Failing => !Array.isArray(one);

const listProvider = async (parts: ModelsParts, provider: Provider): Promise<ModelInfo[] | Failing> => {
  if (provider.models.length > 0) return provider.models.map(({ id }) => infoOf(provider, id));
  const ids = await idsOf(parts, provider, LIST_TIMEOUT_MS);
  if (!isFailure(ids)) return ids.map((id) => infoOf(provider, id));
  parts.log?.('warn', `No models of "${provider.name}" to offer: ${ids.message}`);
  return { provider: provider.name, message: ids.message };
};

const probe = async (parts: ModelsParts, server: LocalServer): Promise<ModelInfo[] | Failing> => {
  const provider = localProvider(server);
  const ids = await idsOf(parts, provider, PROBE_TIMEOUT_MS);
  if (isFailure(ids)) {
    parts.log?.('debug', `${server.title} is not offered: ${ids.message}`);
    return (ids.status ?? 0) >= 500 ? { provider: server.title, message: ids.message } : [];
  }
  return ids.map((id) => ({ ...infoOf(provider, id), label: `${id} (${server.title}, ${server.baseUrl})` }));
};
