/** Providers as the settings have them: checked here, so that nonsense becomes a sentence instead of a strange request. */
import * as z from 'zod';
import type { ModelInfo } from '../ports.js';
import type { Failure } from '../shared/failure.js';
import { isLoopback, originOf } from './address.js';
import { factsOf, kinds, type Kind } from './kinds.js';

const modelSchema = z.object({
  id: z.string().min(1),
  contextWindow: z.number().positive().optional(),
  maxOutput: z.number().positive().optional(),
  reasoning: z.enum(['off', 'low', 'medium', 'high']).optional(),
  images: z.boolean().optional(),
  tools: z.boolean().optional(),
  price: z
    .object({
      input: z.number().nonnegative(),
      output: z.number().nonnegative(),
      cacheRead: z.number().nonnegative().optional(),
      cacheWrite: z.number().nonnegative().optional(),
    })
    .optional(),
});

const providerSchema = z.object({
  kind: z.enum(kinds),
  baseUrl: z.string().optional(),
  models: z.array(modelSchema).optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

type ModelSettings = z.infer<typeof modelSchema>;

/** A provider that can be talked to. */
export interface Provider {
  name: string;
  kind: Kind;
  baseUrl: string;
  origin: string;
  isLocal: boolean;
  headers: Record<string, string>;
  /** Empty: the server is asked. */
  models: ModelSettings[];
}

const misconfigured = (message: string): Failure => ({
  kind: 'refused',
  transient: false,
  code: 'configuration',
  action: 'open-settings',
  message,
});

export const unknownProvider = (name: string, known: readonly string[]): Failure =>
  misconfigured(
    `There is no provider "${name}" in the setting bough.providers${known.length > 0 ? ` (there are: ${known.join(', ')})` : ''}. Add it there, or choose another model.`,
  );

/** What HTTP allows: a request with another header would fail before it is sent. */
const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const noHeader = (provider: string, header: string): string =>
  `Provider "${provider}" has the header ${JSON.stringify(header)}, which HTTP does not allow: a name has only letters, digits and signs like - and _, and a value is one line. Correct it in bough.providers.`;

export const readProvider = (name: string, settings: unknown): Provider | Failure => {
  const parsed = providerSchema.safeParse(settings);
  if (!parsed.success) {
    const where = parsed.error.issues[0];
    const path = ['bough.providers', name, ...(where?.path ?? [])].join('.');
    return misconfigured(`The setting ${path} is wrong: ${where?.message ?? 'not an object'}. Correct it.`);
  }
  const { kind, models = [], headers = {} } = parsed.data;
  const baseUrl = parsed.data.baseUrl ?? factsOf[kind].baseUrl;
  const origin = originOf(baseUrl ?? '');
  if (baseUrl === undefined || origin === undefined) {
    const what =
      baseUrl === undefined ? 'has no base URL' : `has the base URL "${baseUrl}", which is no http address`;
    const example = factsOf[kind].baseUrl ?? 'https://api.example.com/v1';
    return misconfigured(`Provider "${name}" ${what}. Put one like ${example} into bough.providers.`);
  }
  const header = Object.entries(headers).find(([field, value]) => !isHeader(field, value))?.[0];
  if (header !== undefined) return misconfigured(noHeader(name, header));
  return { name, kind, baseUrl, origin, isLocal: isLoopback(baseUrl), headers, models };
};

/** "gpt-x (openrouter)"; capabilities as far as the settings state them. */
export const infoOf = (provider: Provider, id: string): ModelInfo => {
  const stated = provider.models.find((model) => model.id === id);
  return {
    provider: provider.name,
    id,
    label: `${id} (${provider.name})`,
    local: provider.isLocal,
    ...(stated?.contextWindow !== undefined && { contextWindow: stated.contextWindow }),
    ...(stated?.maxOutput !== undefined && { maxOutput: stated.maxOutput }),
    ...(stated?.reasoning !== undefined && { reasoning: stated.reasoning }),
    ...(stated?.images !== undefined && { images: stated.images }),
    ...(stated?.tools !== undefined && { tools: stated.tools }),
    ...(stated?.price !== undefined && { price: stated.price }),
  };
};
