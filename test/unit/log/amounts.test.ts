/** Much of everything, by what it costs in bytes written, read and held: the times are for `npm run bench`. */
import { stat, truncate } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { createNodeFiles } from '../../../src/log/node-files.js';
import type { Files } from '../../../src/ports.js';
import type { FileStore } from '../../../src/log/file-store.js';
import { runs } from '../runs.js';
import { useFaultyPlace } from './faulty-place.js';
import { headerLine, lines, messageLine, pathTexts, putLog } from './lines.js';
import { assistant, user, type Place } from './support.js';

const KB = 1024;
const MB = 1024 * KB;
const HUGE = runs({ usual: 128, soak: 1024 }) * MB;

let place: Place;
let store: FileStore;
useFaultyPlace((made) => ({ place, store } = made));

/** Counts the bytes that are read of the files whose path ends so. */
function counting(ending: string): { files: Files; bytes: () => number } {
  const inner = createNodeFiles();
  let bytes = 0;
  const counts = (path: string): boolean => path.endsWith(ending);
  const files: Files = {
    ...inner,
    read: async (path) => {
      const found = await inner.read(path);
      if (counts(path)) bytes += found.length;
      return found;
    },
    open: async (path, mode) => {
      const file = await inner.open(path, mode);
      if (!counts(path)) return file;
      return {
        ...file,
        read: async (into, position) => {
          const count = await file.read(into, position);
          bytes += count;
          return count;
        },
      };
    },
  };
  return { files, bytes: () => bytes };
}

describe('much of everything', { timeout: 120_000 }, () => {
  it('G1: 3 000 logs and a huge one are read once, and not a byte of them for the list of the next window', async () => {
    const LOGS = 3_000;
    const put = (at: number) =>
      putLog(place, `s${at}`, lines(headerLine(`s${at}`), messageLine('a', null, `prompt ${at}`)));
    let sizes = 0;
    for (let at = 0; at < LOGS; at += 100) {
      const files = await Promise.all(Array.from({ length: 100 }, (_, more) => put(at + more)));
      for (const file of files) sizes += (await stat(file)).size;
    }
    const huge = await putLog(place, 'huge', lines(headerLine('huge'), messageLine('a', null, 'huge')));
    await truncate(huge, HUGE);
    const list = async () => {
      const { files, bytes } = counting('.jsonl');
      const window = place.store({ files });
      const { sessions } = await window.list({ limit: 200 });
      await window.close();
      return { sessions, bytes: bytes() };
    };
    const first = await list();
    expect(first.sessions).toHaveLength(200);
    expect(first.sessions.find(({ id }) => id === 'huge')).toMatchObject({ messages: 1, status: 'damaged' });
    expect(first.bytes).toBeLessThanOrEqual(sizes + HUGE);
    expect(await list()).toEqual({ sessions: first.sessions, bytes: 0 });
  });

  // 600 results of 1 MiB are more than one string can hold. What stands for it here: nothing is ever made of more than one
  // of them, in writing, in opening and in a fork, so how many there are cannot matter.
  it('A12: no text that is made of a session is longer than one of its entries', async () => {
    const MOST = 2 * MB;
    const texts = vi.spyOn(JSON, 'stringify');
    const parsed = vi.spyOn(JSON, 'parse');
    const longest = () =>
      Math.max(
        ...texts.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0)),
        ...parsed.mock.calls.map(([text]) => text.length),
      );
    try {
      const log = await store.create({ id: 's' });
      const part = 'y'.repeat(900 * KB);
      for (let round = 0; round < 40; round++) await log.append([user(part)]);
      expect((await stat(place.log('s'))).size).toBeGreaterThan(30 * MB);
      const window = place.store();
      expect(await pathTexts(await window.open('s'))).toHaveLength(40);
      await window.fork('s', { id: 'copy' });
      expect((await place.store().list()).sessions.map(({ messages }) => messages)).toEqual([40, 40]);
      expect(longest()).toBeGreaterThan(900 * KB);
      expect(longest()).toBeLessThan(MOST);
    } finally {
      texts.mockRestore();
      parsed.mockRestore();
    }
  });

  it('B19: each of 50 branches off the 500th turn takes the room of what is said in it', async () => {
    const log = await store.create({ id: 's' });
    for (let turn = 0; turn < 500; turn += 50)
      await log.append(
        Array.from({ length: 50 }, (_, more) => [
          user(`question ${turn + more}`),
          assistant('an answer of some length '.repeat(40)),
        ]).flat(),
      );
    const root = (await log.path()).at(-2);
    const { size } = await stat(place.log('s'));
    for (let branch = 0; branch < 50; branch++) {
      await log.append([{ type: 'head', entry_id: root?.parent_id ?? null }]);
      await log.append([user(`another question ${branch}`)]);
    }
    expect(log.state().head).not.toBe(root?.id);
    expect(await log.path()).toHaveLength(999);
    expect((await stat(place.log('s'))).size - size).toBeLessThan(50 * KB);
  });
});
