/**
 * The frames of a chat completion: why it stopped and what it cost, as servers of many makes say it.
 *
 * What ends one, by OpenAI's published rules: `finish_reason` says that the choice is over, the usage that was asked for
 * comes in a frame behind it ("if the stream is interrupted, you may not receive the final usage chunk"), and `[DONE]`
 * ends the stream. So an answer counts
 * - with a finish reason and `[DONE]`;
 * - with a finish reason and the usage, whatever becomes of the connection then: nothing of it is to come;
 * - with a finish reason and an orderly end of the body: many servers send neither of the other two.
 * A connection that breaks or falls silent behind a bare finish reason was interrupted, and so was one without a reason.
 */
import type { FinishReason, Usage } from '../ports.js';
import type { Trouble } from './classify.js';
import { countOf, isRecord, textOf, type Json } from './json.js';
import { onlyAnswer } from './only-answer.js';
import { on, past, type FrameReader } from './wire.js';

/** The library files its metadata under this name, which must contain no dot (provider names may). */
export const CHAT_LIBRARY = 'compat';

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

/** Some send a blank one, or the word null, with every frame: that is none. */
const reasonIn = (value: unknown): string | undefined => {
  const raw = textOf(value)?.trim() ?? '';
  return raw === '' || raw.toLowerCase() === 'null' ? undefined : raw;
};

/** A finish reason that is a failure. */
const brokenOffBy = (raw: string): Trouble | undefined =>
  failures.includes(raw.toLowerCase())
    ? { type: 'protocol', what: `broke off the answer (finish reason "${raw}")` }
    : undefined;

const finishOf = (raw: string): FinishReason => {
  const reason = raw.toLowerCase();
  return Object.hasOwn(reasons, reason) ? (reasons[reason] ?? 'other') : 'other';
};

const cachedOf = (usage: Json): number | undefined => {
  const details = isRecord(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  return countOf(details['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']);
};

/** Some servers (OpenRouter's `usage.cost`, in US dollars) say what a request cost. */
const costOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const usageOf = (usage: Json | undefined): Usage | undefined => {
  const input = countOf(usage?.['prompt_tokens']);
  const output = countOf(usage?.['completion_tokens']);
  if (!usage || (input === undefined && output === undefined)) return undefined;
  const cached = cachedOf(usage);
  const cost = costOf(usage['cost']);
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: countOf(usage['total_tokens']) ?? (input ?? 0) + (output ?? 0),
    ...(cached !== undefined && { cache_read_tokens: cached }),
    ...(cost !== undefined && { cost }),
  };
};

const argumentCharsOf = (delta: Json): number => {
  const calls = Array.isArray(delta['tool_calls']) ? (delta['tool_calls'] as unknown[]) : [];
  return calls.reduce<number>((sum, call) => {
    const called = isRecord(call) && isRecord(call['function']) ? call['function'] : {};
    return sum + (textOf(called['arguments'])?.length ?? 0);
  }, 0);
};

export const readChatFrames = (): FrameReader => {
  const choose = onlyAnswer();
  let finishReason: string | undefined;
  let usage: Json | undefined;
  let isCounted = false;
  let argumentChars = 0;
  // Some servers want reasoning back under the name it came in.
  let field: 'reasoning_content' | 'reasoning' | undefined;
  const noteDelta = (delta: Json): void => {
    if (typeof delta['reasoning_content'] === 'string') field = 'reasoning_content';
    else if (typeof delta['reasoning'] === 'string') field ??= 'reasoning';
    argumentChars += argumentCharsOf(delta);
  };
  return {
    read(frame) {
      if (isRecord(frame['usage'])) usage = frame['usage'];
      const { answer: choice, hasOthers } = choose(frame['choices']);
      finishReason = reasonIn(choice?.['finish_reason']) ?? finishReason;
      // Some count with every frame: only the count behind the end is the last.
      isCounted ||= finishReason !== undefined && isRecord(frame['usage']);
      if (!choice) return hasOthers ? past : on;
      if (choice['error'] != null) return { go: 'error', error: choice['error'] };
      if (isRecord(choice['delta'])) noteDelta(choice['delta']);
      return hasOthers ? { go: 'on', frame: { ...frame, choices: [choice] } } : on;
    },
    // [DONE] is no frame: it ends the stream by itself, and until then an error counts.
    isComplete: () => false,
    isWhole: () => isCounted,
    ended() {
      if (finishReason === undefined) return undefined;
      const trouble = brokenOffBy(finishReason);
      return trouble ? { trouble } : { reason: finishOf(finishReason) };
    },
    usage: () => usageOf(usage),
    announced: () => ({ argumentChars }),
    reasoningMetadata: () => ({ [CHAT_LIBRARY]: { field } }),
  };
};
