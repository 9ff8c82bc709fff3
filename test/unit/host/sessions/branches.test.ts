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
      { leaf: 'b', label: 'Hi', detail: 'Hello', isShown: true },
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

  it('two answers to one prompt are named by it', () => {
    const nodes = [user('a', -1, 'Hi'), answer('b', 0, 'Hello'), answer('c', 0, 'Good day')];
    expect(branchesOf(nodes, 'c').map(({ label, detail }) => [label, detail])).toEqual([
      ['Hi', 'Hello'],
      ['Hi', 'Good day'],
    ]);
  });
});
