import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DraftSaver } from '../../webview/composer/draft-saver.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('hands over what is typed without a rest, a moment behind', () => {
  let text = '';
  const saved: string[] = [];
  const saver = new DraftSaver(() => saved.push(text));
  for (const key of 'a prompt of many words') {
    text += key;
    saver.soon();
    vi.advanceTimersByTime(30);
  }
  expect(text.length - (saved.at(-1) ?? '').length).toBeLessThanOrEqual(4);
  saver.now();
  expect(saved.at(-1)).toBe(text);
  const before = saved.length;
  saver.now();
  vi.advanceTimersByTime(1_000);
  expect(saved).toHaveLength(before);
});
