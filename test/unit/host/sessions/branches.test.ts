import { describe, expect, it } from 'vitest';
import { branchesOf } from '../../../../src/host/sessions/branches.js';
import { OutlineFlag, type OutlineNode } from '../../../../src/shared/fold/types.js';

const user = (id: string, parent: number, text: string): OutlineNode => [
  id,
  parent,
  'message',
  OutlineFlag.user,
  text,
];
const answer = (id: string, parent: number, text: string): OutlineNode => [
  id,
  parent,
  'message',
  OutlineFlag.assistant,
  text,
];

describe('branches of a session', () => {
  it('none when nothing was said, one for one line', () => {
    expect(branchesOf([], null)).toEqual([]);
    expect(branchesOf([user('a', -1, 'Hi'), answer('b', 0, 'Hello')], 'b')).toEqual([
      { leaf: 'b', label: 'Hi', detail: 'Hello', isShown: true, messages: 2 },
    ]);
  });

  it('H2: every end of a line has a row, named by the prompt that is its own', () => {
    const nodes = [
      user('a', -1, 'Hi'),
      answer('b', 0, 'Hello'),
      user('c', 1, 'First way'),
      answer('d', 2, 'One'),
      user('e', 1, 'Second way'),
      answer('f', 4, 'Two'),
    ];
    expect(branchesOf(nodes, 'd').map(({ leaf, label, isShown }) => [leaf, label, isShown])).toEqual([
      ['d', 'First way', true],
      ['f', 'Second way', false],
    ]);
  });

  it('H2: a name the person gave wins over the first words; what is only on it is counted and marked', () => {
    const nodes: OutlineNode[] = [
      user('a', -1, 'Hi'),
      user('b', 0, 'First way'),
      ['c', 1, 'incomplete_output', OutlineFlag.incomplete, 'Half'],
      user('d', 0, 'Second way'),
      ['e', 3, 'message', OutlineFlag.assistant | OutlineFlag.recovered, 'Two'],
    ];
    expect(branchesOf(nodes, 'e', { a: 'shared', d: 'the better one' })).toEqual([
      { leaf: 'c', label: 'First way', detail: 'Half', isShown: false, messages: 1, mark: 'incomplete' },
      {
        ...{ leaf: 'e', label: 'Second way', detail: 'Two', isShown: true, messages: 2 },
        ...{ name: 'the better one', mark: 'damaged' },
      },
    ]);
  });

  it('two answers to one prompt are named by it', () => {
    const nodes = [user('a', -1, 'Hi'), answer('b', 0, 'Hello'), answer('c', 0, 'Good day')];
    expect(
      branchesOf(nodes, 'c').map(({ label, detail, isOtherAnswer }) => [label, detail, isOtherAnswer]),
    ).toEqual([
      ['Hi', 'Hello', true],
      ['Hi', 'Good day', true],
    ]);
  });
});
