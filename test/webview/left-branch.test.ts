import { describe, expect, it } from 'vitest';
import { Outline } from '../../src/shared/fold/outline.js';
import { leftBranch } from '../../webview/left-branch.js';
import { Scene } from './bench/scenes.js';

describe('what was left for another line', () => {
  const scene = new Scene();
  const first = scene.user('Q1');
  const answer = scene.answer('A1');
  const older = scene.user('Q2');
  const olderEnd = scene.answer('A2');
  scene.add({ type: 'head', entry_id: answer });
  const newer = scene.user('Q2b');
  const { outline } = scene.fold;

  it('is its part that the new line has not', () => {
    const tree = new Outline(outline);
    expect(leftBranch(tree, olderEnd, newer)).toEqual({
      from_id: older,
      to_id: olderEnd,
      prompt: older,
      messages: 2,
    });
    expect(leftBranch(tree, olderEnd, null)).toEqual({
      from_id: first,
      to_id: olderEnd,
      prompt: first,
      messages: 4,
    });
    expect(leftBranch(tree, answer, newer)).toBeNull();
    expect(leftBranch(tree, null, newer)).toBeNull();
  });
});
