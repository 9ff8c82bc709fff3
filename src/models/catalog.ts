/** Asks a server which models it has (a GET of its list): once, with a short time limit, and says why when it fails. */
import type { Clock } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import { joinUrl, type Fetch } from './address.js';
import { classify } from './classify.js';
import { isRecord, parseJson } from './json.js';
import { excerpt, redact } from './redact.js';
import { factsOf, type Kind } from './kinds.js';
import type { Endpoint } from './verdicts.js';

export interface CatalogRequest {
  kind: Kind;
  provider: string;
  baseUrl: string;
  headers: Record<string, string>;
  key: string | undefined;
  fetch: Fetch;
  clock: Clock;
  timeoutMs: number;
}

/** Ids of `{data: […]}`, `{models: […]}` or a bare array. */
const idsOf = (kind: Kind, body: unknown): string[] | undefined => {
  const list: unknown = isRecord(body) ? (body['data'] ?? body['models']) : body;
  if (!Array.isArray(list)) return undefined;
  const ids = (list as unknown[]).map(factsOf[kind].idOf);
  return ids.filter((id) => id !== undefined && id !== '') as string[];
};

/** `no-list`: there is nothing at all; else something else stands there, a web page for example. */
const unreadable = (at: Endpoint, text: string, code?: 'no-list'): Failure => ({
  kind: 'refused',
  transient: false,
  action: 'open-settings',
  ...(code !== undefined && { code }),
  message: `${joinUrl(at.baseUrl, '/models')} ${isPage(text) ? 'answered with a web page instead of' : 'did not answer with'} a list of models. Check the base URL of "${at.provider}", or list its models in the settings.`,
  ...(text.trim() !== '' && { detail: excerpt(redact(text, at.secrets)) }),
});

const isPage = (text: string): boolean => /^\s*<(!doctype html|html)\b/i.test(text);

export const listModels = async (request: CatalogRequest): Promise<string[] | Failure> => {
  const { kind, provider, baseUrl, key, clock } = request;
  const { list, keyHeader } = factsOf[kind];
  const at: Endpoint = {
    provider,
    model: 'models',
    baseUrl,
    hasKey: key !== undefined,
    secrets: [...(key === undefined ? [] : [key]), ...Object.values(request.headers)],
    service: factsOf[kind],
  };
  const limit = new AbortController();
  const timer = clock.after(request.timeoutMs, () =>
    limit.abort(new DOMException('too slow', 'TimeoutError')),
  );
  try {
    const response = await request.fetch(joinUrl(baseUrl, list.path), {
      headers: {
        accept: 'application/json',
        ...list.headers,
        ...(key !== undefined && keyHeader(key)),
        ...request.headers,
      },
      redirect: 'manual',
      signal: limit.signal,
    });
    const text = await response.text();
    if (!response.ok) {
      const headers = Object.fromEntries(response.headers.entries());
      if (response.status === 404) return unreadable(at, text, 'no-list');
      return classify({ type: 'status', status: response.status, headers, body: text }, at, clock.now());
    }
    return idsOf(kind, parseJson(text)) ?? unreadable(at, text);
  } catch (error) {
    return classify(
      { type: 'thrown', error: limit.signal.aborted ? limit.signal.reason : error },
      at,
      clock.now(),
    );
  } finally {
    timer.dispose();
  }
};
