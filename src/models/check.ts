/**
 * Whether a server answers as it is set up, before its model is chosen: it is asked for its list of models, which costs
 * nothing. When there is none, it is looked for at the path where such servers usually have it.
 */
import type { Failure } from '../shared/failure.js';
import { isFailure } from '../shared/failure.js';
import { listModels, type CatalogRequest } from './catalog.js';

export interface ServerCheck {
  /** What it has; a failure that says what is wrong. */
  found: readonly string[] | Failure;
  /** It answers at this base URL instead. */
  elsewhere?: string;
}

export async function checkServer(request: CatalogRequest): Promise<ServerCheck> {
  const found = await listModels(request);
  if (!isFailure(found) || found.kind !== 'refused' || request.kind !== 'openai-compatible') return { found };
  for (const baseUrl of otherPaths(request.baseUrl)) {
    const there = await listModels({ ...request, baseUrl });
    if (isFailure(there) && there.kind !== 'auth') continue;
    return {
      elsewhere: baseUrl,
      found: {
        kind: 'refused',
        transient: false,
        code: 'other-path',
        action: 'open-settings',
        message: `"${request.provider}" does not answer at ${request.baseUrl}, but at ${baseUrl}. Put that into the settings as its baseUrl.`,
      },
    };
  }
  return { found };
}

/** Where else it may be on the same server. */
function otherPaths(baseUrl: string): string[] {
  const plain = baseUrl.replace(/\/+$/, '');
  const { origin } = new URL(baseUrl);
  const others = [`${plain}/v1`, `${origin}/v1`, `${origin}/api/v1`, `${origin}/openai/v1`];
  return [...new Set(others)].filter((url) => url !== plain);
}

/** Null when the model is there; "qwen3" stands for "qwen3:latest", as servers take it. */
export function missingModel(provider: string, id: string, found: readonly string[]): Failure | null {
  if (found.length === 0 || found.some((known) => known === id || known === `${id}:latest`)) return null;
  const named = found.slice(0, 8).join(', ');
  return {
    kind: 'refused',
    transient: false,
    code: 'no-model',
    action: 'select-model',
    message: `"${provider}" has no model "${id}". It has: ${named}${found.length > 8 ? ', …' : ''}. Choose one of them, or load it there.`,
  };
}

/** An address as people copy it: without a scheme, or with the path of one of its services. */
export function baseUrlOf(text: string): string | undefined {
  const typed = text.trim();
  const isWhole = typed.includes('://');
  if (isWhole && !/^https?:/i.test(typed)) return undefined;
  const url = URL.parse(isWhole ? typed : `http://${typed}`);
  if (url === null || typed === '' || /\s/.test(typed)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(chat\/completions|models)$/, '');
  return url.origin + path;
}
