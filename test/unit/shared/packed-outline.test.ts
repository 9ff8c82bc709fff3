import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outline, firstWords } from '../../../src/shared/fold/outline.js';
import { isPackedOutline, packOutline, unpackOutline } from '../../../src/shared/fold/packed-outline.js';
import type { OutlineNode } from '../../../src/shared/fold/types.js';
import { runs } from '../runs.js';

const types = ['message', 'incomplete_output', 'compaction', 'branch_summary', 'skill_load'] as const;

/** Nodes as a fold makes them: of any text, below any node before them. */
const nodes = fc
  .array(
    fc.record({
      id: fc.string({ unit: 'binary' }),
      below: fc.nat(),
      type: fc.constantFrom(...types),
      flags: fc.nat(255),
      text: fc.string({ unit: 'binary' }),
    }),
    { maxLength: 40 },
  )
  .map((all) => {
    const outline = new Outline();
    for (const { id, below, type, flags, text } of all)
      outline.add([id, (below % (outline.size + 1)) - 1, type, flags, firstWords(text)]);
    return [...outline.nodes];
  });

/** As it comes through VS Code. */
const sent = <T>(value: T): unknown => JSON.parse(JSON.stringify(value));

describe('a packed outline', () => {
  it('is unpacked as it was, and grows as it would have', () => {
    fc.assert(
      fc.property(nodes, (all) => {
        const packed = sent(packOutline(all));
        if (!isPackedOutline(packed)) throw new Error('refused');
        const [ours, theirs] = [unpackOutline(packed), new Outline(all)];
        const more: OutlineNode = ['added', all.length - 1, 'message', 1, 'added'];
        for (const outline of [ours, theirs]) outline.add(more);
        expect(ours.nodes).toEqual(theirs.nodes);
        expect(ours.leaves()).toEqual(theirs.leaves());
        for (let at = 0; at < ours.size; at++) {
          expect(ours.path(at)).toEqual(theirs.path(at));
          expect(ours.forks(at)).toEqual(theirs.forks(at));
        }
        expect(ours.leafCount).toBe(theirs.leaves().length);
      }),
      { numRuns: runs({ usual: 200, soak: 5_000 }) },
    );
  });

  it('tells of the end of a path what it tells of the whole', () => {
    fc.assert(
      fc.property(nodes, fc.nat(), fc.nat(), (all, at, cut) => {
        fc.pre(all.length > 0);
        const outline = unpackOutline(packOutline(all));
        const head = at % all.length;
        const path = outline.path(head);
        const from = path[cut % path.length] ?? 0;
        const end = outline.pathEnd(head, (ordinal) => ordinal >= from);
        expect(end).toEqual(path.slice(cut % path.length));
        const shown = new Set(end.map((ordinal) => outline.node(ordinal)?.[0]));
        const ofEnd = [...outline.forks(head, from)].filter(([id]) => shown.has(id));
        expect(ofEnd).toEqual([...outline.forks(head)].filter(([id]) => shown.has(id)));
      }),
      { numRuns: runs({ usual: 500, soak: 20_000 }) },
    );
  });

  const whole = packOutline([
    ['a', -1, 'message', 1, 'one'],
    ['b', 0, 'message', 2, 'two'],
  ]);
  it.each([
    ['nothing', null],
    ['no object', 'outline'],
    ['ids that are none', { ...whole, ids: ['a', 1] }],
    ['columns of other lengths', { ...whole, flags: [1] }],
    ['a parent that does not stand before', { ...whole, parents: [-1, 1] }],
    ['a parent that is no ordinal', { ...whole, parents: [-2, 0] }],
    ['a type that is none', { ...whole, types: [0, 9] }],
    ['flags that are none', { ...whole, flags: [1, -1] }],
    ['no previews', { ...whole, previews: undefined }],
  ])('is refused with %s', (_, value) => {
    expect(isPackedOutline(whole)).toBe(true);
    expect(isPackedOutline(value)).toBe(false);
  });
});
