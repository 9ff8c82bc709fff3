/** What some families of models refuse although the protocol allows it. Known by the model's name alone. */
import type { ModelInfo } from '../../ports.js';

export interface Dialect {
  /** Ids of calls as this family takes them. */
  validId: RegExp;
  /** How many characters of an id are kept when it is made from ours. */
  idLength: number;
  /** A user message right after a tool's result is refused: something of the assistant must stand between. */
  answersResults: boolean;
}

// OpenAI's chat completions refuse ids of more than 40 characters, Anthropic and OpenAI's responses of more than 64.
const common: Dialect = { validId: /^[A-Za-z0-9_-]{1,40}$/, idLength: 40, answersResults: false };

// Mistral's API and the chat templates of its open models: ids of exactly nine letters and digits, strict roles.
const mistral: Dialect = { validId: /^[A-Za-z0-9]{9}$/, idLength: 9, answersResults: true };

export const dialectOf = (model: ModelInfo): Dialect =>
  /(?:mi|mini|magi|code|dev)stral|(?:mi|pi)xtral/i.test(`${model.provider}/${model.id}`) ? mistral : common;
