import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
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

  it('looks at no more of a long line for what ended or began since, than stands behind what it was left open by', async () => {
    const entry = (type: string, id: string, parent_id: string | null, more: object): string =>
      JSON.stringify({ type, id, parent_id, timestamp: TIME, ...more });
    const answered = { turn_id: 'turn-1', call_id: 'read-1' };
    const turnOf = (turn: number): string[] => {
      const [user, assistant, tool] = ['u', 'a', 't'].map((name) => `${name}${String(turn)}`);
      const turn_id = `turn-${String(turn)}`;
      const [read, ran] = ['read', 'run'].map((name) => ({
        ...{ type: 'tool_call', call_id: `${name}-${String(turn)}`, name, input: {} },
      }));
      const results = [read, ran].map((call) => ({
        ...{ type: 'tool_result', call_id: call?.call_id, content: 'done', is_error: false },
      }));
      return [
        entry('message', user ?? '', turn === 0 ? null : `t${String(turn - 1)}`, {
          ...{ role: 'user', parts: [{ type: 'text', text: 'go on' }], turn_id },
        }),
        entry('turn_start', `s${String(turn)}`, user ?? '', { turn_id, retries: 0, continues: null }),
        entry('message', assistant ?? '', user ?? '', { role: 'assistant', parts: [read, ran], turn_id }),
        entry('tool_start', `b${String(turn)}`, assistant ?? '', { turn_id, call_id: ran?.call_id }),
        entry('message', tool ?? '', assistant ?? '', { role: 'tool', parts: results, turn_id }),
        entry('turn_end', `e${String(turn)}`, tool ?? '', { turn_id, status: 'completed' }),
      ];
    };
    const turns = 1_000;
    const lines = [HEADER, ...Array.from({ length: turns }, (_, turn) => turnOf(turn)).flat()];
    const end = lines.pop() ?? '';
    const image = takeLines(new Ledger('s', TIME), lines).image();
    if (image === undefined) throw new Error('there is no image of this ledger');
    const bytes = new Uint8Array(Buffer.concat(await piecesOf(image)));
    const base = new LedgerBase(new Sections(bytes));
    const markLine = vi.spyOn(base.fold, 'markLine');
    const ledger = new Ledger('s', TIME, base);
    const looks = (): number => {
      ledger.fold.pagePositions(20);
      return markLine.mock.calls.splice(0).length;
    };
    expect(looks()).toBeLessThan(40);
    takeLines(ledger, [end, ...turnOf(turns)]);
    expect(ledger.fold.state().turn).toBeNull();
    expect(looks()).toBeLessThan(40);
    // A call that has its result begins after all.
    takeLines(ledger, [entry('tool_start', 'late', `t${String(turns)}`, answered)]);
    expect(looks()).toBeGreaterThan(turns);
    expect(ledger.fold.pagePositions(20)).toEqual(pageOf(ledger, 20, ledger.head));
  });

  it('keeps what an open call was given once, however long the line goes on', async () => {
    const input = { text: 'x'.repeat(10_000) };
    const call = { type: 'tool_call', call_id: 'c', name: 'edit', input };
    const say = (id: string, parent_id: string | null, more: object): string =>
      JSON.stringify({ type: 'message', id, parent_id, timestamp: TIME, role: 'assistant', ...more });
    const request = { call_id: 'c', tool: 'edit', summary: 'Edit', input_hash: 'h', targets: [] };
    const lines = [
      HEADER,
      say('0', null, { parts: [call] }),
      JSON.stringify({ type: 'approval_request', id: 'r', parent_id: '0', timestamp: TIME, ...request }),
      ...Array.from({ length: 400 }, (_, at) =>
        say(String(at + 1), String(at), { parts: [{ type: 'text', text: 'on' }] }),
      ),
    ];
    const eager = takeLines(new Ledger('s', TIME), lines);
    const image = eager.image();
    if (image === undefined) throw new Error('there is no image of this ledger');
    expect(image.fold.checkpoints.length).toBeGreaterThan(10);
    const bytes = new Uint8Array(Buffer.concat(await piecesOf(image, Infinity)));
    expect(Buffer.from(bytes).toString('latin1').split(input.text)).toHaveLength(2);
    const base = new LedgerBase(new Sections(bytes));
    const { state } = image.fold.checkpoints.at(-1) ?? {};
    expect(state?.calls[0]?.call.input).toEqual(input);
    expect(base.fold.checkpoint(base.fold.head)).toEqual(state);
    expect(new Ledger('s', TIME, base).fold.state()).toEqual(eager.fold.state());
  });

  it('refuses a page of no number of entries', () => {
    const { fold } = takeLines(new Ledger('s', TIME), [HEADER]);
    for (const limit of [NaN, -1]) expect(() => fold.pagePositions(limit)).toThrow(RangeError);
    expect(fold.pagePositions(Infinity)).toEqual({ positions: [], more: false });
  });

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
