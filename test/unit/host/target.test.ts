import { describe, expect, it } from 'vitest';
import { sessionOf, type Targets } from '../../../src/host/commands/target.js';
import type { TreeNode } from '../../../src/host/sessions/tree.js';

const row = (id: string): TreeNode => ({
  kind: 'session',
  summary: { id, title: id } as Extract<TreeNode, { kind: 'session' }>['summary'],
});
const targets = (selected?: TreeNode): Targets => ({
  selected: () => selected,
  current: () => Promise.resolve('current'),
});

describe('which session a command is about', () => {
  it.each([undefined, null, '', 7, {}, { kind: 'group' }, { kind: 'session' }])(
    '%j means the chat in front',
    async (target) => {
      expect(await sessionOf(target, targets(row('focused')))).toBe('current');
    },
  );

  it('an id, a row, a branch below it', async () => {
    expect(await sessionOf('x', targets())).toBe('x');
    expect(await sessionOf(row('y'), targets())).toBe('y');
    expect(await sessionOf({ kind: 'branch', session: 'z', branch: {} }, targets())).toBe('z');
  });

  it('a key in the list means its focused row', async () => {
    expect(await sessionOf({ row: 'focused' }, targets(row('focused')))).toBe('focused');
    expect(await sessionOf({ row: 'focused' }, targets())).toBe('current');
  });
});
