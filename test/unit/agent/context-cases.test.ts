/** Histories that providers refused in the field, as small logs. Ids are those of the list of cases. */
import { describe, expect, it } from 'vitest';
import { MAX_IMAGE_BYTES } from '../../../src/agent/context/attachments.js';
import { BEGIN_TEXT, CONTINUE_TEXT } from '../../../src/agent/context/sequence.js';
import { buildContext, buildRequest, type ContextOptions } from '../../../src/agent/context.js';
import type { ModelInfo, ModelRequest, ToolSpec } from '../../../src/ports.js';
import type { ToolCallPart } from '../../../src/shared/entry.js';
import {
  INTERRUPTED_RESULT,
  NOT_APPROVED_RESULT,
  NOT_RUN_RESULT,
  OTHER_LINE_RESULT,
} from '../../../src/shared/fold/stand-in.js';
import { chatBody, chatViolations } from '../../protocols/chat-completions.js';
import { LogBuilder, call, placed, result, text } from '../shared/build.js';

const model: ModelInfo = { provider: 'p', id: 'm', label: 'M' };
const tools: ToolSpec[] = [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }];

function build(log: LogBuilder, options: Partial<ContextOptions> = {}, to: ModelInfo = model): ModelRequest {
  const request = buildRequest(placed(log.entries), to, { system: 'S', tools, ...options });
  expect(chatViolations(chatBody(request))).toEqual([]);
  return request;
}

const results = (request: ModelRequest): { call_id: string; content: string; is_error: boolean }[] =>
  request.messages.flatMap((message) => (message.role === 'tool' ? message.parts : []));
const calls = (request: ModelRequest): ToolCallPart[] =>
  request.messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool_call') : [],
  );
const textOf = (request: ModelRequest): string => JSON.stringify(request.messages);

describe('calls and results', () => {
  it('C1: a call that was never answered gets a stand-in, and the log is not touched', () => {
    const log = new LogBuilder().user('go');
    log
      .assistant('a', [call('c1'), call('c2')])
      .tool('r', [result('c1', 'one')])
      .user('go on');
    const before = JSON.stringify(log.entries);
    const request = build(log);
    expect(request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(results(request)).toMatchObject([
      { call_id: 'c1', content: 'one', is_error: false },
      { call_id: 'c2', content: INTERRUPTED_RESULT, is_error: true },
    ]);
    expect(JSON.stringify(log.entries)).toBe(before);
  });

  it('C1: with notes, a call that was started may have run and one that was not did not', () => {
    const log = new LogBuilder().user('go').add({ type: 'turn_start', turn_id: 't' });
    log.assistant('a', [call('c1', 'run'), call('c2', 'run')]).add({ type: 'tool_start', call_id: 'c1' });
    expect(results(build(log)).map(({ content }) => content)).toEqual([INTERRUPTED_RESULT, NOT_RUN_RESULT]);
  });

  it('C1: a call that was answered on another branch, or not approved, says so', () => {
    const log = new LogBuilder().user('go').assistant('a', [call('c1', 'run'), call('c2', 'run')]);
    const request = { tool: 'run', summary: 'Run', input_hash: 'h', targets: [] };
    log.add({ type: 'approval_request', id: 'q2', call_id: 'c2', ...request });
    log.add({ type: 'approval_decision', request_id: 'q2', decision: 'deny' });
    log.add({ type: 'approval_decision', request_id: 'q2', decision: 'allow' });
    log
      .tool('r', [result('c1', 'elsewhere')])
      .go('a')
      .user('and now?');
    const fold = log.fold();
    const line = fold.linePositions().flatMap((position) => placed(log.entries)[position] ?? []);
    const openCalls = fold.state().open_calls;
    const told = results(buildRequest(line, model, { system: 'S', tools, openCalls })).map(
      ({ content }) => content,
    );
    expect(told).toEqual([OTHER_LINE_RESULT, NOT_APPROVED_RESULT]);
    expect(results(buildRequest(line, model, { system: 'S', tools }))[1]?.content).toBe(NOT_APPROVED_RESULT);
  });

  it('C3: a result without its call is left out', () => {
    const log = new LogBuilder()
      .user('go')
      .tool('r', [result('c1', 'lost call')])
      .assistant('a', 'done')
      .user('more');
    expect(textOf(build(log))).not.toContain('lost call');
  });

  it('C3: a result that stands before its call does not answer it', () => {
    const log = new LogBuilder()
      .user('go')
      .tool('r', [result('c1', 'early')])
      .assistant('a', [call('c1')]);
    expect(results(build(log)).map(({ content }) => content)).toEqual([INTERRUPTED_RESULT]);
  });

  it('C4: of several results the first answers', () => {
    const log = new LogBuilder().user('go').assistant('a', [call('c1')]);
    log.tool('r1', [result('c1', 'first')]).tool('r2', [result('c1', 'second'), result('c1', 'third')]);
    expect(results(build(log)).map(({ content }) => content)).toEqual(['first']);
  });

  it('C12: repeated and empty provider ids become unique, the same for call and result', () => {
    const log = new LogBuilder().user('go');
    const named = (id: string, provider_call_id: string): ToolCallPart => ({ ...call(id), provider_call_id });
    log.assistant('a', [
      named('aaaa', 'same'),
      named('bbbb', 'same'),
      named('cccc', ''),
      named('dddd', 'not valid!'),
    ]);
    log.tool('r', [result('cccc', 'C'), result('aaaa', 'A')]);
    const request = build(log);
    expect(calls(request).map(({ call_id }) => call_id)).toEqual(['same', 'bbbb', 'cccc', 'dddd']);
    expect(results(request).map(({ call_id, content }) => [call_id, content[0]])).toEqual([
      ['same', 'A'],
      ['bbbb', 'T'],
      ['cccc', 'C'],
      ['dddd', 'T'],
    ]);
    expect(calls(request).some((sent) => 'provider_call_id' in sent)).toBe(false);
  });

  it('C12: an id of ours that is long, odd or taken is rewritten, and what was sent before stays', () => {
    const log = new LogBuilder()
      .user('go')
      .assistant('a', [call('x'.repeat(64)), call('sp ace'), call('sp-ace')]);
    const first = calls(build(log)).map(({ call_id }) => call_id);
    expect(new Set(first).size).toBe(3);
    log.tool('r', [result('sp ace')]).assistant('b', [call('sp ace'), call('x'.repeat(64))]);
    expect(
      calls(build(log))
        .map(({ call_id }) => call_id)
        .slice(0, 3),
    ).toEqual(first);
  });

  it('names of tools that never existed are such that every protocol takes them', () => {
    const named = ['2ead', '-x', 're ad', '', '9'.repeat(70)].map((name, at) => call(`c${String(at)}`, name));
    const log = new LogBuilder().user('go').assistant('a', named);
    const sent = calls(build(log)).map(({ name }) => name);
    expect(sent).toEqual(['_2ead', '_-x', 're_ad', 'unknown_tool', `_${'9'.repeat(63)}`]);
  });

  it('C14: arguments that did not parse are replayed as an empty object with their error', () => {
    const log = new LogBuilder().user('go');
    log.assistant('a', [{ ...call('c1', 'write', {}), raw_input: '{"path":"a.ts","content":"xx' }]);
    log.tool('r', [result('c1', 'The arguments were cut off.', true)]);
    const request = build(log);
    expect(calls(request)).toEqual([{ type: 'tool_call', call_id: 'c1', name: 'write', input: {} }]);
    expect(results(request)[0]).toMatchObject({ is_error: true });
  });

  it('C14: input that is no object, or nested beyond reason, is sent as one that is', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    const log = new LogBuilder().user('go');
    log.assistant('a', [call('c1', 'read', ['a']), call('c2', 'read', null), call('c3', 'read', { deep })]);
    const [one, two, three] = calls(build(log));
    expect([one?.input, two?.input]).toEqual([{}, {}]);
    expect(JSON.stringify(three?.input)).toContain('nested too deeply');
  });

  it('F4: a message sent instead of a decision stands behind all results', () => {
    const log = new LogBuilder().user('go').assistant('a', [call('c1'), call('c2')]);
    log
      .tool('r1', [result('c1', 'ok')])
      .user('no, stop')
      .tool('r2', [result('c2', 'denied', true)]);
    expect(build(log).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('tells the model when the person changed what ran', () => {
    const log = new LogBuilder().user('go').assistant('a', [call('c1', 'run', { command: 'rm -r x' })]);
    const request = { call_id: 'c1', tool: 'run', summary: 'Run', input_hash: 'h', targets: [] };
    log.add({ type: 'approval_request', id: 'q', ...request });
    log.add({
      type: 'approval_decision',
      request_id: 'q',
      decision: 'allow',
      edited_input: { command: 'ls x' },
    });
    log.tool('r', [result('c1', 'a b')]);
    expect(results(build(log))[0]?.content).toBe(
      '[The person changed the input before it ran: {"command":"ls x"}]\na b',
    );
  });

  it('says calls and results as text when no tools are offered', () => {
    const log = new LogBuilder()
      .user('go')
      .assistant('a', [call('c1')])
      .tool('r', [result('c1', 'file text')]);
    const request = build(log, {}, { ...model, tools: false });
    expect(request.tools).toEqual([]);
    expect(textOf(request)).toContain('[Called read with {\\"path\\":\\"a.ts\\"}]');
    expect(textOf(request)).toContain('[Result of read]\\nfile text');
  });
});

describe('text', () => {
  it('C5: lone surrogates of old files heal, everywhere', () => {
    const log = new LogBuilder()
      .user('u', 'cut \ud83d')
      .assistant('a', [text('\udd25'), call('c1', 'read', { '\ud800': '\ud83d' })]);
    log.tool('r', [result('c1', `${'a'.repeat(20)}\ud83d`)]);
    const request = build(log, { system: 'S \ud83d' });
    expect(request.system).toBe('S \ufffd');
    expect(results(request)[0]?.content).toBe(`${'a'.repeat(20)}\ufffd`);
  });

  it.each([
    ['an assistant message', new LogBuilder().user('go').assistant('a', ' \n').user('more')],
    ['a user message', new LogBuilder().user('u', ' \n').assistant('a').user('more')],
    [
      'a summary',
      new LogBuilder().user('go').add({
        type: 'compaction',
        summary: ' ',
        first_kept_entry_id: 'go',
        tokens_before: 2,
        tokens_after: 1,
      }),
    ],
    [
      'a tool result',
      new LogBuilder()
        .user('go')
        .assistant('a', [text(' '), call('c1')])
        .tool('r', [result('c1', '')]),
    ],
    [
      'a skill',
      new LogBuilder().user('u', '\n').add({ type: 'skill_load', name: '', description: '', body: '' }),
    ],
  ])('C7: blank text in %s is not sent', (_, log) => {
    expect(build(log).messages.length).toBeGreaterThan(0);
  });

  it('C7: a user message with nothing but an image is sent', () => {
    const image = { type: 'image' as const, blob: 'a'.repeat(64), mime: 'image/png', name: 'a.png' };
    const log = new LogBuilder().add({ type: 'message', role: 'user', parts: [image] });
    const blobs = new Map([['a'.repeat(64), new Uint8Array([1])]]);
    expect(build(log, { blobs }).messages).toEqual([
      {
        role: 'user',
        parts: [{ type: 'image', mime: 'image/png', name: 'a.png', bytes: new Uint8Array([1]) }],
      },
    ]);
    expect(textOf(build(log))).toContain('[Image \\"a.png\\" (image/png) is not attached here.]');
  });
});

describe('what belongs to one model only', () => {
  const thinking = { type: 'reasoning' as const, text: ' thought\n', signature: 'SIG' };
  const signed = { ...call('c1'), provider_metadata: { google: { thoughtSignature: 'TS' } } };
  const log = (): LogBuilder =>
    new LogBuilder()
      .user('go')
      .assistant('a', [thinking, signed], { provider: 'p', model: 'm' })
      .tool('r', [result('c1')]);

  it('C8: reasoning goes back to the model that made it byte for byte, and to no other', () => {
    const own = build(log()).messages[1];
    expect(own?.role === 'assistant' && own.parts[0]).toEqual(thinking);
    for (const other of [
      { ...model, id: 'n' },
      { ...model, provider: 'q' },
    ]) {
      expect(textOf(build(log(), {}, other))).not.toContain('SIG');
    }
    expect(textOf(build(log()))).toContain('SIG');
  });

  it('C10: opaque metadata of a call follows the same rule', () => {
    expect(calls(build(log()))[0]?.provider_metadata).toEqual({ google: { thoughtSignature: 'TS' } });
    expect(calls(build(log(), {}, { ...model, id: 'n' }))[0]).not.toHaveProperty('provider_metadata');
  });

  it('C11: the reasoning of a message that only calls a tool is kept', () => {
    const message = build(log()).messages[1];
    expect(message?.parts.map((part) => 'type' in part && part.type)).toEqual(['reasoning', 'tool_call']);
  });

  it('C8: a message whose reasoning was all there was is left out', () => {
    const only = new LogBuilder()
      .user('go')
      .assistant('a', [thinking], { provider: 'p', model: 'm' })
      .user('more');
    expect(build(only).messages).toHaveLength(1);
  });
});

describe('limits', () => {
  const image = (letter: string): { type: 'image'; blob: string; mime: string; name: string } => ({
    type: 'image',
    blob: letter.repeat(64),
    mime: 'image/png',
    name: `${letter}.png`,
  });

  it('C16: images of older messages are told by a hint, those of the newest prompt and the current batch are sent', () => {
    const blobs = new Map(['a', 'b', 'c'].map((letter) => [letter.repeat(64), new Uint8Array([1])]));
    const log = new LogBuilder().add({ type: 'message', role: 'user', parts: [image('a')] }).assistant('x');
    log
      .add({ type: 'message', role: 'user', parts: [text('and this?'), image('b')] })
      .assistant('y', [call('c1')]);
    log.add({ type: 'message', role: 'tool', parts: [result('c1', 'an older picture'), image('a')] });
    log.assistant('z', [call('c2')]);
    log.add({ type: 'message', role: 'tool', parts: [result('c2', 'a picture'), image('c')] });
    const sent = build(log, { blobs }).messages.flatMap((message) =>
      message.role === 'user'
        ? message.parts.flatMap((part) => (part.type === 'image' ? [part.name] : []))
        : [],
    );
    expect(sent).toEqual(['b.png', 'c.png']);
  });

  it('C17: images beyond the cap are told by a hint', () => {
    const bytes = new Uint8Array(MAX_IMAGE_BYTES / 2 + 1);
    const blobs = new Map(['a', 'b'].map((letter) => [letter.repeat(64), bytes]));
    const log = new LogBuilder().add({ type: 'message', role: 'user', parts: [image('a'), image('b')] });
    const [message] = build(log, { blobs }).messages;
    expect(message?.parts.map((part) => 'type' in part && part.type)).toEqual(['image', 'text']);
  });

  it('C17: of 70 images of 1.5 MB as many go along as the cap takes, and the others are told of by name', () => {
    const bytes = new Uint8Array(1.5 * 1024 * 1024);
    const names = Array.from({ length: 70 }, (_, at) => `picture-${at}`);
    const images = names.map((name, at) => ({
      ...image('0'),
      blob: at.toString(16).padStart(64, '0'),
      name: `${name}.png`,
    }));
    const blobs = new Map(images.map(({ blob }) => [blob, bytes]));
    const log = new LogBuilder().add({
      type: 'message',
      role: 'user',
      parts: [text('all of these'), ...images],
    });
    const built = build(log, { blobs });
    const [message] = built.messages;
    const sent = (message?.parts ?? []).filter((part) => 'type' in part && part.type === 'image');
    expect(sent).toHaveLength(Math.floor(MAX_IMAGE_BYTES / bytes.length));
    const told = JSON.stringify((message?.parts ?? []).filter((part) => !sent.includes(part)));
    expect(names.filter((name) => told.includes(`${name}.png`))).toHaveLength(70 - sent.length);
    // What goes over the wire, base64 included.
    expect(Buffer.byteLength(JSON.stringify(chatBody(built)))).toBeLessThan(MAX_IMAGE_BYTES * 1.4);
  });

  it('C17: the byte budget holds by shortening the oldest results first, visibly', () => {
    const log = new LogBuilder().user('go');
    for (const name of ['one', 'two', 'three']) {
      log.assistant(name, [call(name)]).tool(`r-${name}`, [result(name, `${name} ${'x'.repeat(5000)} end`)]);
    }
    const maxBytes = 13_000;
    const { request, fits, trimmed } = buildContext(placed(log.entries), model, {
      system: 'S',
      tools,
      maxBytes,
    });
    expect(fits).toBe(true);
    expect(trimmed).toEqual({ results: 1, images: 0, messages: 0 });
    expect(Buffer.byteLength(JSON.stringify(chatBody(request)))).toBeLessThanOrEqual(maxBytes);
    const [one, two, three] = results(request).map(({ content }) => content);
    expect(one).toMatch(/^one x+\n\[… \d+ characters were left out here .*\]\nx+ end$/s);
    expect(two).toHaveLength(5008);
    expect(three).toHaveLength(5010);
  });

  it('E9: one result larger than the window is shortened, the prompt is not', () => {
    const log = new LogBuilder().user('go', 'What does it say?').assistant('a', [call('c1')]);
    log.tool('r', [result('c1', 'line of a file\n'.repeat(200_000))]);
    const small = { ...model, contextWindow: 4096 };
    const { request, fits } = buildContext(placed(log.entries), small, { system: 'S', tools });
    expect(fits).toBe(true);
    expect(textOf(request)).toContain('What does it say?');
    expect(results(request)[0]?.content).toContain('characters were left out here');
  });

  it('E9: results of the running step are shortened less than old ones', () => {
    const log = new LogBuilder()
      .user('go')
      .assistant('a', [call('c1')])
      .tool('r1', [result('c1', 'word '.repeat(2000))]);
    log.assistant('b', [call('c2')]).tool('r2', [result('c2', 'word '.repeat(10_000))]);
    const { request, fits } = buildContext(
      placed(log.entries),
      { ...model, contextWindow: 15_000 },
      { system: 'S', tools },
    );
    expect(fits).toBe(true);
    const [old, recent] = results(request).map(({ content }) => content.length);
    expect(old).toBeLessThan(800);
    expect(recent).toBeGreaterThan(39_000);
  });

  it('E9: a request that cannot fit says so, and is still acceptable', () => {
    const log = new LogBuilder().user('go').assistant('a').user('u', 'word '.repeat(5000));
    const { request, fits, trimmed } = buildContext(
      placed(log.entries),
      { ...model, contextWindow: 4096 },
      { system: 'S', tools },
    );
    expect(fits).toBe(false);
    expect(trimmed.messages).toBe(2);
    expect(textOf(request)).toContain('[2 earlier messages were left out here');
    expect(chatViolations(chatBody(request))).toEqual([]);
  });

  it('E9: long turns lose their oldest steps, never the prompt or the last step', () => {
    const log = new LogBuilder().user('go', 'THE PROMPT');
    for (let step = 0; step < 40; step++) {
      log
        .assistant(`a${step}`, [text(`step ${step} ${'word '.repeat(80)}`), call(`c${step}`)])
        .tool(`r${step}`, [result(`c${step}`)]);
    }
    const { request, fits } = buildContext(
      placed(log.entries),
      { ...model, contextWindow: 3000 },
      { system: 'S', tools },
    );
    expect(fits).toBe(true);
    expect(chatViolations(chatBody(request))).toEqual([]);
    expect(textOf(request)).toContain('THE PROMPT');
    expect(textOf(request)).toContain('step 39');
    expect(textOf(request)).not.toContain('step 0 ');
  });
});

describe('order', () => {
  it('ends on the user’s side by an ephemeral word, which stands there too when the path went on', () => {
    const log = new LogBuilder().user('go').assistant('a', 'half done');
    const first = build(log).messages;
    expect(first.at(-1)).toEqual({ role: 'user', parts: [{ type: 'text', text: CONTINUE_TEXT }] });
    log.assistant('b', 'done').user('thanks');
    expect(build(log).messages.slice(0, 3)).toEqual(first);
  });

  it('starts with a user message whatever the log starts with, and is never empty', () => {
    const [first] = build(new LogBuilder().assistant('a').user('go')).messages;
    expect(first).toEqual({ role: 'user', parts: [{ type: 'text', text: BEGIN_TEXT }] });
    expect(build(new LogBuilder()).messages).toHaveLength(1);
  });

  it('D1: incomplete output and notes are never told', () => {
    const log = new LogBuilder().user('go').add({ type: 'turn_start', turn_id: 't' });
    log.add({
      type: 'incomplete_output',
      attempt_id: 'x',
      text: 'HALF AN',
      incomplete: true,
      reason: 'crash',
    });
    log.add({ type: 'session_info', name: 'NAME' }).assistant('a', 'whole').user('more');
    expect(textOf(build(log))).not.toMatch(/HALF AN|NAME/);
  });

  it('a user message after a result is separated for models that want strict roles', () => {
    const log = new LogBuilder()
      .user('go')
      .assistant('a', [call('c1')])
      .tool('r', [result('c1')])
      .user('stop that');
    const request = buildRequest(
      placed(log.entries),
      { ...model, id: 'devstral-small' },
      { system: 'S', tools },
    );
    const strictness = { alternating: true, callId: /^[A-Za-z0-9]{9}$/ };
    expect(chatViolations(chatBody(request), strictness)).toEqual([]);
    expect(chatViolations(chatBody(build(log)), strictness)).not.toEqual([]);
  });

  it('names authors when there is more than one', () => {
    const by = (id: string, name?: string): object => ({
      author: name === undefined ? { id } : { id, name },
    });
    const log = new LogBuilder()
      .user('a', 'hello', by('u1', 'Ann\nB'))
      .assistant('x')
      .user('b', 'hi', by('u2'));
    expect(textOf(build(log))).toContain('Ann B: hello');
    expect(textOf(build(log))).toContain('u2: hi');
    const alone = new LogBuilder()
      .user('a', 'hello', by('u1', 'Ann'))
      .assistant('x')
      .user('b', 'hi', by('u1', 'Ann'));
    expect(textOf(build(alone))).not.toContain('Ann');
  });
});
