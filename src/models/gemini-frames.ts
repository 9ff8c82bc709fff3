/**
 * The frames of Gemini: complete with a finish reason. The body has no mark of its end, and a frame that counts the
 * tokens may follow; older models gave a reason with every frame.
 */
import type { FinishReason, Usage } from '../ports.js';
import type { Trouble } from './classify.js';
import { countOf, isRecord, textOf, type Json } from './json.js';
import { onlyAnswer } from './only-answer.js';
import { on, past, type FrameReader, type Reading } from './wire.js';

const reasons: Record<string, FinishReason> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // The rest would be a second request.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
};

/** The model itself stumbled: another try may go well. */
const stumbles: readonly string[] = [
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
];

const usageOf = (usage: Json | undefined): Usage | undefined => {
  const input = countOf(usage?.['promptTokenCount']);
  const answer = countOf(usage?.['candidatesTokenCount']);
  if (!usage || (input === undefined && answer === undefined)) return undefined;
  const output = (answer ?? 0) + (countOf(usage['thoughtsTokenCount']) ?? 0);
  const cached = countOf(usage['cachedContentTokenCount']);
  return {
    input_tokens: input ?? 0,
    output_tokens: output,
    total_tokens: countOf(usage['totalTokenCount']) ?? (input ?? 0) + output,
    ...(cached !== undefined && { cache_read_tokens: cached }),
  };
};

const callsOf = (candidate: Json): number => {
  const content = isRecord(candidate['content']) ? candidate['content'] : {};
  const parts = Array.isArray(content['parts']) ? (content['parts'] as unknown[]) : [];
  return parts.filter((part) => isRecord(part) && isRecord(part['functionCall'])).length;
};

const blockOf = (frame: Json): string | undefined => {
  const feedback = isRecord(frame['promptFeedback']) ? frame['promptFeedback'] : {};
  const reason = textOf(feedback['blockReason']);
  return reason === 'BLOCK_REASON_UNSPECIFIED' ? undefined : reason;
};

/** A blank or unspecified one says nothing. */
const reasonIn = (value: unknown): string | undefined => {
  const raw = textOf(value)?.trim() ?? '';
  return raw === '' || raw === 'FINISH_REASON_UNSPECIFIED' ? undefined : raw;
};

/** The library would send a request of its own for what was not said yet. */
const withoutContinuation = (frame: Json, candidate: Json): Reading => {
  const { continuationToken: _, ...rest } = candidate;
  return { go: 'on', frame: { ...frame, candidates: [{ ...rest, finishReason: 'MAX_TOKENS' }] } };
};

export const readGeminiFrames = (): FrameReader => {
  const choose = onlyAnswer();
  let finishReason: string | undefined;
  let usage: Json | undefined;
  let calls = 0;
  const endOf = (raw: string): { reason: FinishReason } | { trouble: Trouble } => {
    if (stumbles.includes(raw)) {
      return { trouble: { type: 'protocol', what: `broke off the answer (finish reason "${raw}")` } };
    }
    const reason = reasons[raw] ?? 'other';
    return { reason: reason === 'stop' && calls > 0 ? 'tool_calls' : reason };
  };
  return {
    read(frame) {
      const block = blockOf(frame);
      if (block !== undefined && finishReason === undefined) {
        const error = { code: 'content_blocked', message: `the prompt was blocked (${block})` };
        return { go: 'error', error };
      }
      const { answer: candidate, hasOthers } = choose(frame['candidates']);
      const reason = reasonIn(candidate?.['finishReason']);
      if (finishReason !== undefined && candidate && reason === undefined) return { go: 'over' };
      if (isRecord(frame['usageMetadata'])) usage = frame['usageMetadata'];
      if (!candidate) return hasOthers ? past : on;
      finishReason = reason ?? finishReason;
      calls += callsOf(candidate);
      if (reason === 'CONTINUATION') return withoutContinuation(frame, candidate);
      return hasOthers ? { go: 'on', frame: { ...frame, candidates: [candidate] } } : on;
    },
    isComplete: () => finishReason !== undefined,
    ended: () => (finishReason === undefined ? undefined : endOf(finishReason)),
    usage: () => usageOf(usage),
    announced: () => ({ calls }),
  };
};
