import { expect, it } from 'vitest';
import { paced } from '../../webview/pace.js';

it('draws at once what comes after a while, and then every other picture', () => {
  let waiting: ((now: number) => void)[] = [];
  const picture = (now: number) => {
    const due = waiting;
    waiting = [];
    for (const callback of due) callback(now);
  };
  const next = paced((callback) => waiting.push(callback));
  const drawn: number[] = [];
  const grow = (now: number) => next(() => drawn.push(now));
  grow(0);
  picture(16);
  expect(drawn).toEqual([0]);
  for (const now of [17, 34, 51, 68]) {
    if (waiting.length === 0) grow(now);
    picture(now + 16);
  }
  expect(drawn).toEqual([0, 17, 51]);
  expect(waiting).toHaveLength(0);
  grow(1_000);
  picture(1_016);
  expect(drawn).toEqual([0, 17, 51, 1_000]);
});
