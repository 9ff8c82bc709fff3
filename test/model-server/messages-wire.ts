/** Anthropic's messages: blocks that start, grow and stop, then why the message stopped, then `message_stop`. */
import type { ScriptedCall, ScriptedUsage, Step } from './reply.js';
import {
  cachedOf,
  defaultUsage,
  fragmentsOf,
  frame,
  write,
  type Content,
  type End,
  type Wire,
} from './wire.js';

const event = (type: string, facts: object = {}): Step => frame({ type, ...facts }, type);

const stopReasons: Record<End, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

const start = (usage: ScriptedUsage): Step =>
  event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.prompt_tokens - cachedOf(usage),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cachedOf(usage),
        output_tokens: 1,
      },
    },
  });

/** The blocks of one answer. */
const answer = () => {
  let index = -1;
  const block = (content_block: object, deltas: (Step | object)[], isOpen: boolean): Step[] => {
    index += 1;
    const at = { index };
    return [
      event('content_block_start', { ...at, content_block }),
      ...deltas.map((delta) => ('do' in delta ? delta : event('content_block_delta', { ...at, delta }))),
      ...(isOpen ? [] : [event('content_block_stop', at)]),
    ];
  };
  const call = (scripted: ScriptedCall, n: number, isOpen: boolean): Step[] => {
    const id = scripted.id === undefined ? `toolu_${n + 1}` : (scripted.id ?? '');
    const deltas = fragmentsOf(scripted).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return block({ type: 'tool_use', id, name: scripted.name, input: {} }, deltas, isOpen);
  };
  const content = (one: Content, isOpen: boolean): Step[] => {
    if ('calls' in one) {
      return one.calls.flatMap((scripted, n) => call(scripted, n, isOpen && n === one.calls.length - 1));
    }
    if ('text' in one) {
      const deltas = one.text.map((piece) =>
        typeof piece === 'string' ? { type: 'text_delta', text: piece } : piece,
      );
      return block({ type: 'text', text: '' }, deltas, isOpen);
    }
    const deltas = one.reasoning.map((piece) =>
      typeof piece === 'string' ? { type: 'thinking_delta', thinking: piece } : piece,
    );
    const signature = { type: 'signature_delta', signature: one.signature ?? 'SIGNED' };
    return block(
      { type: 'thinking', thinking: '', signature: '' },
      isOpen ? deltas : [...deltas, signature],
      isOpen,
    );
  };
  return { content };
};

export const messagesWire: Wire = {
  steps(told) {
    const { content } = answer();
    const { end } = told;
    const usage = end?.usage ?? defaultUsage;
    const isLast = (index: number): boolean => index === told.content.length - 1;
    return [
      start(usage),
      event('ping'),
      ...told.content.flatMap((one, index) => content(one, told.isOpen === true && isLast(index))),
      ...(end
        ? [
            event('message_delta', {
              delta: { stop_reason: stopReasons[end.reason], stop_sequence: null },
              usage: { output_tokens: usage.completion_tokens },
            }),
            event('message_stop'),
          ]
        : []),
    ];
  },
  errorFrame: ({ message, type = 'api_error' }) => event('error', { error: { type, message } }),
  errorBody: (_status, { message, type = 'api_error' }) => ({ type: 'error', error: { type, message } }),
  ping: () => event('ping'),
  brokenFrame: () =>
    write('event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"de\n\n'),
};
