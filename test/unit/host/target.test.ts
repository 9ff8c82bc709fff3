import { describe, expect, it } from 'vitest';
import { placeOf, sessionOf, type Targets } from '../../../src/host/commands/target.js';
import type { TreeNode } from '../../../src/host/sessions/tree-node.js';

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

  it('a message or a node whose menu it was chosen from, and the chat that shows it', async () => {
    const chosen = {
      webview: 'bough.tab',
      preventDefaultContextMenuItems: true,
      boughPlace: 'node',
      boughSession: 'here',
      boughEntry: 'e1',
      boughRole: 'user',
      boughOnLine: false,
      boughCanWrite: true,
    };
    expect(await sessionOf(chosen, targets(row('focused')))).toBe('here');
    expect(placeOf(chosen)).toEqual({ session: 'here', entry: 'e1', isOnLine: false, surface: 'tab' });
    expect(placeOf({ ...chosen, webview: 'bough.chat' })?.surface).toBe('view');
    for (const other of [
      { ...chosen, boughEntry: '' },
      { ...chosen, boughSession: 1 },
      row('x'),
      'x',
      undefined,
    ])
      expect(placeOf(other)).toBeUndefined();
  });

  it('a key in the list means its focused row', async () => {
    expect(await sessionOf({ row: 'focused' }, targets(row('focused')))).toBe('focused');
    expect(await sessionOf({ row: 'focused' }, targets())).toBe('current');
  });
});
