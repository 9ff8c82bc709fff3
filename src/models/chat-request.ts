/** A neutral request as the protocol library takes it. Nothing is left out without a word to the model. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelInfo, ModelMessage, ModelRequest } from '../ports.js';
import { isRecord } from './json.js';

/** The library files its metadata under its own name; ours must contain no dot (provider names may). */
export const LIBRARY_NAME = 'compat';

type UserPart = Extract<ModelMessage, { role: 'user' }>['parts'][number];
type AssistantPart = Extract<ModelMessage, { role: 'assistant' }>['parts'][number];
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type SharedOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

export interface RequestRules {
  /** Reasoning must come back as `reasoning_content`, '' too (DeepSeek and others); all other servers get none. */
  echoReasoning: boolean;
  images: boolean;
}

/** Hosts and models that refuse a history of tool calls whose reasoning is missing. */
export const needsReasoningEcho = (baseUrl: string, model: string): boolean =>
  /deepseek|moonshot|kimi/i.test(`${URL.parse(baseUrl)?.hostname ?? ''} ${model}`);

const userContent = (part: UserPart, rules: RequestRules): UserContent => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const isImage = part.mime.startsWith('image/');
  if (isImage ? rules.images : /^(text\/|application\/pdf$)/.test(part.mime)) {
    return {
      type: 'file',
      mediaType: part.mime,
      filename: part.name,
      data: { type: 'data', data: part.bytes },
    };
  }
  const text = `[The attachment "${part.name}" (${part.mime}, ${part.bytes.length} bytes) was not sent: this model takes no such files.]`;
  return { type: 'text', text };
};

/** What this protocol's own answers carried; metadata of other protocols is not for this one. */
const optionsOf = (metadata: Record<string, unknown> | undefined): SharedOptions | undefined => {
  const own = metadata?.[LIBRARY_NAME];
  return isRecord(own) ? ({ [LIBRARY_NAME]: own } as SharedOptions) : undefined;
};

const assistantContent = (part: AssistantPart, rules: RequestRules): AssistantContent[] => {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return rules.echoReasoning ? [{ type: 'reasoning', text: part.text }] : [];
    case 'tool_call': {
      const providerOptions = optionsOf(part.provider_metadata);
      return [
        {
          type: 'tool-call',
          toolCallId: part.call_id,
          toolName: part.name,
          input: part.input ?? {},
          ...(providerOptions && { providerOptions }),
        },
      ];
    }
  }
};

const assistantMessage = (
  message: Extract<ModelMessage, { role: 'assistant' }>,
  rules: RequestRules,
): LanguageModelV4Message => {
  const content = message.parts.flatMap((part) => assistantContent(part, rules));
  const hasReasoning = content.some((part) => part.type === 'reasoning' && part.text !== '');
  if (!rules.echoReasoning || hasReasoning) return { role: 'assistant', content };
  // The library leaves an empty reasoning out; what stands here is written to the message as it is.
  return { role: 'assistant', content, providerOptions: { openaiCompatible: { reasoning_content: '' } } };
};

const messageOf = (message: ModelMessage, rules: RequestRules): LanguageModelV4Message => {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.parts.map((part) => userContent(part, rules)) };
    case 'assistant':
      return assistantMessage(message, rules);
    case 'tool':
      return {
        role: 'tool',
        content: message.parts.map((part) => ({
          type: 'tool-result',
          toolCallId: part.call_id,
          toolName: part.name,
          output: { type: part.is_error ? 'error-text' : 'text', value: part.content },
        })),
      };
  }
};

const effortOf = (reasoning: ModelInfo['reasoning']): LanguageModelV4CallOptions['reasoning'] =>
  reasoning === 'off' ? 'none' : reasoning;

export const callOptions = (
  request: ModelRequest,
  info: ModelInfo,
  rules: RequestRules,
): Omit<LanguageModelV4CallOptions, 'abortSignal'> => {
  const system: LanguageModelV4Message[] =
    request.system.trim() === '' ? [] : [{ role: 'system', content: request.system }];
  const reasoning = effortOf(info.reasoning);
  return {
    prompt: [...system, ...request.messages.map((message) => messageOf(message, rules))],
    ...(info.maxOutput !== undefined && { maxOutputTokens: info.maxOutput }),
    ...(reasoning !== undefined && { reasoning }),
    ...(request.tools.length > 0 &&
      info.tools !== false && {
        tools: request.tools.map((tool) => ({
          type: 'function' as const,
          name: tool.name,
          description: tool.description,
          inputSchema: tool.input_schema,
        })),
      }),
  };
};
