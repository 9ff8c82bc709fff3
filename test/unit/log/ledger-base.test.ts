import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LedgerBase } from '../../../src/log/ledger-base.js';
import { piecesOf } from '../../../src/log/ledger-image.js';
import { Ledger } from '../../../src/log/ledger.js';
import { Sections } from '../../../src/log/sections.js';
import { runs } from '../runs.js';
import { anyLog, soundLog } from '../shared/arbitrary.js';
import { goldenNames } from '../shared/golden.js';

const TIME = '2026-01-01T00:00:00.000Z';
const HEADER = JSON.stringify({ type: 'session', version: 4, id: 's', timestamp: TIME });

/** Takes the lines from the ledger's own place on. */
function takeLines(ledger: Ledger, lines: readonly string[]): Ledger {
  for (const text of lines) {
    const bytes = Buffer.from(text);
    const { from: offset, line } = ledger.next;
    const end = offset + bytes.length + 1;
    ledger.take({ line, offset, bytes, end, isTerminated: true, isTooLong: false });
  }
  return ledger;
}

/** Its texts deflated, as those of a long log are, or as they are. */
async function goneOnFrom(ledger: Ledger, deflatedFrom = 0): Promise<Ledger> {
  const image = ledger.image();
  if (image === undefined) throw new Error('there is no image of this ledger');
  const bytes = new Uint8Array(Buffer.concat(await piecesOf(image, deflatedFrom)));
  return new Ledger('s', TIME, new LedgerBase(new Sections(bytes)));
}

/** Everything that can be asked of it. */
function known(ledger: Ledger): unknown {
  const { fold, tree } = ledger;
  const nodes = fold.outline.map(([id]) => id);
  const ids = ledger.image()?.tree.links.map(([id]) => id) ?? [];
  return {
    ...{ header: ledger.header, damage: ledger.damage, head: ledger.head, access: ledger.access },
    ...{ messages: ledger.messages, isArchived: ledger.isArchived, next: ledger.next, outline: fold.outline },
    places: Array.from({ length: ledger.position + 1 }, (_, position) => ledger.place(position)),
    positions: ids.map((id) => [id, tree.position(id), fold.ordinal(id)]),
    attempts: ['a', 'attempt', 'attempt-1', ...nodes].map((id) => ledger.hasAttempt(id)),
    leaves: fold.leaves(),
    heads: [undefined, null, ...nodes].map((head) => [
      fold.state(head),
      fold.files(head),
      fold.linePositions(head),
      fold.pagePositions(4, head),
      [...fold.forks(head)],
    ]),
    tree: ledger.image()?.tree,
  };
}

/** Also an index of what an index was gone on from. */
async function checkFrom(lines: readonly string[], first: number, second: number): Promise<void> {
  const eager = known(takeLines(new Ledger('s', TIME), lines));
  const begun = await goneOnFrom(takeLines(new Ledger('s', TIME), lines.slice(0, first)));
  const again = await goneOnFrom(takeLines(begun, lines.slice(first, second)), Infinity);
  expect(known(takeLines(again, lines.slice(second)))).toEqual(eager);
}

/** The end of a line as its words have it: so many of its entries, and what it takes to begin with a node. */
function pageOf({ fold }: Ledger, limit: number, head: string | null): unknown {
  const line = fold.linePositions(head);
  const nodes = fold.pathIds(head).map((id) => fold.positionOf(id) ?? -1);
  const first = limit > line.length ? -1 : limit === 0 ? Infinity : (line.at(-limit) ?? -1);
  const begin = nodes.findLastIndex((position) => position <= first);
  const from = nodes[begin] ?? 0;
  return { positions: line.filter((position) => position >= from), more: begin > 0 };
}

describe('a ledger that goes on from an index', () => {
  it.each(goldenNames)('knows of %s what one knows that read it all, wherever it begins', async (name) => {
    const url = new URL(`../../logs/${name}.jsonl`, import.meta.url);
    const lines = readFileSync(url, 'utf8').trimEnd().split('\n');
    for (let first = 1; first <= lines.length; first++)
      await checkFrom(lines, first, Math.min(lines.length, first + 3));
  });

  it.each([
    { kind: 'any', log: anyLog },
    { kind: 'a sound', log: soundLog },
  ])('knows of $kind log what one knows that read it all', { timeout: 120_000 }, async ({ log }) => {
    const bad = fc.constantFrom('', '{', '{"type":"message"}', '\0\0');
    const harm = fc.array(fc.tuple(fc.nat(40), bad), { maxLength: 2 });
    const property = fc.asyncProperty(log(), harm, fc.nat(), fc.nat(), async (entries, harms, a, b) => {
      const lines = [HEADER, ...entries.map((entry) => JSON.stringify(entry))];
      for (const [at, line] of harms) lines.splice(1 + (at % lines.length), 0, line);
      const [first = 1, second = 1] = [1 + (a % lines.length), 1 + (b % lines.length)].sort((x, y) => x - y);
      await checkFrom(lines, first, second);
    });
    await fc.assert(property, { numRuns: runs({ usual: 150, soak: 5_000 }) });
  });

  it.each([
    { kind: 'any', log: anyLog },
    { kind: 'a sound', log: soundLog },
  ])(
    'says of the ends of $kind log’s lines what the whole lines say',
    { timeout: 120_000 },
    async ({ log }) => {
      const asked = fc.array(
        fc.record({ head: fc.nat(), from: fc.nat(), limit: fc.nat(6), back: fc.nat(3) }),
        {
          minLength: 1,
          maxLength: 8,
        },
      );
      const property = fc.asyncProperty(log(), fc.nat(), asked, async (entries, first, asks) => {
        const lines = [HEADER, ...entries.map((entry) => JSON.stringify(entry))];
        let until = 1 + (first % lines.length);
        const ledger = await goneOnFrom(takeLines(new Ledger('s', TIME), lines.slice(0, until)));
        for (const [index, { head, from, limit, back }] of asks.entries()) {
          until = Math.max(until, lines.length - (asks.length - index) * back);
          takeLines(ledger, lines.slice(ledger.next.line - 1, until));
          const whole = takeLines(new Ledger('s', TIME), lines.slice(0, until));
          const ids = whole.fold.outline.map(([id]) => id);
          const end = ids[head % (ids.length + 1)] ?? null;
          const beginning = ids[from % (ids.length + 1)] ?? '';
          const behind = whole.fold.positionOf(beginning) ?? 0;
          const line = whole.fold.linePositions(end);
          expect(ledger.fold.positionsFrom(beginning, end)).toEqual(line.filter((at) => at >= behind));
          expect(ledger.fold.pagePositions(limit, end)).toEqual(pageOf(whole, limit, end));
        }
      });
      await fc.assert(property, { numRuns: runs({ usual: 300, soak: 10_000 }) });
    },
  );

  it('is not to be had of what is not read as our own, or not to its end', () => {
    const bare = new Ledger('s', TIME);
    expect(bare.image()).toBeUndefined();
    expect(
      takeLines(new Ledger('s', TIME), ['{"type":"session","version":5,"id":"s"}']).image(),
    ).toBeUndefined();
    const torn = takeLines(new Ledger('s', TIME), [HEADER]);
    const { from: offset, line } = torn.next;
    torn.take({
      line,
      offset,
      bytes: Buffer.from('{"ty'),
      end: offset + 4,
      isTerminated: false,
      isTooLong: false,
    });
    expect(torn.image()).toBeUndefined();
  });
});
