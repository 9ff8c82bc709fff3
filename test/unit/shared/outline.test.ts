import { describe, expect, it } from 'vitest';
import { Outline, firstWords } from '../../../src/shared/fold/outline.js';
import { OutlineFlag, type Fork, type OutlineNode } from '../../../src/shared/fold/types.js';
import { LogBuilder, call, result, text } from './build.js';

const partial = (id: string, more: object = {}): Parameters<LogBuilder['add']>[0] => ({
  type: 'incomplete_output',
  id,
  attempt_id: 'x',
  text: id,
  incomplete: true,
  ...more,
});
const leaves = (fork: Fork | undefined): string[] => fork?.siblings.map(({ leaf_id }) => leaf_id) ?? [];

describe('nodes', () => {
  it('carry kind, flags and first words', () => {
    const log = new LogBuilder()
      .user('u1', '  Please\n read  it ')
      .assistant('a1', [call('c1', 'read'), call('c2', 'edit')]);
    log.tool('r1', [result('c1', 'x', true)]).add(partial('i1', { error: 'reset' }));
    log.add({ type: 'skill_load', id: 's1', name: 'pdf', description: '', body: '' });
    expect(log.fold().outline).toEqual([
      ['u1', -1, 'message', OutlineFlag.user, 'Please read it'],
      ['a1', 0, 'message', OutlineFlag.assistant | OutlineFlag.calls, 'read, edit'],
      ['r1', 1, 'message', OutlineFlag.tool | OutlineFlag.error, 'read'],
      ['i1', 2, 'incomplete_output', OutlineFlag.incomplete | OutlineFlag.error, 'i1'],
      ['s1', 3, 'skill_load', 0, 'pdf'],
    ]);
  });

  it('C5: first words are at most 80 characters and never half of one', () => {
    for (let length = 70; length < 90; length++) {
      const words = firstWords(`${'a'.repeat(length)}🔥🔥🔥 end`);
      expect(words.length).toBeLessThanOrEqual(80);
      expect(words.isWellFormed()).toBe(true);
    }
    expect(firstWords('\ud800 x')).toBe('\ufffd x');
  });

  it('A13: an entry whose parent is not there is a recovered root', () => {
    const fold = new LogBuilder().user('u1').user('u2', 'u2', { parent_id: 'ghost' }).fold();
    expect(fold.outline[1]).toEqual(['u2', -1, 'message', OutlineFlag.user | OutlineFlag.recovered, 'u2']);
    expect(fold.leaves()).toEqual(['u1', 'u2']);
  });

  it('A14: cycles and doubled ids neither loop nor hide what came first', () => {
    const log = new LogBuilder().user('a', 'a', { parent_id: 'b' }).user('b', 'b', { parent_id: 'a' });
    log.user('c', 'c', { parent_id: 'c' }).user('a', 'again', { parent_id: 'c' });
    const fold = log.fold();
    expect(fold.pathIds('b')).toEqual(['a', 'b']);
    expect(fold.pathIds('c')).toEqual(['c']);
    expect(fold.outline.map(([id, parent, , , words]) => [id, parent, words])).toEqual([
      ['a', -1, 'a'],
      ['b', 0, 'b'],
      ['c', -1, 'c'],
    ]);
  });

  it('take a parent that does not stand before them for none', () => {
    const nodes: OutlineNode[] = [
      ['a', 1, 'message', 1, ''],
      ['b', 0, 'message', 1, ''],
      ['c', 2, 'message', 1, ''],
      ['d', 0.5, 'message', 1, ''],
    ];
    expect(new Outline(nodes).nodes.map(([, parent]) => parent)).toEqual([-1, 0, -1, -1]);
  });

  it('B16: order is the file, never time', () => {
    const log = new LogBuilder().user('u1').assistant('a1').go('u1').assistant('a2');
    const backwards = log.entries.map((entry, at) => ({
      ...entry,
      timestamp: new Date(4e12 - at * 1e9).toISOString(),
    }));
    log.entries.splice(0, log.entries.length, ...backwards);
    expect(leaves(log.fold().forks().get('a2'))).toEqual(['a1', 'a2']);
  });
});

describe('forks', () => {
  it('H1: editing the first prompt gives two roots', () => {
    const log = new LogBuilder().user('u1').assistant('a1').go(null).user('u2').assistant('a2');
    const fold = log.fold();
    expect(fold.forks().get('u2')).toEqual({
      entry_id: 'u2',
      index: 1,
      siblings: [
        { entry_id: 'u1', leaf_id: 'a1', preview: 'u1' },
        { entry_id: 'u2', leaf_id: 'a2', preview: 'u2' },
      ],
    });
    expect(fold.forks('a1').get('u1')?.index).toBe(0);
    expect(fold.forks().size).toBe(1);
  });

  it('a line stands for its newest leaf', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1')
      .user('x')
      .go('a1')
      .user('y')
      .go('u1')
      .assistant('a2');
    expect(leaves(log.fold().forks().get('a2'))).toEqual(['y', 'a2']);
    expect(leaves(log.go('x').assistant('z').fold().forks().get('x'))).toEqual(['z', 'y']);
  });

  it('look through what has no message of its own', () => {
    const log = new LogBuilder().user('u1').add(partial('i1')).assistant('a1').go('u1');
    log.add({ type: 'branch_summary', id: 'b1', from_id: 'a1', summary: 's' }).assistant('a2');
    const fold = log.fold();
    expect(
      fold
        .forks()
        .get('a2')
        ?.siblings.map(({ entry_id }) => entry_id),
    ).toEqual(['a1', 'a2']);
    expect(fold.forks('a1').get('a1')?.index).toBe(0);
  });

  it('look through tool messages, which have no row', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1', [call('c1')])
      .tool('r1', [result('c1')])
      .assistant('a2');
    log.go('r1').assistant('a3').go('a1').user('u2');
    for (const [head, index] of [
      ['a2', 0],
      ['a3', 1],
      ['u2', 2],
    ] as const) {
      expect(log.fold().forks(head).get(head)).toMatchObject({ index, siblings: { length: 3 } });
    }
  });

  it('a line that ends without a message is reached at its end, and left from there', () => {
    const log = new LogBuilder().user('u1').add(partial('i1')).go('u1').assistant('a2');
    const fold = log.fold();
    expect(leaves(fold.forks().get('a2'))).toEqual(['i1', 'a2']);
    expect(fold.forks('i1').get('i1')?.index).toBe(0);
  });

  it('a head before the first message of its line carries the picker itself', () => {
    const log = new LogBuilder()
      .user('u1')
      .add(partial('i1'))
      .assistant('a1')
      .go('u1')
      .assistant('a2')
      .go('i1');
    expect(log.fold().forks().get('i1')).toMatchObject({ index: 0, siblings: { length: 2 } });
  });

  it('nothing forks after the head', () => {
    const log = new LogBuilder().user('u1').assistant('a1').go('u1').assistant('a2').go('u1');
    expect(log.fold().forks().size).toBe(0);
  });

  it('an empty answer is a line too', () => {
    const log = new LogBuilder()
      .user('u1')
      .assistant('a1', [text('')])
      .go('u1')
      .assistant('a2', []);
    expect(log.fold().forks().get('a2')?.siblings).toHaveLength(2);
  });
});
