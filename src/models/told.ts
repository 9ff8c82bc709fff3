/** What an error says, wherever it stood and however a server shapes it, and what its words mean. */
import { isRecord, textOf, type Json } from './json.js';
import { excerpt } from './redact.js';

export interface Told {
  message: string;
  /** Type, code and status words, lower case, joined: "rate_limit_error rate_limit_exceeded". */
  words: string;
  status: number | undefined;
}

/** `{error: {…}}`, the error itself, or either in an array as Google's compatible endpoint has it. */
export const errorObject = (body: unknown): Json | undefined => {
  if (Array.isArray(body)) return errorObject(body[0]);
  if (!isRecord(body)) return undefined;
  return isRecord(body['error']) ? body['error'] : body;
};

const httpStatus = (value: unknown): number | undefined => {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 300 && status < 600 ? status : undefined;
};

const word = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** `raw` is the text when there was no JSON. */
export const readTold = (value: unknown, raw: string): Told => {
  const error = errorObject(value);
  if (!error) return { message: excerpt(textOf(value) ?? raw, 200), words: '', status: undefined };
  const inner = textOf(error['message']) ?? textOf(error['error']) ?? textOf(error['detail']);
  const words = [error['type'], error['code'], error['status'], error['error_type']].map(word);
  return {
    message: excerpt(inner ?? raw, 200),
    words: words.join(' ').trim().toLowerCase(),
    status: httpStatus(error['code']) ?? httpStatus(error['status']) ?? httpStatus(error['status_code']),
  };
};

const rateWords = /rate_?limit|too_many_requests|resource_exhausted|throttl/;

export const isRate = ({ message, words }: Told): boolean =>
  rateWords.test(words) || /rate.?limit|too many requests/i.test(message);

const overflowMessage =
  /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|exceeds? the (model'?s )?(maximum|max|available|limit).*(tokens|context)|input token count.*exceeds|reduce the length|tokens? (exceeds?|greater than).*(limit|maximum)/i;

/** "Too many tokens" of a rate limit is no long conversation. */
export const isOverflow = ({ message, words, status }: Told): boolean =>
  /context_length_exceeded|exceed_context_size|context_window_exceeded|string_above_max_length/.test(words) ||
  (status !== 429 && !rateWords.test(words) && overflowMessage.test(message));

/**
 * Used up, and no wait will help. A rate limit may speak of quota and billing as well (Google's and OpenAI's free tiers
 * do): its code decides.
 */
export const isQuota = ({ message, words }: Told): boolean => {
  if (
    /insufficient_(quota|funds|balance|credits?)|billing|payment_required|quota_exceeded|credit/.test(words)
  )
    return true;
  if (rateWords.test(words)) return false;
  return /exceeded your current quota|billing|insufficient (quota|balance|funds|credits?)|out of credits?|credit balance|^quota/i.test(
    message,
  );
};

export const isRefusal = ({ message, words }: Told): boolean =>
  /content_(filter|policy)|responsible_?ai|safety|moderation|content_blocked|sensitive/.test(words) ||
  /content (management )?policy|content filter|flagged|safety system/i.test(message);

export const isOverloaded = ({ message, words }: Told): boolean =>
  /overload|unavailable|server_error|internal|timeout|deadline_exceeded|api_error|capacity|engine_/.test(
    words,
  ) ||
  /overload|temporarily|try again later|service unavailable|internal (server )?error|timed? ?out|at capacity/i.test(
    message,
  );

export const isAuth = ({ message, words }: Told): boolean =>
  /authentication|invalid_api_key|unauthenticated|unauthorized/.test(words) ||
  /invalid api key|incorrect api key/i.test(message);

/** A key that was refused, said by a status that does not say so. */
export const isBadKey = ({ message }: Told): boolean =>
  /api key (not valid|not found|expired|invalid)|(invalid|incorrect) (api key|x-api-key)/i.test(message);

/** How servers say that they know no such path, as distinct from no such model. */
export const isNoRoute = ({ message }: Told): boolean =>
  /^(file |page )?not found\.?$|endpoint or method|invalid url|no (such )?route|unknown (path|route|url|endpoint)/i.test(
    message,
  );

/** How servers name what they will not take of an image; that a model takes none at all is another matter. */
const imageWords = /image_(too_|parse_|file_)|(invalid|unsupported|empty|too_many)_(base64_)?image/;
const namesImage = /\bimages?\b|image_url|inline_?data/i;
const wrongImage =
  /too (large|big|many|long|small)|exceed|at most \d|up to \d|max(imum)?\b|larger than|limit|dimension|pixels?\b|resolution|(not|cannot|unable to|failed to|error) (be )?(process|decod|load|read|identif|pars)|invalid|corrupt|not a valid|unsupported image|formats?\b/i;
const takesNone =
  /(not|n't|no) support.{0,12}\b(images?|vision|image_url|multimodal)|image (inputs?|content) (is|are) not supported|only supported by/i;

/** The request was refused because of its images: their size, their number, or what one of them is. */
export const isImageRefusal = ({ message, words, status }: Told): boolean => {
  if (status !== undefined && ![400, 413, 422].includes(status)) return false;
  if (imageWords.test(words)) return true;
  if (!namesImage.test(message) || takesNone.test(message)) return false;
  return wrongImage.test(message) && !/\btokens?\b|context (length|window|size)/i.test(message);
};

/** Anthropic takes smaller ones only when there are more than this in one request, and says no more than that. */
const MANY_IMAGES = 20;

/** When it was their number: how many it takes, if it said so. */
export const imageLimit = ({ message, words }: Told): { isNumber: boolean; most?: number } => {
  if (/many-image/i.test(message)) return { isNumber: true, most: MANY_IMAGES };
  const isNumber =
    words.includes('too_many_image') ||
    /too many image|(at most|up to|more than) \d+ image|number of images|images? per (prompt|request|message)/i.test(
      message,
    );
  if (!isNumber) return { isNumber };
  const most =
    /(?:at most|up to|more than|limit(?: of| is)?:?|max(?:imum)?(?: number)?(?: of images)?(?: allowed)?(?: is| of|:)*|>) (\d{1,4})\b(?! ?(?:px|pixel|MB|KB|bytes))/i.exec(
      message,
    )?.[1];
  return most === undefined ? { isNumber } : { isNumber, most: Number(most) };
};
