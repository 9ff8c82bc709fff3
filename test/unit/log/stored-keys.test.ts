import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Sections, SectionWriter } from '../../../src/log/sections.js';
import { StoredKeys, putKeys } from '../../../src/log/stored-keys.js';
import { runs } from '../runs.js';

async function stored(keys: readonly string[]): Promise<StoredKeys> {
  const sections = new SectionWriter();
  putKeys(sections, 'keys', keys);
  const bytes = new Uint8Array(Buffer.concat(await sections.pieces()));
  return new StoredKeys(new Sections(bytes), 'keys');
}

const half = fc.constantFrom('00000000', '00000001', '7fffffff', '80000000', 'deadbeef', 'ffffffff');
const id = fc.tuple(half, half).map(([first, second]) => first + second);
const almost = id.map((one) => one.toUpperCase());
const key = fc.oneof(
  id,
  almost,
  fc.string({ unit: 'binary', maxLength: 18 }),
  fc.constantFrom('__proto__', '\ud800'),
);

it('finds every key where it was put, whatever its form, and no other', async () => {
  const property = fc.asyncProperty(
    fc.uniqueArray(key, { maxLength: 40 }),
    fc.array(key),
    async (keys, others) => {
      const found = await stored(keys);
      expect([...found]).toEqual(keys);
      expect(keys.map((one) => found.indexOf(one))).toEqual(keys.map((_, index) => index));
      for (const one of others) expect(found.has(one)).toBe(keys.includes(one));
      expect(found.at(keys.length)).toBeUndefined();
      expect(found.at(-1)).toBeUndefined();
    },
  );
  await fc.assert(property, { numRuns: runs({ usual: 1_000, soak: 50_000 }) });
});
