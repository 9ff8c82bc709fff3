/** Google's Gemini. Signatures of thoughts are kept with the part they came with and go back with it. */
import { createGoogle } from '@ai-sdk/google';
import { joinUrl } from './address.js';
import { readGeminiFrames } from './gemini-frames.js';
import { callOptions, type Mapping } from './library-request.js';
import { STAND_IN_KEY, type WireProtocol } from './wire.js';

const mapping: Mapping = { name: 'google', takes: /^(text\/|application\/pdf$)/ };

export const gemini: WireProtocol = {
  frameName: 'answer of Gemini',
  reader: readGeminiFrames,
  model: ({ info, baseUrl, headers }, fetch) =>
    createGoogle({
      baseURL: joinUrl(baseUrl, ''),
      apiKey: STAND_IN_KEY,
      ...(headers && { headers }),
      fetch,
    })(info.id),
  options: (request, { info }) => ({
    ...callOptions(request, info, mapping),
    // Thoughts are shown where thinking was asked for; models that cannot think refuse the word.
    ...(info.reasoning !== undefined &&
      info.reasoning !== 'off' && {
        providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
      }),
  }),
};
