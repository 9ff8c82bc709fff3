/**
 * Anthropic's messages. Thinking is kept with its signature and goes back to the model that made it; system, tools and
 * the last two turns of the user's side are marked for the cache.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelInfo, ModelRequest } from '../ports.js';
import { joinUrl } from './address.js';
import { callOptions, type CallOptions, type Mapping, type SharedOptions } from './library-request.js';
import { readMessagesFrames } from './messages-frames.js';
import { STAND_IN_KEY, type ModelEndpoint, type WireProtocol } from './wire.js';

const NAME = 'anthropic';

/** Every request must say how long its answer may be; the library holds it to what a model it knows can give. */
const MAX_OUTPUT = 32_000;

const mapping: Mapping = {
  name: NAME,
  takes: /^(text\/plain|application\/pdf)$/,
  // A log that knows the signature only is as good as the metadata.
  reasoning(part, own) {
    const { signature } = part;
    const providerOptions = own ?? (signature === undefined ? undefined : { [NAME]: { signature } });
    return providerOptions ? [{ type: 'reasoning', text: part.text, providerOptions }] : [];
  },
};

const cached: SharedOptions = { [NAME]: { cacheControl: { type: 'ephemeral' } } };

const withCache = <T extends { providerOptions?: SharedOptions | undefined }>(marked: T): T => ({
  ...marked,
  providerOptions: cached,
});

const isUserSide = ({ role }: LanguageModelV4Message): boolean => role === 'user' || role === 'tool';

/** Ends of turns on the user's side: results and what the user says after them are one turn. */
const turnEnds = (prompt: readonly LanguageModelV4Message[]): number[] =>
  prompt.flatMap((message, index) => {
    const next = prompt[index + 1];
    return isUserSide(message) && !(next && isUserSide(next)) ? [index] : [];
  });

const cache = (options: CallOptions): CallOptions => {
  const ends = new Set(turnEnds(options.prompt).slice(-2));
  const { tools } = options;
  return {
    ...options,
    prompt: options.prompt.map((message, index) =>
      message.role === 'system' || ends.has(index) ? withCache(message) : message,
    ),
    ...(tools && {
      tools: tools.map((tool, index) =>
        tool.type === 'function' && index === tools.length - 1 ? withCache(tool) : tool,
      ),
    }),
  };
};

const isThinking = ({ type }: { type: string }): boolean => type === 'reasoning';

/** A message with thinking must begin with it and must not end with it: what a damaged log left of it is not sent. */
const withSoundThinking = (message: LanguageModelV4Message): LanguageModelV4Message => {
  if (message.role !== 'assistant') return message;
  const { content } = message;
  const [first] = content;
  if (!first || !isThinking(first))
    return { ...message, content: content.filter((part) => !isThinking(part)) };
  const last = content.findLastIndex((part) => !isThinking(part));
  return { ...message, content: content.slice(0, last + 1) };
};

/**
 * With thinking on, messages whose calls are being answered must begin with the thinking that made them. Those of
 * another model have none: this answer goes without.
 */
const lacksThinking = (prompt: readonly LanguageModelV4Message[]): boolean => {
  const lastPrompt = prompt.findLastIndex(
    (message, index) => message.role === 'user' && prompt[index - 1]?.role !== 'tool',
  );
  return prompt.slice(lastPrompt + 1).some(({ role, content }) => {
    if (role !== 'assistant') return false;
    const [first] = content;
    return first !== undefined && !isThinking(first);
  });
};

const optionsFor = (request: ModelRequest, info: ModelInfo): CallOptions => {
  const options = callOptions(request, { maxOutput: MAX_OUTPUT, ...info }, mapping);
  const prompt = options.prompt.map(withSoundThinking);
  const { reasoning, ...rest } = options;
  return {
    ...rest,
    prompt,
    ...(reasoning !== undefined && { reasoning: lacksThinking(prompt) ? 'none' : reasoning }),
  };
};

/** Arguments as they are made, not when they are whole: others that speak this protocol do not know the word for it. */
const isAnthropic = ({ baseUrl }: ModelEndpoint): boolean =>
  URL.parse(baseUrl)?.hostname === 'api.anthropic.com';

export const messages: WireProtocol = {
  frameName: 'event of a message',
  reader: readMessagesFrames,
  model: ({ info, baseUrl, headers }, fetch) =>
    createAnthropic({
      baseURL: joinUrl(baseUrl, ''),
      apiKey: STAND_IN_KEY,
      ...(headers && { headers }),
      fetch,
    })(info.id),
  options: (request, endpoint) => ({
    ...cache(optionsFor(request, endpoint.info)),
    providerOptions: { [NAME]: { toolStreaming: isAnthropic(endpoint) } },
  }),
};
