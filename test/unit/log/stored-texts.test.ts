import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Sections, SectionWriter } from '../../../src/log/sections.js';
import type { StoredTexts } from '../../../src/log/stored-texts.js';
import { runs } from '../runs.js';

async function stored(texts: readonly string[], deflatedFrom?: number): Promise<StoredTexts> {
  const sections = new SectionWriter(deflatedFrom);
  sections.texts('texts', texts);
  const bytes = new Uint8Array(Buffer.concat(await sections.pieces()));
  return new Sections(bytes).texts('texts');
}

/** Of any length between none and more than a part that is deflated by itself. */
const text = fc
  .tuple(fc.constantFrom('', 'a', 'ü🔥', '{"type":"usage"}'), fc.constantFrom(1, 7, 900, 20_000))
  .map(([piece, times]) => piece.repeat(times));

it('gives back each text, in whatever order they are asked for, deflated or not', async () => {
  const property = fc.asyncProperty(
    fc.array(text, { maxLength: 30 }),
    fc.array(fc.nat()),
    fc.constantFrom(undefined, 0, Infinity),
    async (texts, asked, deflatedFrom) => {
      const found = await stored(texts, deflatedFrom);
      expect(found.length).toBe(texts.length);
      expect(texts.map((_, index) => found.text(index))).toEqual(texts);
      for (const ask of asked.map((one) => one % Math.max(1, texts.length)))
        expect(found.text(ask)).toBe(texts[ask] ?? '');
    },
  );
  await fc.assert(property, { numRuns: runs({ usual: 200, soak: 5_000 }) });
}, 60_000);

it('takes a fraction of the room where there is much alike', async () => {
  const sections = new SectionWriter();
  sections.texts(
    'texts',
    Array.from({ length: 10_000 }, (_, index) => `{"type":"step_end","step":${String(index)}}`),
  );
  expect(Buffer.concat(await sections.pieces()).length).toBeLessThan(120_000);
});
