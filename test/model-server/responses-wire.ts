/** OpenAI's responses: every event is numbered, every item added, grown and done, and the whole response closes it. */
import type { ScriptedCall, ScriptedUsage, Step } from './reply.js';
import {
  argumentsOf,
  cachedOf,
  defaultUsage,
  fragmentsOf,
  frame,
  perPiece,
  write,
  type Content,
  type End,
  type Piece,
  type ReasoningContent,
  type TextContent,
  type Told,
  type Wire,
} from './wire.js';

const response = (status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'scripted',
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
  ...more,
});

const usageOf = (usage: ScriptedUsage) => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: { cached_tokens: cachedOf(usage) },
  output_tokens: usage.completion_tokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.total_tokens ?? usage.prompt_tokens + usage.completion_tokens,
});

const incomplete: Partial<Record<End, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** Numbers the events and the items of one answer. */
interface Answer {
  event: (type: string, facts: object) => Step;
  nextItem: () => number;
}

const createAnswer = (): Answer => {
  let sequence_number = -1;
  let output_index = -1;
  return {
    event(type, facts) {
      sequence_number += 1;
      return frame({ type, sequence_number, ...facts }, type);
    },
    nextItem: () => (output_index += 1),
  };
};

const joined = (pieces: readonly Piece[]): string =>
  pieces.filter((piece) => typeof piece === 'string').join('');

const text = ({ event, nextItem }: Answer, pieces: TextContent, isOpen: boolean): Step[] => {
  const output_index = nextItem();
  const at = { item_id: `msg_${output_index}`, output_index, content_index: 0 };
  const item = { type: 'message', id: at.item_id, role: 'assistant', status: 'in_progress', content: [] };
  const part = { type: 'output_text', text: joined(pieces.text), annotations: [] };
  const grown = [
    event('response.output_item.added', { output_index, item }),
    event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
    ...perPiece(pieces.text, (delta) => event('response.output_text.delta', { ...at, delta, logprobs: [] })),
  ];
  if (isOpen) return grown;
  const done = { ...item, status: 'completed', content: [part] };
  return [
    ...grown,
    event('response.output_text.done', { ...at, text: part.text, logprobs: [] }),
    event('response.content_part.done', { ...at, part }),
    event('response.output_item.done', { output_index, item: done }),
  ];
};

/** A reasoning without a summary has nothing but what is sealed in it. */
const reasoning = ({ event, nextItem }: Answer, pieces: ReasoningContent, isOpen: boolean): Step[] => {
  const output_index = nextItem();
  const at = { item_id: `rs_${output_index}`, output_index, summary_index: 0 };
  const item = { type: 'reasoning', id: at.item_id, summary: [], encrypted_content: 'BEGUN' };
  const part = { type: 'summary_text', text: joined(pieces.reasoning) };
  const hasSummary = pieces.reasoning.length > 0;
  const grown = [event('response.output_item.added', { output_index, item })];
  if (hasSummary) {
    grown.push(
      event('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
      ...perPiece(pieces.reasoning, (delta) =>
        event('response.reasoning_summary_text.delta', { ...at, delta }),
      ),
    );
  }
  if (isOpen) return grown;
  if (hasSummary) grown.push(event('response.reasoning_summary_part.done', { ...at, part }));
  const summary = hasSummary ? [part] : [];
  const done = { ...item, summary, encrypted_content: pieces.signature ?? 'SIGNED' };
  return [...grown, event('response.output_item.done', { output_index, item: done })];
};

const call = ({ event, nextItem }: Answer, scripted: ScriptedCall, n: number, isOpen: boolean): Step[] => {
  const output_index = nextItem();
  const call_id = scripted.id === undefined ? `call_${n + 1}` : (scripted.id ?? '');
  const item = { type: 'function_call', id: `fc_${output_index}`, call_id, name: scripted.name };
  const at = { item_id: item.id, output_index };
  const whole = argumentsOf(scripted);
  const grown = [
    event('response.output_item.added', { output_index, item: { ...item, arguments: '' } }),
    ...fragmentsOf(scripted).map((delta) =>
      event('response.function_call_arguments.delta', { ...at, delta }),
    ),
  ];
  if (isOpen) return grown;
  const done = { ...item, arguments: whole, status: 'completed' };
  return [
    ...grown,
    event('response.function_call_arguments.done', { ...at, arguments: whole }),
    event('response.output_item.done', { output_index, item: done }),
  ];
};

const contentSteps = (answer: Answer, content: Content, isOpen: boolean): Step[] => {
  if ('text' in content) return text(answer, content, isOpen);
  if ('reasoning' in content) return reasoning(answer, content, isOpen);
  const last = content.calls.length - 1;
  return content.calls.flatMap((scripted, n) => call(answer, scripted, n, isOpen && n === last));
};

const ending = ({ event }: Answer, { reason, usage = defaultUsage }: NonNullable<Told['end']>): Step => {
  const counted = { usage: usage === null ? null : usageOf(usage) };
  const why = incomplete[reason];
  if (why === undefined) return event('response.completed', { response: response('completed', counted) });
  const facts = { ...counted, incomplete_details: { reason: why } };
  return event('response.incomplete', { response: response('incomplete', facts) });
};

export const responsesWire: Wire = {
  steps(told) {
    const answer = createAnswer();
    const last = told.content.length - 1;
    return [
      answer.event('response.created', { response: response('in_progress') }),
      answer.event('response.in_progress', { response: response('in_progress') }),
      ...told.content.flatMap((one, n) => contentSteps(answer, one, told.isOpen === true && n === last)),
      ...(told.end ? [ending(answer, told.end)] : []),
    ];
  },
  errorFrame: ({ message, type = 'server_error', code }) =>
    frame({ type: 'error', sequence_number: 9, code: code ?? type, message, param: null }, 'error'),
  errorBody: (_status, error) => ({ error: { param: null, code: null, ...error } }),
  ping: () => write(': keepalive\n\n'),
  brokenFrame: () => write('event: response.output_text.delta\ndata: {"type":"response.output_te\n\n'),
};
