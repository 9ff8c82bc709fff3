import { describe, expect, it } from 'vitest';
import { lmAttempt, lmMessages } from '../../../../src/host/model/lm-attempt.js';
import type { ModelEvent, ModelRequest } from '../../../../src/ports.js';

class Text {
  constructor(readonly value: string) {}
}

async function* streamOf(parts: unknown[], error?: Error): AsyncGenerator<unknown> {
  for (const part of parts) yield part;
  if (error) throw error;
}

/** Rejects with whatever it is given: a provider need not throw an Error. */
const refuseWith = (why: unknown): Promise<never> =>
  new Promise((_resolve, reject) => setImmediate(reject, why));

async function attempt(
  parts: unknown[],
  options: { error?: Error; refuse?: unknown; signal?: AbortSignal } = {},
) {
  const events: ModelEvent[] = [];
  const unknown: string[] = [];
  let bytes = 0;
  const stream = lmAttempt({
    send: () =>
      'refuse' in options
        ? refuseWith(options.refuse)
        : Promise.resolve({ stream: streamOf(parts, options.error) }),
    isText: (part) => part instanceof Text,
    label: 'Test Model',
    signal: options.signal ?? new AbortController().signal,
    onBytes: () => (bytes += 1),
    onUnknown: (what) => unknown.push(what),
  });
  for await (const event of stream) events.push(event);
  return { events, unknown, bytes, last: events.at(-1) };
}

const coded = (code: string) => Object.assign(new Error(`it is ${code}`), { code });

describe('an attempt at a model of VS Code', () => {
  it('gives deltas, whole parts and one finish', async () => {
    const { events, bytes } = await attempt([
      new Text('Hel'),
      new Text('lo'),
      { callId: 'c1', name: 'read', input: { path: 'a' } },
    ]);
    expect(events).toEqual([
      { type: 'response' },
      { type: 'text', delta: 'Hel' },
      { type: 'text', delta: 'lo' },
      { type: 'part', part: { type: 'text', text: 'Hello' } },
      {
        type: 'part',
        part: {
          type: 'tool_call',
          provider_call_id: 'c1',
          name: 'read',
          raw_input: '{"path":"a"}',
          input: { path: 'a' },
        },
      },
      { type: 'finish', reason: 'tool_calls' },
    ]);
    expect(bytes).toBe(3);
  });

  it('takes thinking parts by their shape and keeps them apart from text', async () => {
    const { events } = await attempt([{ value: 'hm', id: 'x' }, { value: ['m', 'm'] }, new Text('yes')]);
    expect(events.filter(({ type }) => type === 'part')).toEqual([
      { type: 'part', part: { type: 'reasoning', text: 'hmmm' } },
      { type: 'part', part: { type: 'text', text: 'yes' } },
    ]);
  });

  it('tells of parts it cannot use', async () => {
    const { unknown, last } = await attempt([
      new Text('a'),
      { mimeType: 'image/png', data: new Uint8Array(1) },
      7,
    ]);
    expect(unknown).toEqual(['data of type image/png', 'number']);
    expect(last).toEqual({ type: 'finish', reason: 'unknown' });
  });

  it('D1: an answer without anything is a failure, not an end', async () => {
    expect((await attempt([])).last).toMatchObject({
      type: 'failure',
      failure: { kind: 'network', transient: true },
    });
  });

  it('an error in mid-stream is a failure that may be tried again', async () => {
    const { last } = await attempt([new Text('a')], { error: new Error('gone') });
    expect(last).toMatchObject({ type: 'failure', failure: { transient: true, detail: 'gone' } });
  });

  const noMessage = new Error();
  Reflect.set(noMessage, 'message', undefined);
  const noCauseMessage = new Error('outside', { cause: noMessage });
  it.each([
    [undefined, 'no reason given'],
    [null, 'no reason given'],
    ['out of order', 'out of order'],
    [503, '503'],
    [{}, 'no reason given'],
    [{ message: 'an object' }, 'an object'],
    [noMessage, 'no reason given'],
    [noCauseMessage, 'outside'],
    [new Error('outside', { cause: 'the cause' }), 'the cause'],
  ])('whatever a provider throws is a sentence and may be tried again: %s', async (thrown, reason) => {
    expect((await attempt([], { refuse: thrown })).last).toMatchObject({
      type: 'failure',
      failure: { kind: 'network', transient: true, message: `Test Model failed: ${reason}` },
    });
  });

  it.each(['NoPermissions', 'NotFound', 'Blocked'])(
    '%s is never tried again and offers another model',
    async (code) => {
      const { last, events } = await attempt([], { refuse: coded(code) });
      expect(events).toHaveLength(1);
      expect(last).toMatchObject({
        type: 'failure',
        failure: { code, transient: false, action: 'select-model' },
      });
    },
  );

  it.each([
    ['Request Failed: 400 image exceeds 5 MB maximum', { kind: 'refused', code: 'image' }],
    ['At most 2 images per request', { kind: 'refused', code: 'images', max_images: 2 }],
    ['prompt is too long: 210000 tokens', { kind: 'overflow' }],
  ])('what has a remedy is told from what passes: %s', async (words, failure) => {
    expect((await attempt([], { refuse: new Error(words) })).last).toMatchObject({
      type: 'failure',
      failure: { ...failure, transient: false, detail: words },
    });
  });

  it('a stop is a cancellation, whatever was thrown', async () => {
    const abort = new AbortController();
    abort.abort();
    const refused = await attempt([], { refuse: coded('NotFound'), signal: abort.signal });
    expect(refused.last).toMatchObject({ type: 'failure', failure: { kind: 'cancelled' } });
    const streamed = await attempt([new Text('a')], { signal: abort.signal });
    expect(streamed.last).toMatchObject({ type: 'failure', failure: { kind: 'cancelled' } });
  });
});

describe('messages for a model of VS Code', () => {
  const request: ModelRequest = {
    system: 'Be brief.',
    tools: [],
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'hi' },
          { type: 'image', mime: 'image/png', name: 'a.png', bytes: new Uint8Array(1) },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'secret' },
          { type: 'tool_call', call_id: 'c', name: 'read', input: { path: 'a' } },
        ],
      },
      { role: 'tool', parts: [{ call_id: 'c', name: 'read', content: 'no such file', is_error: true }] },
    ],
  };

  it('puts the system text at the head of the first user message', () => {
    const [first] = lmMessages(request);
    expect(first).toEqual({
      role: 'user',
      parts: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'hi' },
        { type: 'text', text: '[a.png (image/png) was attached; this model is given text only]' },
      ],
    });
  });

  it('replays calls and results, not reasoning', () => {
    const [, assistant, result] = lmMessages(request);
    expect(assistant?.parts).toEqual([{ type: 'call', call_id: 'c', name: 'read', input: { path: 'a' } }]);
    expect(result).toEqual({
      role: 'user',
      parts: [{ type: 'result', call_id: 'c', content: 'Error: no such file' }],
    });
  });

  it('does not change the request', () => {
    const before = JSON.stringify(request);
    lmMessages(request);
    expect(JSON.stringify(request)).toBe(before);
  });
});
