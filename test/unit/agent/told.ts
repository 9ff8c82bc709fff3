// Long texts for conversations that are too long, and what the model was told of them.
import type { ModelMessage } from '../../../src/ports.js';
import type { Bench } from './bench.js';
import { fails } from './fake-model.js';

export const words = (count: number, about: string): string =>
  Array.from({ length: count }, (_, index) => `${about} number ${index}`).join('\n');

/** The messages of one request, as plain text. */
export const toldTo = (bench: Bench, index: number): string =>
  (bench.model.asked[index]?.request.messages ?? []).map(plain).join('\n');

const plain = (message: ModelMessage): string =>
  message.role === 'tool'
    ? message.parts.map((part) => part.content).join('\n')
    : message.parts.map((part) => ('text' in part ? part.text : part.type)).join('\n');

/** The provider finds the request too long. */
export const overflow = fails({
  kind: 'overflow',
  code: 'ContextOverflow',
  message: 'The conversation is too long.',
  transient: false,
});
