import { describe, expect, it } from 'vitest';
import { MoreRows } from '../../../../src/host/sessions/more-rows.js';
import type { TreeNode } from '../../../../src/host/sessions/tree-node.js';

const rows = (...leaves: string[]): TreeNode[] =>
  leaves.map((leaf) => ({
    kind: 'branch',
    session: 's',
    branch: { leaf, label: leaf, detail: '', isShown: false, messages: 1 },
  }));
const more: TreeNode = { kind: 'more', count: 5, session: 's' };

describe('the first of more rows', () => {
  it('is the first that was not there, in its own place, once', () => {
    const all = new MoreRows(() => 0);
    expect(all.read('s', [...rows('a', 'b'), more])).toBeUndefined();
    all.ask('s');
    expect(all.read(undefined, rows('x'))).toBeUndefined();
    const came = [...rows('a', 'b', 'c', 'd'), more];
    expect(all.read('s', came)).toBe(came[2]);
    expect(all.read('s', rows('a', 'b', 'c', 'd', 'e'))).toBeUndefined();
  });

  it('is none that was begun meanwhile, and stands before one that was kept in sight', () => {
    const all = new MoreRows(() => 0);
    all.read('s', [...rows('a', 'b', 'shown'), more]);
    all.ask('s');
    const came = rows('new', 'a', 'b', 'c', 'shown');
    expect(all.read('s', came)).toBe(came[3]);
  });

  it('is none where nothing came', () => {
    const all = new MoreRows(() => 0);
    all.ask('s');
    expect(all.read('s', rows('a'))).toBeUndefined();
    all.ask('s');
    expect(all.read('s', rows('a'))).toBeUndefined();
  });

  it('is told only while the person still waits for it: later the keyboard is where they took it', () => {
    let now = 1000;
    const all = new MoreRows(() => now);
    all.read('s', rows('a'));
    all.ask('s');
    now += 2000;
    const came = rows('a', 'b');
    expect(all.read('s', came)).toBe(came[1]);
    all.ask('s');
    now += 2001;
    expect(all.read('s', rows('a', 'b', 'c'))).toBeUndefined();
    now -= 2001;
    expect(all.read('s', rows('a', 'b', 'c', 'd'))).toBeUndefined();
  });

  it('is none of a later reading when the one that was asked for failed', () => {
    const all = new MoreRows(() => 0);
    all.read('s', rows('a'));
    all.ask('s');
    all.forget('s');
    expect(all.read('s', rows('a', 'b'))).toBeUndefined();
  });

  it('stands below what it was read of', () => {
    const all = new MoreRows(() => 0);
    const [parent] = rows('a');
    const [child] = rows('b');
    if (parent === undefined || child === undefined) throw new Error('no rows');
    all.below(parent, [child]);
    expect(all.parentOf(child)).toBe(parent);
    expect(all.parentOf(parent)).toBeUndefined();
  });
});
