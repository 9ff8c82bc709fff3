import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/agent/context/tokens.js';

const code =
  'export function pathOf(id: string): string[] {\n  return ids.filter((other) => other !== id);\n}\n';

describe('estimated tokens', () => {
  it('have a fifth in reserve on prose and code', () => {
    // cl100k counts 10 and 26 tokens.
    expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBeGreaterThanOrEqual(10);
    expect(estimateTokens(code)).toBeGreaterThanOrEqual(26);
    expect(estimateTokens(code)).toBeLessThan(52);
  });

  it('do not take base64 for long words', () => {
    const base64 = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7919) % 256)).toString('base64');
    expect(estimateTokens(base64)).toBeGreaterThan(base64.length / 2);
  });

  it('of a long text come from slices and stay near the whole count', () => {
    const long = code.repeat(400);
    const whole = estimateTokens(code) * 400;
    expect(estimateTokens(long)).toBeGreaterThan(whole * 0.9);
    expect(estimateTokens(long)).toBeLessThan(whole * 1.1);
  });

  it('never exceed what spares small requests the estimate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(text.length * 1.3) + 1);
      }),
      { numRuns: 300 },
    );
  });
});
