/**
 * Any log gives a request that a strict provider accepts, in the bytes that are really sent: the request builder and the
 * mapping of each protocol's library, with a fetch that keeps the body.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRequest, type Line } from '../../../src/agent/context.js';
import type { Kind } from '../../../src/models/kinds.js';
import { createWireModel } from '../../../src/models/wire-model.js';
import type { ModelInfo, ModelRequest, ToolSpec } from '../../../src/ports.js';
import type { Part } from '../../../src/shared/entry.js';
import type { Entry } from '../../../src/shared/notes.js';
import { chatViolations, type ChatBody } from '../../protocols/chat-completions.js';
import { geminiViolations } from '../../protocols/gemini.js';
import { messagesViolations } from '../../protocols/messages.js';
import { responsesViolations } from '../../protocols/responses.js';
import { runs, sharded } from '../runs.js';
import { anyLog } from '../shared/arbitrary.js';
import { foldOf, placed } from '../shared/build.js';
import { byteDamages, fileOf, inflictBytes, readLine } from '../shared/damaged-file.js';
import { realClock } from './attempt.js';

/** Half of the logs are files; all together 10⁴, and 10⁶ in the soak. */
const shard = sharded(runs({ usual: 5_000, soak: 500_000 }));
const tools: ToolSpec[] = [{ name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }];
const blobs = new Map([
  ['a'.repeat(64), new Uint8Array([137, 80, 78, 71])],
  ['c'.repeat(64), new TextEncoder().encode('the whole text')],
]);

const lines = fc.tuple(anyLog(16), fc.nat({ max: 40 }), fc.boolean()).map(([entries, at, isRaw]): Line => {
  if (isRaw) return placed(entries);
  const fold = foldOf(entries);
  const heads = [fold.head, ...fold.outline.map(([id]) => id)];
  const all = placed(entries);
  return fold.linePositions(heads[at % heads.length]).flatMap((position) => all[position] ?? []);
});

/** What the protocols' libraries file with the parts they made. */
const metadataOf: Record<Kind, (n: number) => Record<string, unknown>> = {
  'openai-compatible': () => ({ compat: {} }),
  openai: (n) => ({ openai: { itemId: `rs_${n}`, reasoningEncryptedContent: `sealed-${n}` } }),
  anthropic: (n) => ({ anthropic: { signature: `signed-${n}` } }),
  google: (n) => ({ google: { thoughtSignature: `c2lnbmVk${n}` } }),
};

/** The log as this model would have written it: its name, and signed reasoning. */
const asWrittenBy = (line: Line, kind: Kind, model: string): Line => {
  let n = 0;
  const signed = (part: Part): Part => {
    if (part.type !== 'reasoning' && (part.type !== 'tool_call' || kind !== 'google')) return part;
    n += 1;
    return { ...part, provider_metadata: metadataOf[kind](n) };
  };
  const written = (entry: Entry): Entry =>
    entry.type === 'message' && entry.role === 'assistant' && entry.model === 'm'
      ? { ...entry, model, parts: entry.parts.map(signed) }
      : entry;
  return line.map((item) => ({ ...item, entry: written(item.entry) }));
};

/** The body as it goes over the wire. */
const sentBy = async (
  kind: Kind,
  info: ModelInfo,
  request: ModelRequest,
): Promise<Record<string, unknown>> => {
  let body: string | undefined;
  const fetch: typeof globalThis.fetch = (_input, init) => {
    if (typeof init?.body === 'string') body = init.body;
    return Promise.resolve(new Response('{}', { status: 400 }));
  };
  const endpoint = { kind, info, baseUrl: 'http://127.0.0.1:9/v1', key: () => Promise.resolve(undefined) };
  const model = createWireModel({ ...endpoint, fetch, clock: realClock });
  const told: string[] = [];
  for await (const event of model.attempt(request, {
    signal: new AbortController().signal,
    onBytes: () => undefined,
  })) {
    if (event.type === 'failure') told.push(event.failure.message);
  }
  if (body === undefined) throw new Error(`nothing was sent: ${told.join()}`);
  return JSON.parse(body) as Record<string, unknown>;
};

interface Speaker {
  kind: Kind;
  id: string;
  violations: (body: Record<string, unknown>) => string[];
}

const gemini = (id: string, model: string): Speaker => ({
  kind: 'google',
  id,
  violations: (body) => geminiViolations(body, model),
});

const protocols: Speaker[][] = [
  [
    {
      kind: 'openai-compatible',
      id: 'gpt-oss',
      violations: (body) => chatViolations(body as unknown as ChatBody),
    },
  ],
  [
    { kind: 'openai', id: 'gpt-5.1', violations: responsesViolations },
    { kind: 'openai', id: 'gpt-4o', violations: responsesViolations },
  ],
  [
    { kind: 'anthropic', id: 'claude-sonnet-4-5', violations: messagesViolations },
    { kind: 'anthropic', id: 'claude-opus-4-6', violations: messagesViolations },
  ],
  [gemini('gemini-2.5-pro', 'gemini-2.5-pro'), gemini('gemini-3-pro-preview', 'gemini-3-pro')],
];

const stated = fc.record(
  {
    images: fc.boolean(),
    tools: fc.boolean(),
    reasoning: fc.constantFrom<NonNullable<ModelInfo['reasoning']>>('off', 'low', 'high'),
    contextWindow: fc.constantFrom(300, 4096, 200_000),
  },
  { requiredKeys: [] },
);
type Facts = Partial<Pick<ModelInfo, 'images' | 'tools' | 'reasoning' | 'contextWindow'>>;

const infoOf = (id: string, { reasoning = 'off', ...others }: Facts): ModelInfo => ({
  provider: 'p',
  id,
  label: id,
  ...others,
  ...(id !== 'gpt-4o' && { reasoning }),
});

/** Anything that a strict provider would refuse in what this log becomes, for one model. */
const refusals = async (line: Line, { kind, id, violations }: Speaker, facts: Facts, hasBlobs: boolean) => {
  const info = infoOf(id, facts);
  const options = { system: 'Be brief.', tools, ...(hasBlobs ? { blobs } : {}) };
  const written = asWrittenBy(line, kind, id);
  const before = JSON.stringify(written);
  const request = buildRequest(written, info, options);
  const body = await sentBy(kind, info, request);
  const found = violations(body);
  if (JSON.stringify(body).includes('PARTIAL')) found.push('it has incomplete output');
  const again = buildRequest(written, info, options);
  if (JSON.stringify(again) !== JSON.stringify(request)) found.push('the second build is another');
  if (JSON.stringify(written) !== before) found.push('the log was changed');
  return found.map((what) => `${kind} ${id}: ${what}`);
};

/** One model of each protocol. */
const chosen = fc
  .tuple(...protocols.map((models) => fc.constantFrom(...models)))
  .map((models): Speaker[] => models);

describe(`what is really sent is what a strict provider accepts, in all four protocols${shard.name}`, () => {
  it(`of ${shard.runs} random and mutated logs`, { timeout: 12 * 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(lines, chosen, stated, fc.boolean(), async (line, models, facts, hasBlobs) => {
        for (const model of models) expect(await refusals(line, model, facts, hasBlobs)).toEqual([]);
      }),
      { numRuns: shard.runs },
    );
  });

  it(
    `of ${shard.runs} damaged files, as the real reader takes them`,
    { timeout: 12 * 3_600_000 },
    async () => {
      const files = fc.tuple(anyLog(16), fc.integer({ min: 1, max: 3 }), byteDamages, fc.nat({ max: 40 }));
      let told = 0;
      await fc.assert(
        fc.asyncProperty(files, chosen, stated, fc.boolean(), async (file, models, facts, hasBlobs) => {
          const [entries, group, damages, pick] = file;
          const bytes = damages.reduce<Buffer>(inflictBytes, fileOf(entries, group));
          const line = await readLine(bytes, pick);
          told += line.length;
          for (const model of models) expect(await refusals(line, model, facts, hasBlobs)).toEqual([]);
        }),
        { numRuns: shard.runs },
      );
      // The reader finds something in most of them: else this would test nothing.
      expect(told).toBeGreaterThan(shard.runs * 3);
    },
  );
});
