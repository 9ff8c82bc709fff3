/**
 * Every fault of a model server, over every wire protocol: what it sends, and what failure one attempt makes of it. Whole
 * turns are played over the same table (test/unit/agent/fault-matrix).
 */
import type { Kind } from '../../../src/models/kinds.js';
import { MAX_WAIT_MS } from '../../../src/models/retry-hint.js';
import type { Failure } from '../../../src/shared/failure.js';
import { part, replies, type Protocol, type Reply } from '../../model-server/index.js';

export const kindOf: Record<Protocol, Kind> = {
  chat: 'openai-compatible',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'google',
};

/** The protocols' own words for what is wrong. */
const quotaError: Record<Protocol, { status: number; message: string; type?: string; code?: string }> = {
  chat: { status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' },
  responses: { status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' },
  messages: {
    status: 400,
    message: 'Your credit balance is too low to access the Anthropic API.',
    type: 'invalid_request_error',
  },
  gemini: { status: 429, message: 'You exceeded your current quota, please check your plan and billing.' },
};
const overflowError: Record<Protocol, string> = {
  chat: "This model's maximum context length is 8192 tokens.",
  responses: 'Your input exceeds the context window of this model.',
  messages: 'prompt is too long: 210000 tokens > 200000 maximum',
  gemini: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
};
const keyError: Record<Protocol, { status: number; message: string; type?: string; code?: string }> = {
  chat: { status: 401, message: 'Incorrect API key provided', code: 'invalid_api_key' },
  responses: { status: 401, message: 'Incorrect API key provided', code: 'invalid_api_key' },
  messages: { status: 401, message: 'invalid x-api-key', type: 'authentication_error' },
  gemini: { status: 400, message: 'API key not valid. Please pass a valid API key.' },
};
const noModelError: Record<Protocol, { message: string; type?: string; code?: string }> = {
  chat: { message: 'The model `scripted` does not exist', code: 'model_not_found' },
  responses: { message: 'The model `scripted` does not exist', code: 'model_not_found' },
  messages: { message: 'model: scripted', type: 'not_found_error' },
  gemini: { message: 'models/scripted is not found for API version v1beta' },
};

export type Replies = (typeof replies)[Protocol];

export interface Fault {
  name: string;
  reply: (of: Replies, protocol: Protocol) => Reply;
  failure: Partial<Failure>;
  /** What had been streamed by then. */
  text?: string;
  /** Something that is no text had been streamed. */
  hasCalls?: true;
  /** How long the server asks to wait, in ms. */
  hint?: number | 'none';
  isFinal?: (protocol: Protocol) => boolean;
}

export const now = Date.UTC(2030, 0, 1, 12);
const rate = { message: 'slow down', type: 'rate_limit_error' };
const limited =
  (headers: Record<string, string>) =>
  (of: Replies): Reply =>
    of.error(429, rate, headers);

const hints: Fault[] = (
  [
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['a fraction of a second', { 'retry-after': '2.5' }, 2500],
    ['a date', { 'retry-after': 'Tue, 01 Jan 2030 12:00:07 GMT' }, 7000],
    ['ms', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1234],
    ['a huge number', { 'retry-after': '9999999999' }, MAX_WAIT_MS],
    ['garbage', { 'retry-after': 'abc' }, 'none'],
    ['nothing in it', { 'retry-after': '' }, 'none'],
    ['zero', { 'retry-after': '0' }, 'none'],
    ['a negative number', { 'retry-after': '-1' }, 'none'],
    ['a date that is past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 'none'],
  ] as const
).map(([name, headers, hint]) => ({
  name: `E1 E2: 429 with ${name}`,
  reply: limited(headers),
  failure: { kind: 'rate', transient: true, status: 429 },
  hint,
}));

const retryInfo = {
  error: {
    code: 429,
    message: 'You exceeded your current quota',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '19.5s' }],
  },
};

const statuses: Fault[] = (
  [
    [408, 'overloaded', true],
    [409, 'overloaded', true],
    [425, 'overloaded', true],
    [500, 'overloaded', true],
    [502, 'overloaded', true],
    [503, 'overloaded', true],
    [504, 'overloaded', true],
    [529, 'overloaded', true],
    [400, 'refused', false],
    [401, 'auth', false],
    [402, 'rate', false],
    [403, 'auth', false],
    [404, 'refused', false],
    [413, 'overflow', false],
    [422, 'refused', false],
    [307, 'refused', false],
  ] as const
).flatMap(([status, kind, transient]) => [
  {
    name: `status ${status} in the protocol's words`,
    reply: (of) => of.error(status, { message: 'no' }),
    failure: { kind, transient, status },
    hint: 'none',
  },
  {
    name: `status ${status} with nothing but a page`,
    reply: (of) =>
      of.status(status, { 'content-type': 'text/html' }, '<html>billing context overload</html>'),
    failure: { kind, transient, status },
  } satisfies Fault,
]);

const refusals: Fault[] = [
  {
    name: 'a used-up quota',
    reply: (of, protocol) =>
      of.error(quotaError[protocol].status, quotaError[protocol], { 'retry-after': '3' }),
    // Google says the same words of its limits by the minute: those pass.
    failure: { kind: 'rate' },
    isFinal: (protocol) => protocol !== 'gemini',
  },
  {
    name: '429 with a hint in the body',
    reply: (of) => of.status(429, {}, retryInfo),
    failure: { kind: 'rate', transient: true },
    hint: 19_500,
  },
  {
    name: '503 with a hint',
    reply: (of) => of.error(503, { message: 'overloaded' }, { 'retry-after': '4' }),
    failure: { kind: 'overloaded', transient: true },
    hint: 4000,
  },
  {
    name: 'a wrong key',
    reply: (of, protocol) => of.error(keyError[protocol].status, keyError[protocol]),
    failure: { kind: 'auth', transient: false, action: 'set-key' },
  },
  {
    name: 'no such model',
    reply: (of, protocol) => of.error(404, noModelError[protocol]),
    failure: { kind: 'refused', transient: false, action: 'select-model' },
  },
  {
    name: 'no such service',
    reply: (of) => of.status(404, {}, '404 page not found'),
    failure: { kind: 'refused', transient: false, action: 'open-settings' },
  },
  {
    name: 'a conversation that is too long',
    reply: (of, protocol) =>
      of.error(400, { message: overflowError[protocol], type: 'invalid_request_error' }),
    failure: { kind: 'overflow', transient: false, action: 'select-model' },
  },
];

const connections: Fault[] = [
  {
    name: 'reset before the headers',
    reply: (of) => of.reset(),
    failure: { kind: 'network', transient: true, code: 'ECONNRESET' },
  },
  {
    name: 'D1: reset in the middle of text',
    reply: (of) => of.cut(['zig', 'zag', 'zog']),
    text: 'zigzagzog',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: reset in the middle of arguments',
    reply: (of) => of.cutCall({ name: 'read', raw: '{"path":"a' }),
    hasCalls: true,
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: a clean cut in the middle of text',
    reply: (of) => of.unfinished(['zig', 'zag']),
    text: 'zigzag',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: a clean cut behind a whole call',
    reply: (of) => of.told({ content: [{ calls: [{ name: 'read', args: {} }] }] }),
    hasCalls: true,
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: a clean cut behind a whole text',
    reply: (of) => of.told({ content: [{ text: ['zig'] }] }),
    text: 'zig',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'D1: [DONE] and nothing else of an end',
    reply: (of) => of.told({ content: [{ text: ['zig'] }] }, part.done()),
    text: 'zig',
    failure: { kind: 'network', transient: true },
  },
];

const streams: Fault[] = [
  {
    name: 'D3: an error in the stream, before content',
    reply: (of) => of.errorInStream([]),
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D3: an error in the stream, behind content',
    reply: (of) => of.errorInStream(['zig', 'zag']),
    text: 'zigzag',
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D3: a rate limit in the stream',
    reply: (of, protocol) =>
      of.errorInStream(
        ['zig'],
        protocol === 'gemini' ? { ...rate, code: 429, type: 'RESOURCE_EXHAUSTED' } : rate,
      ),
    text: 'zig',
    failure: { kind: 'rate', transient: true },
  },
  {
    name: 'D3: a refused request in the stream',
    reply: (of) => of.errorInStream([], { message: 'bad', type: 'invalid_request_error', code: 400 }),
    failure: { kind: 'refused', transient: false },
  },
  {
    name: 'D3: an error and then a normal end',
    reply: (of, protocol) => ({
      ...of.errorInStream(['zig']),
      steps: [...of.errorInStream(['zig']).steps, ...replies[protocol].text('b').steps],
    }),
    text: 'zig',
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'D3: `event: error` without a word',
    reply: (of) => of.told({ content: [] }, part.raw('event: error\n\n')),
    failure: { kind: 'overloaded', transient: true },
  },
  {
    name: 'a broken chunk',
    reply: (of) => of.broken(['zig']),
    text: 'zig',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'a chunk that is no object',
    reply: (of) => of.told({ content: [{ text: ['zig'] }] }, part.frame([1])),
    text: 'zig',
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'a page with 200',
    reply: (of) => of.html(),
    failure: { kind: 'network', transient: false, action: 'open-settings' },
  },
  {
    name: 'a page with 200 that claims to be a stream',
    reply: (of) => of.status(200, { 'content-type': 'text/event-stream' }, '<html>\n\n</html>'),
    failure: { kind: 'network', transient: false, action: 'open-settings' },
  },
  { name: 'an empty 200', reply: (of) => of.empty(), failure: { kind: 'network', transient: true } },
  {
    name: 'keepalives and an end',
    reply: (of) => of.pings(3, 'end'),
    failure: { kind: 'network', transient: true },
  },
  {
    name: 'JSON with 200',
    reply: (of) => of.status(200, {}, { hello: 1 }),
    failure: { kind: 'network', transient: false },
  },
];

export const faults: Fault[] = [...hints, ...statuses, ...refusals, ...connections, ...streams];
