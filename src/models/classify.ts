/**
 * The one place where what went wrong with a model request becomes a Failure: what kind it is, whether the same request
 * may succeed later, how long the server asks to wait, and a sentence that says what to change.
 */
import type { Failure, FailureAction, FailureKind } from '../shared/failure.js';
import { isRecord, parseJson, textOf, type Json } from './json.js';
import { excerpt, redact } from './redact.js';
import { readRetryHint } from './retry-hint.js';
import { classifySocket } from './socket-errors.js';

/** What a sentence may name, and the keys it must not show. */
export interface Endpoint {
  provider: string;
  model: string;
  baseUrl: string;
  hasKey: boolean;
  secrets: readonly string[];
}

export type Trouble =
  /** An HTTP status that is no success, with its body. */
  | { type: 'status'; status: number; headers: Record<string, string>; body: string }
  /** An error in a stream that began with 200; undefined when it came without data. */
  | { type: 'frame'; error: unknown; headers: Record<string, string> }
  /** What fetch or the stream threw. */
  | { type: 'thrown'; error: unknown }
  /** A 200 whose body was no event stream. */
  | { type: 'page'; body: string; headers: Record<string, string> }
  /** The stream broke the protocol or ended before it said so. */
  | { type: 'protocol'; what: string; detail?: string };

/** What is known of an error, wherever it stood. */
interface Told {
  message: string;
  /** Type, code and status words, lower case, joined: "rate_limit_error rate_limit_exceeded". */
  words: string;
  status: number | undefined;
}

interface Verdict {
  kind: FailureKind;
  transient: boolean;
  sentence: string;
  action?: FailureAction;
  code?: string;
}

const errorObject = (body: unknown): Json | undefined => {
  if (Array.isArray(body)) return errorObject(body[0]);
  if (!isRecord(body)) return undefined;
  return isRecord(body['error']) ? body['error'] : body;
};

const httpStatus = (value: unknown): number | undefined => {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 300 && status < 600 ? status : undefined;
};

/** `raw` is the text when there was no JSON. */
const told = (value: unknown, raw: string): Told => {
  const error = errorObject(value);
  if (!error) return { message: excerpt(textOf(value) ?? raw, 200), words: '', status: undefined };
  const inner = textOf(error['message']) ?? textOf(error['error']) ?? textOf(error['detail']);
  const words = [error['type'], error['code'], error['status'], error['error_type']].filter(
    (one) => one != null,
  );
  return {
    message: excerpt(inner ?? raw, 200),
    words: words.join(' ').toLowerCase(),
    status: httpStatus(error['code']) ?? httpStatus(error['status']) ?? httpStatus(error['status_code']),
  };
};

const isOverflow = ({ message, words }: Told): boolean =>
  /context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_length/.test(words) ||
  /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|exceeds? the (model'?s )?(maximum|max|available|limit).*(tokens|context)|input token count.*exceeds|reduce the length|tokens? (exceeds?|greater than).*(limit|maximum)/i.test(
    message,
  );

const isQuota = ({ message, words }: Told): boolean =>
  /insufficient_quota|billing|insufficient_(funds|balance|credits?)|credit|payment_required|quota_exceeded|access_terminated/.test(
    words,
  ) ||
  /exceeded your current quota|billing|insufficient (quota|balance|funds|credits?)|out of credits?|credit balance|^quota/i.test(
    message,
  );

const isRefusal = ({ message, words }: Told): boolean =>
  /content_(filter|policy)|responsible_?ai|safety|moderation|content_blocked|sensitive/.test(words) ||
  /content (management )?policy|content filter|flagged|safety system/i.test(message);

const isRate = ({ message, words }: Told): boolean =>
  /rate_?limit|too_many_requests|resource_exhausted|throttl/.test(words) ||
  /rate.?limit|too many requests/i.test(message);

const isOverloaded = ({ message, words }: Told): boolean =>
  /overload|unavailable|server_error|internal|timeout|deadline_exceeded|api_error|capacity|engine_/.test(
    words,
  ) ||
  /overload|temporarily|try again later|service unavailable|internal (server )?error|timed? ?out|at capacity/i.test(
    message,
  );

const isAuth = ({ message, words }: Told): boolean =>
  /authentication|invalid_api_key|unauthenticated|unauthorized/.test(words) ||
  /invalid api key|incorrect api key/i.test(message);

const says = ({ message }: Told): string => (message === '' ? '' : `: ${message.replace(/[.\s]+$/, '')}`);
const inParens = (status: number | undefined): string => (status === undefined ? '' : ` (${status})`);

const auth = (at: Endpoint, status: number | undefined): Verdict => ({
  kind: 'auth',
  transient: false,
  action: 'set-key',
  sentence: at.hasKey
    ? `"${at.provider}" refused the API key${inParens(status)}. Set a valid key for ${at.baseUrl}.`
    : `"${at.provider}" wants an API key${inParens(status)} and none is set. Set the key for ${at.baseUrl}.`,
});

const quota = (at: Endpoint, about: Told): Verdict => ({
  kind: 'rate',
  transient: false,
  action: 'select-model',
  code: 'quota',
  sentence: `The quota or credit at "${at.provider}" is used up${says(about)}. Add credit there or choose another model.`,
});

const overflow = (at: Endpoint, about: Told): Verdict => ({
  kind: 'overflow',
  transient: false,
  action: 'select-model',
  sentence: `The conversation is too long for "${at.model}"${says(about)}. Choose a model with a larger context, or branch from an earlier message.`,
});

const contentRefused = (at: Endpoint, about: Told): Verdict => ({
  kind: 'refused',
  transient: false,
  code: 'content',
  sentence: `"${at.provider}" refused the content of this request${says(about)}. Change the prompt, or choose another model.`,
});

const rate = (at: Endpoint, about: Told): Verdict => ({
  kind: 'rate',
  transient: true,
  sentence: `"${at.provider}" limits how many requests it takes${inParens(about.status)}${says(about)}.`,
});

const overloaded = (at: Endpoint, about: Told): Verdict => ({
  kind: 'overloaded',
  transient: true,
  sentence: `"${at.provider}" cannot answer just now${inParens(about.status)}${says(about)}.`,
});

/** A missing route and a missing model look alike: what the body says decides, and without a body it is the model. */
const notFound = (at: Endpoint, about: Told, isPage: boolean): Verdict =>
  !isPage && (about.message === '' || /model/i.test(`${about.message} ${about.words}`))
    ? {
        kind: 'refused',
        transient: false,
        action: 'select-model',
        sentence: `"${at.provider}" has no model "${at.model}" (404)${says(about)}. Choose another model.`,
      }
    : {
        kind: 'refused',
        transient: false,
        action: 'open-settings',
        sentence: `There is no chat-completions service at ${at.baseUrl} (404). Check the base URL of "${at.provider}"; most end in /v1.`,
      };

const redirected = (at: Endpoint, status: number, location: string | undefined): Verdict => ({
  kind: 'refused',
  transient: false,
  action: 'open-settings',
  sentence: `${at.baseUrl} redirects${location === undefined ? '' : ` to ${location}`} (${status}), which is not followed so that no key goes astray. Put the right base URL into the settings of "${at.provider}".`,
});

const rejected = (at: Endpoint, about: Told): Verdict => ({
  kind: 'refused',
  transient: false,
  action: 'select-model',
  sentence: `"${at.provider}" did not accept the request for "${at.model}"${inParens(about.status)}${says(about)}. Choose another model, or change what the message says is wrong.`,
});

/** Words of the error that hold whatever the status. */
const byWords = (at: Endpoint, about: Told): Verdict | undefined => {
  if (isOverflow(about)) return overflow(at, about);
  if (isQuota(about)) return quota(at, about);
  if (isRefusal(about)) return contentRefused(at, about);
  return undefined;
};

const byStatus = (at: Endpoint, about: Told & { status: number }, isPage: boolean): Verdict => {
  const { status } = about;
  if (status >= 500) return overloaded(at, about);
  switch (status) {
    case 401:
      return auth(at, status);
    case 402:
      return quota(at, about);
    case 403:
      return {
        kind: 'auth',
        transient: false,
        action: 'set-key',
        sentence: `"${at.provider}" does not allow this (403)${says(about)}. Use a key that may use "${at.model}", or choose another model.`,
      };
    case 404:
      return notFound(at, about, isPage);
    case 413:
      return overflow(at, about);
    case 429:
      return rate(at, about);
    case 408:
    case 409:
    case 425:
      return overloaded(at, about);
    default:
      return rejected(at, about);
  }
};

const classifyStatus = (at: Endpoint, trouble: Extract<Trouble, { type: 'status' }>): Verdict => {
  const { status, headers, body } = trouble;
  const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body);
  if (status < 400) return redirected(at, status, headers['location']);
  const about = { ...told(parseJson(body), isPage ? '' : body), status };
  // A failing server's page about "billing" or "context" proves nothing; neither does the text of a refused key.
  const words = isPage || status === 401 ? undefined : byWords(at, about);
  return words ?? byStatus(at, about, isPage);
};

/** An error in a stream is final unless it says that it will pass. */
const classifyFrame = (at: Endpoint, error: unknown): Verdict => {
  if (error === undefined || error === null) {
    const sentence = `"${at.provider}" broke off the answer with an error it did not explain.`;
    return { kind: 'overloaded', transient: true, sentence };
  }
  const about = told(error, typeof error === 'string' ? error : JSON.stringify(error));
  const words = byWords(at, about);
  if (words) return words;
  if (about.status !== undefined) return byStatus(at, { ...about, status: about.status }, false);
  if (isRate(about)) return rate(at, about);
  if (isAuth(about)) return auth(at, undefined);
  if (isOverloaded(about)) return overloaded(at, about);
  const sentence = `"${at.provider}" broke off the answer${says(about)}. Try again, or choose another model.`;
  return { kind: 'refused', transient: false, action: 'select-model', sentence };
};

const classifyPage = (at: Endpoint, body: string): Verdict => {
  const error = parseJson(body);
  if (isRecord(error) && error['error'] != null) return classifyFrame(at, error['error']);
  const what =
    body.trim() === '' ? 'nothing' : /^\s*</.test(body) ? 'a web page' : 'something that is no event stream';
  // An empty 200 is what a dying server or proxy gives; a page is what stands at a wrong address.
  if (what === 'nothing') {
    const sentence = `"${at.provider}" answered with an empty body instead of a stream.`;
    return { kind: 'network', transient: true, sentence };
  }
  return {
    kind: 'network',
    transient: false,
    action: 'open-settings',
    sentence: `${at.baseUrl} answered with ${what} instead of a model's stream. Check the base URL of "${at.provider}" and whether the network asks you to sign in.`,
  };
};

const verdictOf = (at: Endpoint, trouble: Trouble): Verdict => {
  switch (trouble.type) {
    case 'status':
      return classifyStatus(at, trouble);
    case 'frame':
      return classifyFrame(at, trouble.error);
    case 'page':
      return classifyPage(at, trouble.body);
    case 'thrown':
      return classifySocket(at, trouble.error);
    case 'protocol':
      return { kind: 'network', transient: true, sentence: `"${at.provider}" ${trouble.what}.` };
  }
};

const bodyOf = (trouble: Trouble): { headers: Record<string, string>; body: unknown; text: string } => {
  switch (trouble.type) {
    case 'status':
    case 'page':
      return { headers: trouble.headers, body: parseJson(trouble.body), text: trouble.body };
    case 'frame': {
      const text = trouble.error === undefined ? '' : JSON.stringify(trouble.error);
      return { headers: {}, body: trouble.error, text };
    }
    case 'thrown':
      return { headers: {}, body: undefined, text: causes(trouble.error) };
    case 'protocol':
      return { headers: {}, body: undefined, text: trouble.detail ?? '' };
  }
};

const causes = (error: unknown): string => {
  const texts: string[] = [];
  for (let at = error, n = 0; at instanceof Error && n < 6; at = at.cause, n += 1) texts.push(at.message);
  return texts.length > 0 ? [...new Set(texts)].join(' ← ') : String(error);
};

const codeOf = (trouble: Trouble, body: unknown): string | undefined => {
  if (trouble.type === 'status' || trouble.type === 'frame') {
    const error = errorObject(body);
    const code = error?.['code'] ?? error?.['type'];
    if (typeof code === 'string' || typeof code === 'number') return String(code);
  }
  return trouble.type === 'status' ? String(trouble.status) : undefined;
};

export const classify = (trouble: Trouble, at: Endpoint, now: number): Failure => {
  const verdict = verdictOf(at, trouble);
  const { headers, body, text } = bodyOf(trouble);
  const hint = verdict.transient ? readRetryHint({ headers, body }, now) : undefined;
  const code = verdict.code ?? codeOf(trouble, body);
  const clean = (what: string, limit: number): string => excerpt(redact(what, at.secrets), limit);
  return {
    kind: verdict.kind,
    message: clean(verdict.sentence, 600),
    transient: verdict.transient,
    ...(code !== undefined && { code: clean(code, 100) }),
    ...(trouble.type === 'status' && { status: trouble.status }),
    ...(hint !== undefined && { retry_after_ms: hint }),
    ...(text.trim() !== '' && { detail: clean(text, 500) }),
    ...(verdict.action && { action: verdict.action }),
  };
};
