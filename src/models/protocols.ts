/** Each wire protocol with its library is a piece of its own, loaded when a model of it is asked for the first time. */
import type { Kind } from './kinds.js';
import type { WireProtocol } from './wire.js';

export const loadProtocol = async (kind: Kind): Promise<WireProtocol> => {
  switch (kind) {
    case 'openai-compatible':
      return (await import('./openai-compatible.js')).chatCompletions;
    case 'openai':
      return (await import('./openai.js')).responses;
    case 'anthropic':
      return (await import('./anthropic.js')).messages;
    case 'google':
      return (await import('./google.js')).gemini;
  }
};
