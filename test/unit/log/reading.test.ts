import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Files } from '../../../src/ports.js';
import { headerLine, lines, messageLine, putLog } from './lines.js';
import { makePlace, type Place } from './support.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.dispose());

/** A log of several chunks. */
async function longLog(): Promise<void> {
  const said = Array.from({ length: 100 }, (_, index) =>
    messageLine(`m${String(index)}`, index === 0 ? null : `m${String(index - 1)}`, 'x'.repeat(60_000)),
  );
  await putLog(place, 's', lines(headerLine('s'), ...said));
}

it('tells while a log is read how much of it is, up to all of it', async () => {
  await longLog();
  const read: [number, number][] = [];
  await place.store({ indexFrom: Infinity }).open('s', undefined, (bytes, of) => read.push([bytes, of]));
  const [, size] = read[0] ?? [];
  expect(read.length).toBeGreaterThan(2);
  expect(read.every(([bytes, of], index) => of === size && bytes > (read[index - 1]?.[0] ?? 0))).toBe(true);
  expect(read.at(-1)).toEqual([size, size]);
});

it('an aborted signal ends the reading with its reason: no more is read, and the next one reads it all', async () => {
  await longLog();
  let reads = 0;
  const files = createNodeFiles();
  const counting: Files = {
    ...files,
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      const read = file.read.bind(file);
      return Object.assign(file, {
        read: (into: Uint8Array, position: number) => {
          reads++;
          return read(into, position);
        },
      });
    },
  };
  const store = place.store({ files: counting, indexFrom: Infinity });
  const enough = new AbortController();
  const reason = new Error('enough');
  const opening = store.open('s', enough.signal, (bytes, of) => {
    if (bytes > of / 4) enough.abort(reason);
  });
  await expect(opening).rejects.toBe(reason);
  const before = reads;
  expect((await store.open('s')).position).toBe(100);
  expect(before).toBeLessThan(reads - before);
});
