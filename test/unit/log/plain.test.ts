import fc from 'fast-check';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { plainCheckOf } from '../../../src/log/plain.js';
import { entrySchemas, type Entry, type KnownEntry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { goldenNames, readGolden } from '../shared/golden.js';

const golden = goldenNames.flatMap((name) => readGolden(name).placed.map(({ entry }) => entry));
const isKnown = (entry: Entry): entry is KnownEntry => entry.type !== 'unknown';
const samples = golden.filter(isKnown);
const hash = 'a'.repeat(64);

/** What may stand in place of any value: of every kind, at its limits, and just beyond them. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'x',
    'x'.repeat(256),
    'x'.repeat(257),
    hash,
    `${hash}a`,
    hash.toUpperCase(),
    ...[0, -0, 1, -1, 1.5, 2 ** 53, 1e999, true, false, 'user', 'done', 'pending', 'once', 'text', 'message'],
    [],
    {},
    [null],
    ['x'],
    [{ type: 'text', text: 'x' }],
    [{ type: 'text', text: 1 }],
    [{ type: 'file', blob: hash, mime: 'm', name: 'n' }],
    [[0, 1, 'x']],
    [[0, 0, 'x']],
    [[0, 1]],
    { path: 'x', hash: null },
    { id: 'x', name: 'x' },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

type Box = Record<string, unknown>;
const isBox = (value: unknown): value is Box => typeof value === 'object' && value !== null;

/** All objects and arrays in a value, itself included. */
function boxesIn(value: unknown): Box[] {
  return isBox(value) ? [value, ...Object.values(value).flatMap(boxesIn)] : [];
}

interface Change {
  box: number;
  key: number;
  /** In place of one that is there already. */
  name: string | undefined;
  value: unknown;
  isRemoved: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  box: fc.nat(),
  key: fc.nat(),
  name: fc.option(
    fc.constantFrom('styles', 'goal_id', 'turn_id', 'phase', 'held', 'blob', 'preview', 'step', 'author'),
    { nil: undefined },
  ),
  value: odd,
  isRemoved: fc.boolean(),
});

function changed(entry: KnownEntry, changes: readonly Change[]): unknown {
  const copy: unknown = structuredClone(entry);
  for (const { box, key, name, value, isRemoved } of changes) {
    const boxes = boxesIn(copy);
    const place = boxes[box % boxes.length] as Box;
    const keys = Object.keys(place);
    const at = name ?? keys[key % Math.max(1, keys.length)] ?? 'x';
    if (isRemoved && name === undefined && !Array.isArray(place)) Reflect.deleteProperty(place, at);
    else place[at] = structuredClone(value);
  }
  // As it comes from a file.
  return JSON.parse(JSON.stringify(copy));
}

const checkOf = (entry: KnownEntry): ((value: unknown) => boolean) => plainCheckOf(entrySchemas[entry.type]);

describe('a check that is read off a schema', () => {
  it('knows every type, and finds good what is written every day', () => {
    expect(new Set(samples.map(({ type }) => type)).size).toBeGreaterThan(20);
    const doubted = samples.filter((entry) => !checkOf(entry)(entry)).map(({ type }) => type);
    expect(doubted).toEqual([]);
  });

  it('says yes only to what the schema leaves as it is', () => {
    let plain = 0;
    let other = 0;
    const property = fc.property(
      fc.constantFrom(...samples),
      fc.array(change, { maxLength: 3 }),
      (entry, changes) => {
        const value = changed(entry, changes);
        if (!checkOf(entry)(value)) {
          other++;
          return;
        }
        plain++;
        const parsed = entrySchemas[entry.type].safeParse(value);
        expect(parsed.error).toBeUndefined();
        expect(parsed.data).toStrictEqual(value);
      },
    );
    fc.assert(property, { numRuns: runs({ usual: 3_000, soak: 100_000 }) });
    // Both are tried, or nothing is.
    expect(plain).toBeGreaterThan(20);
    expect(other).toBeGreaterThan(20);
  });

  it('leaves to the schema whatever it does not know', () => {
    const unknown: [z.core.$ZodType, unknown][] = [
      [z.object({ a: z.string() }), { a: 'x' }],
      [z.strictObject({ a: z.string() }), { a: 'x' }],
      [z.string().trim(), 'x'],
      [z.email(), 'ann@example.org'],
      [z.string().regex(/x/g), 'x'],
      [z.string().refine(() => true), 'x'],
      [z.string().transform((text) => text), 'x'],
      [z.string().default('x'), 'x'],
      [z.number().multipleOf(2), 2],
      [z.record(z.string(), z.string()), { a: 'x' }],
      [z.tuple([z.string()]).rest(z.string()), ['x', 'x']],
      [z.date(), new Date(0)],
    ];
    for (const [schema, value] of unknown) {
      expect(z.safeParse(schema, value).success).toBe(true);
      expect([schema._zod.def.type, plainCheckOf(schema)(value)]).toEqual([schema._zod.def.type, false]);
    }
  });
});
