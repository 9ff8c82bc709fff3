/** Chat completions, as servers of many makes speak them. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { joinUrl } from './address.js';
import { CHAT_LIBRARY, readChatFrames } from './chat-frames.js';
import { callOptions, type CallOptions, type Mapping } from './library-request.js';
import type { WireProtocol } from './wire.js';

/** Hosts and models that refuse a history of tool calls whose reasoning is missing. */
const needsReasoningEcho = (baseUrl: string, model: string): boolean =>
  /deepseek|moonshot|kimi/i.test(`${URL.parse(baseUrl)?.hostname ?? ''} ${model}`);

const mapping = (echo: boolean): Mapping => ({
  name: CHAT_LIBRARY,
  takes: /^(text\/|application\/pdf$)/,
  // Reasoning must come back as `reasoning_content` (DeepSeek and others); all other servers get none.
  reasoning: (part) => (echo ? [{ type: 'reasoning', text: part.text }] : []),
});

/** The library leaves an empty reasoning out; what stands here is written to the message as it is. */
const withEmptyReasoning = (message: LanguageModelV4Message): LanguageModelV4Message =>
  message.role !== 'assistant' ||
  message.content.some((part) => part.type === 'reasoning' && part.text !== '')
    ? message
    : { ...message, providerOptions: { openaiCompatible: { reasoning_content: '' } } };

const echoing = (options: CallOptions): CallOptions => ({
  ...options,
  prompt: options.prompt.map(withEmptyReasoning),
});

export const chatCompletions: WireProtocol = {
  frameName: 'chat completion',
  callsLast: true,
  reader: readChatFrames,
  model: ({ info, baseUrl, headers }, fetch) =>
    createOpenAICompatible({
      name: CHAT_LIBRARY,
      baseURL: joinUrl(baseUrl, ''),
      includeUsage: true,
      ...(headers && { headers }),
      fetch,
    }).chatModel(info.id),
  options(request, { info, baseUrl }) {
    const echo = needsReasoningEcho(baseUrl, info.id);
    const options = callOptions(request, info, mapping(echo));
    return echo ? echoing(options) : options;
  },
};
