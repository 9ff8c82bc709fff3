import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionFold } from '../../../src/shared/fold/session-fold.js';
import { isConversation, type Entry } from '../../../src/shared/notes.js';
import { runs } from '../runs.js';
import { LogBuilder, foldOf } from './build.js';

type Change = [path: string, before: string | null, after: string | null];

const hash = (word: string | null): string | null => (word === null ? null : word.padEnd(64, '0'));
const changed = (changes: Change[], restored?: true): Parameters<LogBuilder['add']>[0] => ({
  type: 'files_changed',
  changes: changes.map(([path, before, after]) => ({ path, before: hash(before), after: hash(after) })),
  ...(restored === undefined ? {} : { restored }),
});
const files = (fold: SessionFold, head?: string | null): Record<string, [string | null, string | null]> =>
  Object.fromEntries(
    fold
      .files(head)
      .map(({ path, here, written }) => [
        path,
        [here?.replace(/0+$/, '') ?? null, written?.replace(/0+$/, '') ?? null],
      ]),
  );

describe('what lines say of files', () => {
  it('H9: two lines that change the same file and the same to-do list each keep their own', () => {
    const todo = (title: string): Parameters<LogBuilder['add']>[0] => ({
      type: 'todo_update',
      items: [{ id: '1', title, status: 'pending' }],
    });
    const log = new LogBuilder().user('u1').assistant('a1');
    log
      .user('u2')
      .tool('t2', [])
      .add(changed([['plan.md', 'x', 'a']]), todo('first'));
    log
      .go('a1')
      .user('u3')
      .tool('t3', [])
      .add(changed([['plan.md', 'a', 'b']]), todo('second'));
    const fold = log.fold();
    expect(files(fold, 't2')).toEqual({ 'plan.md': ['a', 'b'] });
    expect(files(fold, 't3')).toEqual({ 'plan.md': ['b', 'b'] });
    expect(fold.state('t2').todos[0]?.title).toBe('first');
    expect(fold.state('t3').todos[0]?.title).toBe('second');
    // Before both, the file has what it had, though the second line found the first one's text there.
    expect(files(fold, 'a1')).toEqual({ 'plan.md': ['x', 'b'] });
    expect(files(fold, null)).toEqual({ 'plan.md': ['x', 'b'] });
  });

  it('a file that a line created is not there on the others, and one it deleted is', () => {
    const log = new LogBuilder()
      .user('u1')
      .tool('t1', [])
      .add(
        changed([
          ['new.txt', null, 'n'],
          ['old.txt', 'o', null],
        ]),
      );
    expect(files(log.fold(), 't1')).toEqual({ 'new.txt': ['n', 'n'], 'old.txt': [null, null] });
    expect(files(log.fold(), 'u1')).toEqual({ 'new.txt': [null, 'n'], 'old.txt': ['o', null] });
  });

  it('what was put back is on the disk and changes no line', () => {
    const log = new LogBuilder()
      .user('u1')
      .tool('t1', [])
      .add(changed([['a', 'x', 'y']]));
    log.go('u1').add(changed([['a', 'y', 'x']], true));
    expect(files(log.fold(), 'u1')).toEqual({ a: ['x', 'x'] });
    expect(files(log.fold(), 't1')).toEqual({ a: ['y', 'x'] });
    log.add(changed([['a', 'x', 'y']], true));
    expect(files(log.fold(), 'u1')).toEqual({ a: ['x', 'y'] });
    expect(files(log.fold(), 't1')).toEqual({ a: ['y', 'y'] });
  });

  it('a change that stands on the fork after another line went on is not that line’s', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1')
      .go('u1')
      .add(changed([['a', 'x', 'y']]));
    expect(files(log.fold(), 'a1')).toEqual({ a: ['x', 'y'] });
    expect(files(log.fold(), 'u1')).toEqual({ a: ['y', 'y'] });
  });

  it(
    'for any tree and any path: the last change of the line alone, else what was there first',
    { timeout: 60_000 },
    () => {
      const step = fc.oneof(
        fc.record({ do: fc.constant('say' as const), name: fc.nat({ max: 3 }) }),
        fc.record({ do: fc.constant('go' as const), name: fc.nat({ max: 20 }) }),
        fc.record({ do: fc.constantFrom('edit' as const, 'restore' as const), name: fc.nat({ max: 2 }) }),
      );
      const numRuns = runs({ usual: 300, soak: 10_000 });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
          const log = new LogBuilder();
          const disk: (string | null)[] = [null, 'b', 'c'];
          let count = 0;
          for (const { do: what, name } of steps) {
            count += 1;
            const nodes = log.entries.filter(isConversation);
            if (what === 'say') log.user(`u${count}`);
            else if (what === 'go') log.go(nodes[name % Math.max(1, nodes.length)]?.id ?? null);
            else {
              const before = disk[name] ?? null;
              disk[name] = count % 5 === 0 ? null : `v${count}`;
              log.add(changed([[`f${name}`, before, disk[name]]], what === 'restore' ? true : undefined));
            }
          }
          const fold = foldOf(log.entries);
          for (const head of [null, ...fold.outline.map(([id]) => id)]) {
            for (const { path, here, written } of fold.files(head)) {
              const all = changesOf(log.entries, path);
              const own = new Set(lineNotes(log.entries, fold, head));
              const last = all.filter(({ note, restored }) => own.has(note) && !restored).at(-1);
              expect(here).toBe(last === undefined ? all[0]?.before : last.after);
              expect(written).toBe(all.at(-1)?.after);
            }
          }
        }),
        { numRuns },
      );
    },
  );
});

/** The notes of the line as {@link SessionFold.linePositions} has them, which another test holds to the format. */
const lineNotes = (
  entries: readonly Entry[],
  fold: SessionFold,
  head: string | null,
): (string | undefined)[] => fold.linePositions(head).map((position) => entries[position]?.id);

const changesOf = (entries: readonly Entry[], path: string) =>
  entries.flatMap((entry) =>
    entry.type === 'files_changed'
      ? entry.changes.flatMap((change) =>
          change.path === path ? [{ ...change, note: entry.id, restored: entry.restored === true }] : [],
        )
      : [],
  );
