import { open, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesOf, damageOf, headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { makePlace, user, type Place } from './support.js';

const MB = 1024 * 1024;
const LONG = 200 * MB;

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

/** Puts `begin`, then so many bytes, then `end` behind what stands in the log. */
async function addLong(file: string, begin: string, end: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    await handle.write(begin);
    const piece = Buffer.alloc(MB, 'x');
    for (let written = 0; written < LONG; written += MB) await handle.write(piece);
    await handle.write(end);
  } finally {
    await handle.close();
  }
}

/** The most that is held at a time beside what was held before, looked at whenever the event loop turns. */
async function mostHeld(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return most - before;
}

describe('a single line of 200 MB', { timeout: 120_000 }, () => {
  const message = `${messageLine('long', 'a', '').slice(0, -4)}`;

  it.each([
    ['of garbage', '', ''],
    ['that is a message', message, '"}]}'],
  ])(
    'G1: %s is passed over in bounded memory; the session opens, is listed and goes on',
    async (_, begin, end) => {
      const file = await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
      await addLong(file, begin, `${end}\n${messageLine('b', 'a')}\n`);
      const { size } = await stat(file);
      const held = await mostHeld(async () => {
        const store = place.store();
        expect((await store.list()).sessions).toMatchObject([{ id: 's', messages: 2, status: 'damaged' }]);
        const log = await store.open('s');
        expect([await pathTexts(log), damageOf(log)]).toEqual([['a', 'b'], ['too-large in line 3']]);
        await log.append([user('c')]);
        expect(await pathTexts(await place.store().open('s'))).toEqual(['a', 'b', 'c']);
      });
      expect(held).toBeLessThan(160 * MB);
      expect((await stat(file)).size).toBeGreaterThan(size);
    },
  );

  it('A3: at the end, cut short, is set aside whole before the first append', async () => {
    const file = await putLog(place, 's', lines(headerLine('s'), messageLine('a', null)));
    const { size } = await stat(file);
    await addLong(file, message, '');
    const held = await mostHeld(async () => {
      const log = await place.store().open('s');
      await log.append([user('b')]);
      expect(await pathTexts(log)).toEqual(['a', 'b']);
    });
    expect(held).toBeLessThan(160 * MB);
    expect((await stat(file.replace('.jsonl', '.damaged'))).size).toBeGreaterThan(LONG);
    expect((await bytesOf(file)).subarray(0, size)).toEqual(lines(headerLine('s'), messageLine('a', null)));
  });
});
