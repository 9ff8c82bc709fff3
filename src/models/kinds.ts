/**
 * The kinds of providers: where each is found, how it is given its key and how it lists its models. What speaks to it is
 * loaded only when a model of it is asked.
 */
import { isRecord, textOf } from './json.js';

export const kinds = ['openai-compatible', 'openai', 'anthropic', 'google'] as const;
export type Kind = (typeof kinds)[number];

export interface KindFacts {
  /** Where it is when the settings do not say; undefined when there is no such place. */
  baseUrl?: string;
  /** What stands at the base URL, as a sentence names it, and what its address ends in. */
  service: string;
  ending: string;
  /** The header that carries the key. */
  keyHeader: (key: string) => Record<string, string>;
  /** The list of models, below the base URL, and the headers it wants beside the key. */
  list: { path: string; headers?: Record<string, string> };
  /** The id of a list's member; undefined when it is no model that answers. */
  idOf: (member: unknown) => string | undefined;
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

const plainId = (member: unknown): string | undefined =>
  isRecord(member) ? (textOf(member['id']) ?? textOf(member['name'])) : undefined;

/** OpenAI lists everything it has: these make vectors, sounds and pictures, or only live talk. */
const noAnswers =
  /embedding|whisper|\btts\b|-tts|dall-e|moderation|image|audio|realtime|transcri|davinci|babbage|sora/;

const openaiId = (member: unknown): string | undefined => {
  const id = plainId(member);
  return id === undefined || noAnswers.test(id) ? undefined : id;
};

/** `{name: "models/<id>", supportedGenerationMethods}`. */
const googleId = (member: unknown): string | undefined => {
  if (!isRecord(member)) return undefined;
  const methods = member['supportedGenerationMethods'];
  if (Array.isArray(methods) && !methods.includes('generateContent')) return undefined;
  return textOf(member['name'])?.replace(/^models\//, '');
};

export const factsOf: Record<Kind, KindFacts> = {
  'openai-compatible': {
    service: 'chat-completions',
    ending: 'most end in /v1',
    keyHeader: bearer,
    list: { path: '/models' },
    idOf: plainId,
  },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    service: 'responses',
    ending: 'it ends in /v1; servers that only imitate OpenAI are of the kind "openai-compatible"',
    keyHeader: bearer,
    list: { path: '/models' },
    idOf: openaiId,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    service: 'messages',
    ending: 'most end in /v1',
    keyHeader: (key) => ({ 'x-api-key': key }),
    list: { path: '/models?limit=1000', headers: { 'anthropic-version': '2023-06-01' } },
    idOf: plainId,
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    service: 'Gemini',
    ending: 'it ends in /v1beta',
    keyHeader: (key) => ({ 'x-goog-api-key': key }),
    list: { path: '/models?pageSize=1000' },
    idOf: googleId,
  },
};
