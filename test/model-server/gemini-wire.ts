/** Google's Gemini: every frame is an answer of its own, the last one with a finish reason; nothing marks the end. */
import type { ScriptedCall, ScriptedUsage, Step } from './reply.js';
import {
  argumentsOf,
  cachedOf,
  defaultUsage,
  frame,
  perPiece,
  write,
  type Content,
  type End,
  type Wire,
} from './wire.js';

const finishReasons: Record<End, string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

const answer = (parts: object[], more: object = {}, whole: object = {}): Step =>
  frame({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'scripted',
    responseId: 'r1',
    ...whole,
  });

const usageOf = (usage: ScriptedUsage) => ({
  promptTokenCount: usage.prompt_tokens,
  candidatesTokenCount: usage.completion_tokens,
  totalTokenCount: usage.total_tokens ?? usage.prompt_tokens + usage.completion_tokens,
  ...(cachedOf(usage) > 0 && { cachedContentTokenCount: cachedOf(usage) }),
});

/** Calls come whole; a script that wants broken arguments gets them as far as JSON can carry them. */
const callPart = (call: ScriptedCall, index: number): object => {
  const id = call.id === undefined ? `call_${index + 1}` : call.id;
  const args: unknown = call.raw === undefined ? (call.args ?? {}) : argumentsOf(call);
  return {
    functionCall: { ...(id !== null && id !== '' && { id }), name: call.name, args },
    ...(index === 0 && { thoughtSignature: 'SIGNED' }),
  };
};

const contentSteps = (content: Content): Step[] => {
  if ('calls' in content) return content.calls.map((call, index) => answer([callPart(call, index)]));
  if ('text' in content) return perPiece(content.text, (text) => answer([{ text }]));
  return perPiece(content.reasoning, (text) => answer([{ text, thought: true }]));
};

/** The words of errors by their status, as Google has them. */
const words: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const errorBody: Wire['errorBody'] = (status, { message, type, details }) => ({
  error: { code: status, message, status: type ?? words[status] ?? 'UNKNOWN', ...(details && { details }) },
});

export const geminiWire: Wire = {
  steps: ({ content, end }) => [
    ...content.flatMap(contentSteps),
    ...(end
      ? [
          answer(
            [{ text: '' }],
            { finishReason: finishReasons[end.reason] },
            end.usage === null ? {} : { usageMetadata: usageOf(end.usage ?? defaultUsage) },
          ),
        ]
      : []),
  ],
  errorFrame: (error) => frame(errorBody(Number(error.code ?? 500), error)),
  errorBody,
  ping: () => write(': keepalive\n\n'),
  brokenFrame: () => write('data: {"candidates": [{"content": {"par\n\n'),
};
