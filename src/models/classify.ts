/**
 * The one place where what went wrong with a model request becomes a Failure: what kind it is, whether the same request
 * may succeed later, how long the server asks to wait, and a sentence that says what to change.
 */
import type { Failure } from '../shared/failure.js';
import { isRecord, parseJson } from './json.js';
import { excerpt, redact } from './redact.js';
import { readRetryHint } from './retry-hint.js';
import { classifySocket } from './socket-errors.js';
import {
  errorObject,
  isAuth,
  isBadKey,
  isImageRefusal,
  isOverflow,
  isOverloaded,
  isQuota,
  isRate,
  isRefusal,
  readTold,
  type Told,
} from './told.js';
import {
  auth,
  brokenOff,
  contentRefused,
  emptyAnswer,
  forbidden,
  imageRefused,
  noStream,
  notFound,
  overflow,
  overloaded,
  quota,
  rate,
  redirected,
  rejected,
  unexplained,
  type Endpoint,
  type Verdict,
} from './verdicts.js';

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

/** Words of the error that hold whatever the status. */
const byWords = (at: Endpoint, about: Told): Verdict | undefined => {
  // One that is too long as text is not what is too long for the model.
  if (isImageRefusal(about)) return imageRefused(at, about);
  if (isOverflow(about)) return overflow(at, about);
  if (isQuota(about)) return quota(at, about);
  if (isRefusal(about)) return contentRefused(at, about);
  // Google refuses a wrong key as an invalid argument.
  return isBadKey(about) ? auth(at, about.status) : undefined;
};

/** `isForeign`: the body is no error of such a service (a page, a bare text). */
const byStatus = (at: Endpoint, about: Told & { status: number }, isForeign: boolean): Verdict => {
  const { status } = about;
  if (status >= 500) return overloaded(at, about);
  switch (status) {
    case 401:
      return auth(at, status);
    case 402:
      return quota(at, about);
    case 403:
      return forbidden(at, about);
    case 404:
      return notFound(at, about, isForeign);
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

const isPage = (headers: Record<string, string>, body: string): boolean =>
  /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body);

const classifyStatus = (
  at: Endpoint,
  trouble: Extract<Trouble, { type: 'status' }>,
  now: number,
): Verdict => {
  const { status, headers, body } = trouble;
  if (status < 400) return redirected(at, status, headers['location']);
  const page = isPage(headers, body);
  const json = parseJson(body);
  const about = { ...readTold(json, page ? '' : body), status };
  const isForeign = page || (json === undefined && body.trim() !== '');
  // A failing server's page about "billing" or "context" proves nothing; neither does the text of a refused key.
  if (page || status === 401) return byStatus(at, about, isForeign);
  // A quota that says when it is there again is a rate limit.
  if (status === 429 && readRetryHint({ headers: {}, body: json }, now) !== undefined) return rate(at, about);
  return byWords(at, about) ?? byStatus(at, about, isForeign);
};

/** An error in a stream is final unless it says that it will pass. */
const classifyFrame = (at: Endpoint, error: unknown): Verdict => {
  if (error === undefined || error === null) return unexplained(at);
  const about = readTold(error, typeof error === 'string' ? error : JSON.stringify(error));
  const words = byWords(at, about);
  if (words) return words;
  if (about.status !== undefined) return byStatus(at, { ...about, status: about.status }, false);
  if (isRate(about)) return rate(at, about);
  if (isAuth(about)) return auth(at, undefined);
  return isOverloaded(about) ? overloaded(at, about) : brokenOff(at, about);
};

const classifyPage = (at: Endpoint, body: string): Verdict => {
  const error = parseJson(body);
  if (isRecord(error) && error['error'] != null) return classifyFrame(at, error['error']);
  // Keepalives alone are an answer that never began.
  if (body.replace(/^:.*$/gm, '').trim() === '') return emptyAnswer(at);
  return noStream(at, isPage({}, body) ? 'a web page' : 'something that is no event stream');
};

const verdictOf = (at: Endpoint, trouble: Trouble, now: number): Verdict => {
  switch (trouble.type) {
    case 'status':
      return classifyStatus(at, trouble, now);
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

/** What node and fetch say in one word of a body that was cut. */
const cutShort: Readonly<Record<string, string>> = {
  aborted: 'The connection was closed in the middle of the answer (aborted)',
  terminated: 'The connection was closed in the middle of the answer (terminated)',
};

const causes = (error: unknown): string => {
  const texts: string[] = [];
  for (let at = error, n = 0; at instanceof Error && n < 6; at = at.cause, n += 1)
    texts.push(cutShort[at.message] ?? at.message);
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

/** What words alone say of a model that is reached without a protocol of ours: what has a remedy of its own. */
export const classifyWords = (
  message: string,
  model: string,
): Pick<Failure, 'kind' | 'message' | 'transient' | 'code' | 'max_images' | 'action'> | undefined => {
  const about: Told = { message, words: '', status: undefined };
  const at: Endpoint = { provider: 'VS Code', model, baseUrl: '', hasKey: false, secrets: [] };
  const verdict = isImageRefusal(about)
    ? imageRefused(at, about)
    : isOverflow(about)
      ? overflow(at, about)
      : undefined;
  if (verdict === undefined) return undefined;
  const { kind, sentence, transient, code, max_images, action } = verdict;
  return {
    kind,
    message: excerpt(sentence, 600),
    transient,
    ...(code !== undefined && { code }),
    ...(max_images !== undefined && { max_images }),
    ...(action && { action }),
  };
};

export const classify = (trouble: Trouble, at: Endpoint, now: number): Failure => {
  const verdict = verdictOf(at, trouble, now);
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
    ...(verdict.max_images !== undefined && { max_images: verdict.max_images }),
    ...(text.trim() !== '' && { detail: clean(text, 500) }),
    ...(verdict.action && { action: verdict.action }),
  };
};
