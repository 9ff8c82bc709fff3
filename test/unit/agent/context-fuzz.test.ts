import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext, buildRequest, wantedBlobs, type Line } from '../../../src/agent/context.js';
import type { ModelInfo, ToolSpec } from '../../../src/ports.js';
import { chatBody, chatViolations } from '../../protocols/chat-completions.js';
import { requestViolations } from '../../protocols/request.js';
import { runs } from '../runs.js';
import { anyLog } from '../shared/arbitrary.js';
import { foldOf, placed } from '../shared/build.js';

/** What is really sent, in all protocols, is in test/unit/models/request-fuzz; here the neutral request and its budgets. */
const numRuns = runs({ usual: 3_000, soak: 100_000 });
const tools: ToolSpec[] = [{ name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }];

const plain: ModelInfo = { provider: 'p', id: 'm', label: 'M' };
const models = fc.constantFrom<ModelInfo>(
  plain,
  plain,
  { ...plain, tools: false },
  { ...plain, images: false },
  { ...plain, contextWindow: 300 },
  { ...plain, contextWindow: 4096, maxOutput: 512 },
  { provider: 'local', id: 'Devstral-Small-2', label: 'Devstral' },
);
const blobs = new Map([
  ['a'.repeat(64), new Uint8Array([1, 2, 3])],
  ['c'.repeat(64), new TextEncoder().encode('the whole text')],
]);

/** The line to a head, as the log gives it, or the entries as they lie there. */
const lines = fc.tuple(anyLog(16), fc.nat({ max: 40 }), fc.boolean()).map(([entries, at, isRaw]): Line => {
  if (isRaw) return placed(entries);
  const fold = foldOf(entries);
  const heads = [fold.head, ...fold.outline.map(([id]) => id)];
  const all = placed(entries);
  return fold.linePositions(heads[at % heads.length]).flatMap((position) => all[position] ?? []);
});

describe('any log gives a request that a strict provider accepts', () => {
  it(`holds for ${numRuns} random and damaged logs`, { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(lines, models, fc.boolean(), (line, model, withBlobs) => {
        const before = JSON.stringify(line);
        const options = { system: 'Be brief.', tools, ...(withBlobs ? { blobs } : {}) };
        const request = buildRequest(line, model, options);
        const isMistral = model.provider === 'local';
        const body = chatBody(request);
        const strictness = isMistral ? { callId: /^[A-Za-z0-9]{9}$/, alternating: true } : {};
        expect(chatViolations(body, strictness)).toEqual([]);
        expect(requestViolations(request, model)).toEqual([]);
        expect(JSON.stringify(buildRequest(line, model, options))).toBe(JSON.stringify(request));
        expect(JSON.stringify(line)).toBe(before);
        expect(JSON.stringify(body)).not.toContain('PARTIAL');
        expect(wantedBlobs(line, model).every((hash) => /^[a-c]{64}$/.test(hash))).toBe(true);
      }),
      { numRuns },
    );
  });

  it('holds the budgets or says that it cannot', { timeout: 600_000 }, () => {
    const sizes = fc.record({
      contextWindow: fc.integer({ min: 200, max: 4000 }),
      maxBytes: fc.integer({ min: 500, max: 20_000 }),
    });
    fc.assert(
      fc.property(lines, sizes, (line, { contextWindow, maxBytes }) => {
        const model = { ...plain, contextWindow };
        const context = buildContext(line, model, { system: 'Be brief.', tools, maxBytes });
        expect(chatViolations(chatBody(context.request))).toEqual([]);
        if (context.fits) {
          expect(Buffer.byteLength(JSON.stringify(chatBody(context.request)))).toBeLessThanOrEqual(maxBytes);
        }
      }),
      { numRuns: Math.ceil(numRuns / 5) },
    );
  });
});
