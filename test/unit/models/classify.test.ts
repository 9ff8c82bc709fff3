import { describe, it, expect } from 'vitest';
import { classify, type Trouble } from '../../../src/models/classify.js';
import type { Endpoint } from '../../../src/models/verdicts.js';
import type { Failure } from '../../../src/shared/failure.js';
import { failureSchema } from '../../../src/shared/failure-schema.js';

const at: Endpoint = {
  provider: 'acme',
  model: 'm-1',
  baseUrl: 'https://api.acme.test/v1',
  hasKey: true,
  secrets: ['very-secret-key'],
};
const now = Date.UTC(2030, 0, 1);

const judge = (trouble: Trouble, endpoint: Partial<Endpoint> = {}): Failure => {
  const failure = classify(trouble, { ...at, ...endpoint }, now);
  expect(failureSchema.safeParse(failure).error).toBeUndefined();
  return failure;
};
const status = (code: number, body: unknown = '', headers: Record<string, string> = {}): Failure =>
  judge({
    type: 'status',
    status: code,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const error = (fields: object): object => ({ error: { message: 'm', ...fields } });
const frame = (value: unknown): Failure => judge({ type: 'frame', error: value, headers: {} });
const socket = (code: string, message = code): Error => Object.assign(new Error(message), { code });
const thrown = (value: unknown): Failure => judge({ type: 'thrown', error: value });

type Row = [name: string, failure: Failure, kind: Failure['kind'], transient: boolean];

const statuses: Row[] = [
  ...[408, 409, 425].map((code): Row => [`${code}`, status(code), 'overloaded', true]),
  ['409 lock', status(409, error({ message: 'could not acquire the lock' })), 'overloaded', true],
  ['429', status(429, error({ type: 'rate_limit_error' })), 'rate', true],
  ['429 without a body', status(429), 'rate', true],
  ...[500, 502, 503, 504, 520, 524, 529, 599].map((code): Row => [
    `${code}`,
    status(code, '<html>x</html>'),
    'overloaded',
    true,
  ]),
  ['529 overloaded', status(529, error({ type: 'overloaded_error' })), 'overloaded', true],
  [
    '503 page about billing',
    status(503, '<html>billing maintenance</html>', { 'content-type': 'text/html' }),
    'overloaded',
    true,
  ],

  ['400', status(400, error({ type: 'invalid_request_error' })), 'refused', false],
  ['401', status(401, error({ code: 'invalid_api_key' })), 'auth', false],
  ['402', status(402), 'rate', false],
  ['403', status(403), 'auth', false],
  ['404', status(404), 'refused', false],
  ['405', status(405), 'refused', false],
  ['413', status(413), 'overflow', false],
  ['422', status(422, error({})), 'refused', false],
  ['301', status(301, '', { location: 'https://elsewhere.test/' }), 'refused', false],

  [
    '429 insufficient_quota',
    status(429, error({ type: 'insufficient_quota', code: 'insufficient_quota' })),
    'rate',
    false,
  ],
  [
    '429 by its words',
    status(
      429,
      error({ message: 'You exceeded your current quota, please check your plan and billing details.' }),
    ),
    'rate',
    false,
  ],
  ['403 billing', status(403, error({ type: 'billing_error' })), 'rate', false],
  ['400 content filter', status(400, error({ code: 'content_filter' })), 'refused', false],
  [
    '400 content policy',
    status(400, error({ message: "violates Azure OpenAI's content management policy" })),
    'refused',
    false,
  ],

  ['400 context_length_exceeded', status(400, error({ code: 'context_length_exceeded' })), 'overflow', false],
  [
    '400 vLLM',
    status(
      400,
      error({
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      }),
    ),
    'overflow',
    false,
  ],
  [
    '400 llama.cpp',
    status(
      400,
      error({ type: 'exceed_context_size_error', message: 'the request exceeds the available context size' }),
    ),
    'overflow',
    false,
  ],
  [
    '400 Anthropic',
    status(400, error({ message: 'prompt is too long: 210000 tokens > 200000 maximum' })),
    'overflow',
    false,
  ],
  [
    '400 Google',
    status(
      400,
      error({
        message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
      }),
    ),
    'overflow',
    false,
  ],
  ['500 that is an overflow', status(500, error({ message: 'context length exceeded' })), 'overflow', false],
];

const tricky: Row[] = [
  [
    'a rate limit that mentions billing (OpenAI)',
    status(
      429,
      error({
        code: 'rate_limit_exceeded',
        message:
          'Rate limit reached. Visit https://platform.openai.com/account/billing to add a payment method.',
      }),
    ),
    'rate',
    true,
  ],
  [
    'a quota that says when it is there again (Google)',
    status(429, [
      error({
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '19s' }],
      }),
    ]),
    'rate',
    true,
  ],
  [
    'a rate limit by tokens (Bedrock)',
    status(429, error({ message: 'Too many tokens, please wait before trying again.' })),
    'rate',
    true,
  ],
  [
    'a rate limit by tokens (OpenAI)',
    status(
      429,
      error({
        code: 'rate_limit_exceeded',
        message: 'Request too large on tokens per min: Limit 10000, Requested 20000',
      }),
    ),
    'rate',
    true,
  ],
  [
    'a parameter named like a window',
    status(
      400,
      error({
        code: 'unsupported_parameter',
        message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
      }),
    ),
    'refused',
    false,
  ],
];

const frames: Row[] = [
  ['overloaded_error', frame({ type: 'overloaded_error', message: 'Overloaded' }), 'overloaded', true],
  ['rate_limit_error', frame({ type: 'rate_limit_error', message: 'slow down' }), 'rate', true],
  ['rate_limit_exceeded', frame({ code: 'rate_limit_exceeded', message: 'slow' }), 'rate', true],
  ['RESOURCE_EXHAUSTED', frame({ status: 'RESOURCE_EXHAUSTED', message: 'later' }), 'rate', true],
  ['numeric 429', frame({ code: 429, message: 'x' }), 'rate', true],
  ['numeric 502', frame({ code: 502, message: 'Provider returned error' }), 'overloaded', true],
  ['"503"', frame({ code: '503', message: 'x' }), 'overloaded', true],
  ['server_error', frame({ type: 'server_error', message: 'x' }), 'overloaded', true],
  ['UNAVAILABLE', frame({ status: 'UNAVAILABLE', message: 'x' }), 'overloaded', true],
  ['a text that says so', frame('The server is overloaded, try again later'), 'overloaded', true],
  ['no word at all', frame(undefined), 'overloaded', true],
  ['D3: quota', frame({ message: 'quota' }), 'rate', false],
  ['insufficient_quota', frame({ type: 'insufficient_quota', message: 'x' }), 'rate', false],
  ['invalid_request_error', frame({ type: 'invalid_request_error', message: 'bad' }), 'refused', false],
  ['authentication_error', frame({ type: 'authentication_error', message: 'bad' }), 'auth', false],
  ['numeric 401', frame({ code: 401, message: 'bad' }), 'auth', false],
  ['content filter', frame({ code: 'content_filter', message: 'x' }), 'refused', false],
  ['overflow', frame({ code: 'context_length_exceeded', message: 'x' }), 'overflow', false],
  ['unknown', frame({ message: 'something odd' }), 'refused', false],
];

const wrapped = (inner: Error): Error => new TypeError('fetch failed', { cause: inner });
const sockets: Row[] = [
  ...[
    'ECONNRESET',
    'ECONNREFUSED',
    'ECONNABORTED',
    'ETIMEDOUT',
    'EPIPE',
    'ENETUNREACH',
    'EHOSTUNREACH',
    'EAI_AGAIN',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'UND_ERR_CONNECT_TIMEOUT',
  ].map((code): Row => [code, thrown(wrapped(socket(code))), 'network', true]),
  [
    'both address families refused',
    thrown(wrapped(new AggregateError([socket('ECONNREFUSED'), socket('ECONNREFUSED')]))),
    'network',
    true,
  ],
  ['net::ERR_CONNECTION_RESET', thrown(new Error('net::ERR_CONNECTION_RESET')), 'network', true],
  ['net::ERR_INTERNET_DISCONNECTED', thrown(new Error('net::ERR_INTERNET_DISCONNECTED')), 'network', true],
  ['a timeout', thrown(new DOMException('too slow', 'TimeoutError')), 'network', true],
  ...[
    'ENOTFOUND',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'EPROTO',
    'HPE_INVALID_CONSTANT',
    'ERR_INVALID_URL',
  ].map((code): Row => [code, thrown(wrapped(socket(code))), 'network', false]),
  ['net::ERR_CERT_AUTHORITY_INVALID', thrown(new Error('net::ERR_CERT_AUTHORITY_INVALID')), 'network', false],
  ['nothing known', thrown(new Error('odd')), 'network', false],
  ['no error at all', thrown('odd'), 'network', false],
];

const bodies: Row[] = [
  ['a page', judge({ type: 'page', body: '<html>sign in</html>', headers: {} }), 'network', false],
  [
    'a JSON answer that is no stream',
    judge({ type: 'page', body: '{"choices":[]}', headers: {} }),
    'network',
    false,
  ],
  [
    'an error as JSON',
    judge({ type: 'page', body: '{"error":{"type":"overloaded_error","message":"x"}}', headers: {} }),
    'overloaded',
    true,
  ],
  ['an empty body', judge({ type: 'page', body: '', headers: {} }), 'network', true],
  ['an early end', judge({ type: 'protocol', what: 'ended its stream too early' }), 'network', true],
];

describe('classification', () => {
  for (const [title, rows] of Object.entries({
    status: statuses,
    tricky,
    frame: frames,
    socket: sockets,
    body: bodies,
  })) {
    it.each(rows)(`${title} %s`, (_name, failure, kind, transient) => {
      expect({ kind: failure.kind, transient: failure.transient }).toEqual({ kind, transient });
      expect(failure.message).toMatch(/^\S.*\.$/);
    });
  }

  it('says what to change, with the action that opens the place', () => {
    expect(status(401)).toMatchObject({
      action: 'set-key',
      message: expect.stringContaining('https://api.acme.test/v1'),
    });
    expect(
      judge({ type: 'status', status: 401, headers: {}, body: '' }, { hasKey: false }).message,
    ).toContain('none is set');
    expect(status(404, error({ code: 'model_not_found' }))).toMatchObject({
      action: 'select-model',
      message: expect.stringContaining('"m-1"'),
    });
    expect(status(404)).toMatchObject({ action: 'select-model' });
    for (const body of [
      '{"detail":"Not Found"}',
      error({ message: 'Invalid URL (POST /chat/completions)' }),
      { error: 'Unexpected endpoint or method. (POST /chat/completions)' },
      error({ message: 'File Not Found' }),
      '<html>Not Found</html>',
    ]) {
      expect(status(404, body)).toMatchObject({ action: 'open-settings' });
    }
    expect(status(404, error({ message: 'No endpoints found that support tool use' }))).toMatchObject({
      action: 'select-model',
      message: expect.stringContaining('tool use'),
    });
    expect(status(404, '404 page not found')).toMatchObject({
      action: 'open-settings',
      message: expect.stringContaining('/v1'),
    });
    expect(thrown(socket('ECONNREFUSED'))).toMatchObject({
      action: 'open-settings',
      code: 'ECONNREFUSED',
      message: expect.stringContaining('https://api.acme.test/v1'),
    });
    expect(status(302, '', { location: 'https://elsewhere.test/' })).toMatchObject({
      action: 'open-settings',
      message: expect.stringContaining('https://elsewhere.test/'),
    });
    expect(thrown(socket('SELF_SIGNED_CERT_IN_CHAIN'))).toMatchObject({ action: 'open-settings' });
  });

  it('carries status, code and the hint, and no hint where no retry is allowed', () => {
    const headers = { 'retry-after': '2' };
    expect(status(429, error({ code: 'rate_limit_exceeded' }), headers)).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      retry_after_ms: 2000,
    });
    expect(status(503, '', headers)).toMatchObject({ status: 503, code: '503', retry_after_ms: 2000 });
    expect(status(429, error({ code: 'insufficient_quota' }), headers)).not.toHaveProperty('retry_after_ms');
    expect(
      frame({
        code: 429,
        message: 'x',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '4s' }],
      }),
    ).toMatchObject({ retry_after_ms: 4000 });
  });

  it('gives an excerpt of what came, at most 500 characters, on one line', () => {
    const failure = status(500, `first\nsecond ${'🔥'.repeat(600)}`);
    expect(failure.detail).toMatch(/^first second/);
    expect(failure.detail?.length).toBeLessThanOrEqual(500);
    expect(failure.detail?.isWellFormed()).toBe(true);
  });

  it('H11: shows no key, neither ours nor what looks like one', () => {
    const leak =
      'key very-secret-key, sk-proj-abcDEF123456, Incorrect API key provided: sk-ab****cdef, Bearer abc.def-ghi, AIzaSyA1234567890abcdef';
    for (const failure of [
      status(400, error({ message: leak })),
      status(500, leak),
      frame(leak),
      thrown(new Error(leak)),
    ]) {
      const text = JSON.stringify(failure);
      expect(text).toContain('[redacted]');
      expect(text).not.toMatch(/very-secret-key|sk-proj|sk-ab|abc\.def|AIzaSy/);
    }
  });
});

describe('C16: images that are not accepted', () => {
  const many =
    'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels';
  it.each([
    [
      'Anthropic: bytes',
      400,
      { message: 'image exceeds 5 MB maximum: 5316052 bytes > 5242880 bytes' },
      'image',
    ],
    [
      'Anthropic: pixels',
      400,
      { message: 'At least one of the image dimensions exceed max allowed size: 8000 pixels' },
      'image',
    ],
    ['Anthropic: pixels of many', 400, { message: many }, 'images', 20],
    ['Anthropic: number', 400, { message: 'too many images and documents: 21 + 0 > 20' }, 'images', 20],
    ['Anthropic: format', 400, { message: 'Could not process image' }, 'image'],
    ['OpenAI: size', 400, { code: 'image_too_large', message: 'm' }, 'image'],
    ['OpenAI: what it is', 400, { code: 'invalid_base64_image', message: 'm' }, 'image'],
    [
      'OpenAI: format',
      400,
      {
        message:
          "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        code: 'invalid_image_format',
      },
      'image',
    ],
    [
      'OpenAI: as long as a text',
      400,
      {
        code: 'string_above_max_length',
        message:
          "Invalid 'messages[0].content[1].image_url.url': string too long. Expected a string with maximum length 20971520.",
      },
      'image',
    ],
    ['OpenAI: number', 400, { message: 'Too many images in request. Max is 250.' }, 'images', 250],
    ['vLLM: number', 400, { message: 'At most 1 image(s) may be provided in one request.' }, 'images', 1],
    ['Google: what it is', 400, { message: 'Unable to process input image. Please retry.' }, 'image'],
    ['Google: a body', 413, { message: 'The image size exceeds the limit.' }, 'image'],
    ['Mistral', 422, { message: 'Image is too large: 5200x9000 exceeds 4096 pixels' }, 'image'],
  ] as [string, number, object, string, number?][])('%s', (_, code, fields, what, most) => {
    const failure = status(code, error(fields));
    expect(failure).toMatchObject({ kind: 'refused', transient: false, code: what });
    expect(failure.max_images).toBe(most);
    expect(failure.message).toMatch(/Send fewer or smaller images, or choose another model\.$/);
    expect(frame({ ...fields, code: what === 'image' ? 'image_too_large' : 'too_many_images' }).code).toBe(
      what,
    );
  });

  it.each([
    ['a model that takes none', 400, { message: 'This model does not support image input.' }, 'refused'],
    [
      'a server that takes none',
      400,
      { message: 'image_url is only supported by certain models.' },
      'refused',
    ],
    [
      'tokens of images',
      400,
      { message: 'Images and text: prompt is too long: 9 tokens > 8 maximum' },
      'overflow',
    ],
    ['a rate', 429, { message: 'Too many images per minute: limit 5' }, 'rate'],
    ['a failing server', 503, { message: 'could not process image: overloaded' }, 'overloaded'],
    ['content', 400, { code: 'content_policy_violation', message: 'Your image was flagged' }, 'refused'],
  ])('not %s', (_, code, fields, kind) => {
    const failure = status(code, error(fields));
    expect(failure.kind).toBe(kind);
    expect(failure.code).not.toMatch(/^images?$/);
  });
});

it('says in words what broke off where node says one word', () => {
  expect(thrown(new Error('aborted')).detail).toBe(
    'The connection was closed in the middle of the answer (aborted)',
  );
});
