/** The end of a chat completion: why it stopped and what it cost, as servers of many makes say it. */
import type { FinishReason, Usage } from '../ports.js';
import type { Trouble } from './classify.js';
import { countOf, isRecord, type Json } from './json.js';

const reasons: Record<string, FinishReason> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  safety: 'content_filter',
  sensitive: 'content_filter',
  refusal: 'content_filter',
};

/** Reasons that say the answer is not whole. */
const failures: readonly string[] = [
  'error',
  'server_error',
  'network_error',
  'insufficient_system_resource',
  'abort',
  'aborted',
  'cancelled',
  'timeout',
];

/** A finish reason that is a failure. */
export const brokenOffBy = (raw: string): Trouble | undefined =>
  failures.includes(raw.toLowerCase())
    ? { type: 'protocol', what: `broke off the answer (finish reason "${raw}")` }
    : undefined;

export const finishOf = (raw: string): FinishReason => {
  const reason = raw.toLowerCase();
  return Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'other') : 'other';
};

const cachedOf = (usage: Json): number | undefined => {
  const details = isRecord(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  return countOf(details['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']);
};

export const usageOf = (usage: Json | undefined): Usage | undefined => {
  const input = countOf(usage?.['prompt_tokens']);
  const output = countOf(usage?.['completion_tokens']);
  if (!usage || (input === undefined && output === undefined)) return undefined;
  const cached = cachedOf(usage);
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: countOf(usage['total_tokens']) ?? (input ?? 0) + (output ?? 0),
    ...(cached !== undefined && { cache_read_tokens: cached }),
  };
};
