/**
 * OpenAI's responses. Nothing is stored there: reasoning comes encrypted, is kept with its part, and goes back to the
 * model that made it.
 */
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelInfo, ModelRequest } from '../ports.js';
import { joinUrl } from './address.js';
import { callOptions, type CallOptions, type Mapping } from './library-request.js';
import { readResponsesFrames } from './responses-frames.js';
import { STAND_IN_KEY, type WireProtocol } from './wire.js';

const mapping: Mapping = {
  name: 'openai',
  takes: /^application\/pdf$/,
  // Schemas are strict unless said otherwise, and then every optional argument would be required.
  tool: { strict: false },
};

/** Reasoning belongs to what follows it: without that it is refused. */
const withoutLooseReasoning = (message: LanguageModelV4Message): LanguageModelV4Message => {
  if (message.role !== 'assistant') return message;
  const last = message.content.findLastIndex((part) => part.type !== 'reasoning');
  return { ...message, content: message.content.slice(0, last + 1) };
};

const optionsFor = (request: ModelRequest, info: ModelInfo): CallOptions => {
  const options = callOptions(request, info, mapping);
  return { ...options, prompt: options.prompt.map(withoutLooseReasoning) };
};

export const responses: WireProtocol = {
  frameName: 'event of a response',
  reader: readResponsesFrames,
  model: ({ info, baseUrl, headers }, fetch) =>
    createOpenAI({
      baseURL: joinUrl(baseUrl, ''),
      apiKey: STAND_IN_KEY,
      ...(headers && { headers }),
      fetch,
    }).responses(info.id),
  options: (request, { info }) => ({
    ...optionsFor(request, info),
    providerOptions: {
      openai: {
        store: false,
        // The library knows which models reason by their names only.
        ...(info.reasoning !== undefined && info.reasoning !== 'off' && { forceReasoning: true }),
      },
    },
  }),
};
