import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outline } from '../../../src/shared/fold/outline.js';
import { rowsOf } from '../../../src/shared/fold/path.js';
import { SessionFold } from '../../../src/shared/fold/session-fold.js';
import { isConversation, type Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { anyLog, soundLog } from './arbitrary.js';
import { call, foldOf, LogBuilder, placed, result } from './build.js';

const numRuns = runs({ usual: 400, soak: 20_000 });
const check = <T>(property: fc.IProperty<T>): void => {
  fc.assert(property, { numRuns });
};
const ids = (fold: SessionFold): string[] => fold.outline.map(([id]) => id);

it('what is kept of a line of which nothing is ever answered grows as the line does', () => {
  const kept = (count: number): number => {
    const log = new LogBuilder().user('u');
    for (let index = 0; index < count; index++) log.assistant(`a${index}`, [call(`c${index}`)]);
    return JSON.stringify(log.fold().image().checkpoints).length;
  };
  expect(kept(4_000) / kept(1_000)).toBeLessThan(8);
});

describe('for any log', () => {
  it(
    'the incremental fold is the fold from scratch, at every head, whatever was asked in between',
    { timeout: 120_000 },
    () => {
      const asked = fc.array(fc.nat({ max: 30 }), { maxLength: 12 });
      check(
        fc.property(anyLog(), asked, (entries, asks) => {
          const fold = new SessionFold();
          entries.forEach((entry, position) => {
            fold.add(entry, position);
            const known = ids(fold);
            const ask = asks[position % Math.max(1, asks.length)] ?? 0;
            fold.state(known[ask % Math.max(1, known.length)]);
            fold.state();
          });
          const scratch = foldOf(entries);
          expect(fold.head).toBe(scratch.head);
          expect(fold.outline).toEqual(scratch.outline);
          for (const head of [null, ...ids(fold)])
            expect(fold.state(head)).toEqual(foldOf(entries).state(head));
        }),
      );
    },
  );

  it(
    'a line is the same whichever was asked for before, and however much was added since',
    { timeout: 120_000 },
    () => {
      const asked = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 12 });
      check(
        fc.property(anyLog(), asked, (entries, asks) => {
          const fold = new SessionFold();
          entries.forEach((entry, position) => {
            fold.add(entry, position);
            const known = [null, ...ids(fold)];
            const head = known[(asks[position % asks.length] ?? 0) % known.length] ?? null;
            const scratch = foldOf(entries.slice(0, position + 1));
            expect(fold.linePositions(head)).toEqual(scratch.linePositions(head));
            expect(fold.pagePositions(2, head)).toEqual(scratch.pagePositions(2, head));
            expect(fold.pathNodes(head)).toEqual(scratch.pathNodes(head));
          });
        }),
      );
    },
  );

  it(
    'the line alone gives the path’s own state, and its notes are exactly those that count',
    { timeout: 120_000 },
    () => {
      check(
        fc.property(soundLog(), fc.nat({ max: 30 }), (entries, at) => {
          const fold = foldOf(entries);
          const heads = [null, ...ids(fold)];
          const head = heads[at % heads.length] ?? null;
          const line = fold.linePositions(head);
          expect(line).toEqual([...new Set(line)].sort((a, b) => a - b));
          expect(line.filter((position) => isPathNote(entries[position]))).toEqual(
            countingNotes(entries, fold.pathIds(head)),
          );

          const alone = new SessionFold();
          for (const position of line) {
            const entry = entries[position];
            if (entry !== undefined) alone.add(entry, position);
          }
          const { usage: _usage, queue: _queue, open_calls, ...whole } = fold.state(head);
          const { usage: _usage2, queue: _queue2, open_calls: aloneCalls, ...own } = alone.state(head);
          const known = open_calls
            .filter(({ status }) => status !== 'answered')
            .map(({ call }) => call.call_id);
          expect(own.approvals).toEqual(expect.arrayContaining(whole.approvals));
          expect({ ...own, approvals: [] }).toEqual({ ...whole, approvals: [] });
          expect(aloneCalls.map(({ call }) => call.call_id)).toEqual(expect.arrayContaining(known));
        }),
      );
    },
  );

  it('H2: every leaf can be reached through the pickers', { timeout: 120_000 }, () => {
    check(
      fc.property(anyLog(40), (entries) => {
        const fold = foldOf(entries);
        if (fold.outline.length === 0) return;
        const found = new Set<string>();
        const open = fold.leaves().slice(0, 1);
        for (let leaf = open.pop(); leaf !== undefined; leaf = open.pop()) {
          if (found.has(leaf)) continue;
          found.add(leaf);
          for (const fork of fold.forks(leaf).values())
            open.push(...fork.siblings.map(({ leaf_id }) => leaf_id));
        }
        expect([...found].sort()).toEqual([...fold.leaves()].sort());
      }),
    );
  });

  it(
    'a picker shows the line it stands on, on a row, and its leaves are leaves below their entry',
    { timeout: 120_000 },
    () => {
      check(
        fc.property(anyLog(), (entries) => {
          const fold = foldOf(entries);
          const outline = new Outline(fold.outline);
          for (const head of ids(fold)) {
            const path = fold.pathIds(head);
            const rows = rowsOf(placed(entries), outline, fold.state(head), 'idle');
            const forks = fold.forks(head);
            expect(rows.filter((row) => row.fork !== undefined).map(({ entry }) => entry.id)).toEqual([
              ...forks.keys(),
            ]);
            for (const fork of forks.values()) {
              const shown = fork.siblings[fork.index];
              expect(path).toContain(fork.entry_id);
              expect(fold.pathIds(shown?.entry_id)).toContain(fork.entry_id);
              for (const { entry_id, leaf_id } of fork.siblings) {
                expect(fold.leaves()).toContain(leaf_id);
                expect(fold.pathIds(leaf_id)).toContain(entry_id);
              }
            }
          }
        }),
      );
    },
  );

  it('switching away and back changes nothing but head notes', { timeout: 120_000 }, () => {
    check(
      fc.property(soundLog(), fc.nat({ max: 30 }), (entries, at) => {
        const fold = foldOf(entries);
        const before = {
          head: fold.head,
          state: fold.state(),
          line: fold.linePositions(),
          path: fold.pathIds(),
        };
        const leaves = fold.leaves();
        const log = new LogBuilder();
        log.entries.push(...entries);
        log.head = fold.head;
        log.add({ type: 'head', id: 'away', entry_id: leaves[at % Math.max(1, leaves.length)] ?? null });
        log.add({ type: 'head', id: 'back', entry_id: before.head });
        const after = log.fold();
        expect(after.head).toBe(before.head);
        expect(after.pathIds()).toEqual(before.path);
        expect(after.state()).toEqual(before.state);
        expect(after.linePositions()).toEqual([...before.line, entries.length, entries.length + 1]);
        expect(after.outline).toEqual(fold.outline);
      }),
    );
  });

  it('H9: a note after going back belongs to the line that follows only', { timeout: 120_000 }, () => {
    check(
      fc.property(soundLog(), fc.nat({ max: 30 }), (entries, at) => {
        const fold = foldOf(entries);
        const inner = fold.outline.filter((_, ordinal) =>
          fold.outline.some(([, parent]) => parent === ordinal),
        );
        const target = inner[at % Math.max(1, inner.length)]?.[0] ?? null;
        const log = new LogBuilder();
        log.entries.push(...entries);
        log.go(target).add({ type: 'model_change', provider: 'p', model_id: 'NEW' }).user('new-line');
        const after = log.fold();
        for (const leaf of fold.leaves()) {
          if (leaf !== target) expect(after.state(leaf)).toEqual({ ...fold.state(leaf) });
        }
        expect(after.state('new-line').model?.model_id).toBe('NEW');
      }),
    );
  });
});

describe('cost', () => {
  it('of an append and the state after it does not grow with the file', () => {
    const count = 100_000;
    const fold = new SessionFold();
    let previous: string | null = null;
    const wrong: string[] = [];
    for (let at = 0; at < count; at++) {
      const id = `m${at}`;
      const role = at % 2 === 0 ? ('user' as const) : ('assistant' as const);
      const entry: Entry = { type: 'message', id, parent_id: previous, timestamp: '', role, parts: [] };
      fold.add(entry, at);
      // Walking the path each time would take five thousand million steps: this ends soon or not at all.
      if (fold.state().head !== id) wrong.push(id);
      previous = id;
    }
    expect(wrong).toEqual([]);
    expect(fold.pathIds()).toHaveLength(count);
  });

  it('of a state that nothing was added to is none', () => {
    const fold = new LogBuilder().user('u1').assistant('a1').go('u1').assistant('a2').fold();
    const state = fold.state();
    expect(fold.state('a1')).not.toBe(state);
    expect(fold.state()).toBe(state);
    expect(fold.state('a2')).toBe(state);
  });
});

describe('a fold that is asked again', () => {
  const note = (model_id: string): Parameters<LogBuilder['add']>[0] => ({
    type: 'model_change',
    provider: 'p',
    model_id,
  });

  it('does not take what it saw at an entry to what followed before', () => {
    const fold = new LogBuilder()
      .user('u1')
      .add(note('then'))
      .assistant('a1')
      .go('u1')
      .add(note('now'))
      .fold();
    expect(fold.state('u1').model?.model_id).toBe('now');
    expect(fold.state('a1').model?.model_id).toBe('then');
    expect(fold.state('u1').model?.model_id).toBe('now');
  });

  it('gives states that a later entry does not change', () => {
    const log = new LogBuilder().user('u1').add({ type: 'turn_start', turn_id: 't1' });
    const fold = log.fold();
    const before = fold.state();
    const copy = structuredClone(before);
    fold.add(log.add({ type: 'step_start', step: 1, attempt_id: 'x' }).entries.at(-1) ?? never(), 2);
    expect(fold.state().turn?.steps_started).toBe(1);
    expect(before).toEqual(copy);
  });

  it('gives the newest leaves of a tree that grew', () => {
    const log = new LogBuilder().user('u1').assistant('a1').go('u1').assistant('a2');
    const fold = log.fold();
    expect(fold.forks().get('a2')?.siblings[1]?.leaf_id).toBe('a2');
    fold.add(log.user('u2').entries.at(-1) ?? never(), 4);
    expect(fold.forks().get('a2')?.siblings[1]?.leaf_id).toBe('u2');
  });
});

describe('the line', () => {
  it('leaves out notes that came after its next entry, and takes what decides about it from elsewhere', () => {
    const log = new LogBuilder().user('u1').add({ type: 'turn_start', turn_id: 't1' }); // 0 1
    log.assistant('a1', [call('c1', 'edit')]); // 2
    const request = { call_id: 'c1', tool: 'edit', summary: 's', input_hash: 'h', targets: [] };
    log.add({ type: 'approval_request', id: 'q1', ...request }).tool('r1', [result('c1')]); // 3 4
    log.go('u1').add({ type: 'model_change', provider: 'p', model_id: 'm' }).assistant('a2'); // 5 6 7
    log.add({ type: 'approval_decision', request_id: 'q1', decision: 'allow' }); // 8
    log.add({ type: 'tool_start', call_id: 'c1' }); // 9
    log.add({ type: 'turn_end', turn_id: 't1', steps: 1, status: 'stopped' }); // 10
    log.add({ type: 'label', target_id: 'a1', label: 'l' }); // 11
    expect(log.fold().linePositions('r1')).toEqual([0, 1, 2, 3, 4, 5, 8, 9, 10, 11]);
    expect(log.fold().linePositions('a2')).toEqual([0, 1, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe('pieces that overlap', () => {
  it('are taken once', () => {
    const { entries } = new LogBuilder()
      .user('u1')
      .add({ type: 'turn_start', turn_id: 't1' })
      .assistant('a1');
    const fold = new SessionFold();
    for (const from of [0, 1, 0]) {
      entries.slice(from).forEach((entry, at) => {
        fold.add(entry, from + at);
      });
    }
    expect(fold.position).toBe(3);
    expect(fold.outline).toHaveLength(2);
    expect(fold.linePositions()).toEqual([0, 1, 2]);
  });

  it('with an unknown head or id answer as for an empty path', () => {
    const fold = new LogBuilder().user('u1').fold();
    expect(fold.ordinal('ghost')).toBe(-1);
    expect(fold.pathIds('ghost')).toEqual([]);
    expect(fold.state('ghost').head).toBeNull();
  });

  it('A11: notes of unknown types pass through the line', () => {
    const log = new LogBuilder().user('u1');
    const future: Entry = {
      type: 'unknown',
      unknown_type: 'future_x',
      id: 'f1',
      parent_id: 'u1',
      timestamp: '',
    };
    log.entries.push(future);
    expect(log.assistant('a1').fold().linePositions()).toEqual([0, 1, 2]);
  });
});

function never(): never {
  throw new Error('the builder added nothing');
}

/** Notes that only the path decides about: neither session-wide, nor facts that count wherever they stand. */
const elsewhere = new Set([
  'head',
  'session_info',
  'label',
  'queue_update',
  'turn_end',
  'approval_decision',
  'tool_start',
]);
const isPathNote = (entry: Entry | undefined): boolean =>
  entry !== undefined && !isConversation(entry) && !elsewhere.has(entry.type);

/** The rule of the format, by the letter. */
function countingNotes(entries: readonly Entry[], path: readonly string[]): number[] {
  const positionOf = (id: string | undefined): number =>
    id === undefined ? Infinity : entries.findIndex((entry) => entry.id === id);
  return [...entries.keys()].filter((position) => {
    const note = entries[position];
    if (note === undefined || !isPathNote(note)) return false;
    if (note.parent_id === null) return position < positionOf(path[0]);
    const at = path.indexOf(note.parent_id);
    return at >= 0 && position < positionOf(path[at + 1]);
  });
}
