/** The events of OpenAI's responses: complete with `response.completed` or `response.incomplete`, and with nothing else. */
import type { FinishReason, Usage } from '../ports.js';
import { countOf, isRecord, textOf, type Json } from './json.js';
import { on, type FrameReader } from './wire.js';

const incompleteReasons: Record<string, FinishReason> = {
  max_output_tokens: 'length',
  max_tokens: 'length',
  content_filter: 'content_filter',
};

const usageOf = (usage: unknown): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const input = countOf(usage['input_tokens']);
  const output = countOf(usage['output_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const details = isRecord(usage['input_tokens_details']) ? usage['input_tokens_details'] : {};
  const cached = countOf(details['cached_tokens']);
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: countOf(usage['total_tokens']) ?? (input ?? 0) + (output ?? 0),
    ...(cached !== undefined && { cache_read_tokens: cached }),
  };
};

const isCall = (frame: Json): boolean => isRecord(frame['item']) && frame['item']['type'] === 'function_call';

/** Names a failure that has none, so that it is not taken for one without an explanation. */
const errorOf = (response: Json, status: string): unknown =>
  response['error'] ?? { code: 'server_error', message: `the response is ${status}` };

export const readResponsesFrames = (): FrameReader => {
  let usage: Usage | undefined;
  let calls = 0;
  let hasRefusal = false;
  let ended: FinishReason | undefined;
  const reasonOf = (response: Json): FinishReason => {
    const details = isRecord(response['incomplete_details']) ? response['incomplete_details'] : {};
    const why = textOf(details['reason']);
    if (why !== undefined) return incompleteReasons[why] ?? 'other';
    if (calls > 0) return 'tool_calls';
    return hasRefusal ? 'content_filter' : 'stop';
  };
  return {
    read(frame) {
      const type = textOf(frame['type']) ?? '';
      const response = isRecord(frame['response']) ? frame['response'] : {};
      usage = usageOf(response['usage']) ?? usage;
      switch (type) {
        case 'response.completed':
          ended = reasonOf(response);
          return { go: 'end' };
        case 'response.incomplete':
          ended = reasonOf(response);
          if (ended === 'stop' || ended === 'tool_calls') ended = 'other';
          return { go: 'end' };
        case 'response.failed':
        case 'response.cancelled':
          return { go: 'error', error: errorOf(response, type.slice('response.'.length)) };
        case 'response.output_item.added':
          if (isCall(frame)) calls += 1;
          return on;
        case 'response.refusal.delta':
        case 'response.refusal.done':
          hasRefusal = true;
          return on;
        default:
          return on;
      }
    },
    isComplete: () => ended !== undefined,
    ended: () => (ended === undefined ? undefined : { reason: ended }),
    usage: () => usage,
    announced: () => ({ calls }),
  };
};
